package catalog

// SearchPrefixes are what a model wants put before the text of a query, and of a
// document to be found by it: gemini-embedding-2 is told its task in the text, and
// queries and documents apart, as its documentation asks. Pictures get none.
func SearchPrefixes(model string) (query, document string) {
	if model == "gemini-embedding-001" {
		return "", ""
	}
	return "task: search result | query: ", "title: none | text: "
}
