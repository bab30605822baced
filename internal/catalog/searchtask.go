package catalog

// SearchPrefixes returns what a model needs before the text of a query, and before a
// document that queries should find. The documentation of gemini-embedding-2 asks to state
// the task in the text, different for queries and documents. Pictures have no prefix.
func SearchPrefixes(model string) (query, document string) {
	if model == "gemini-embedding-001" {
		return "", ""
	}
	return "task: search result | query: ", "title: none | text: "
}
