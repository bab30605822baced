package search

import "example.com/whatis/internal/agent"

// searchAgent returns search_agent: its steps in order. No event, and so no session,
// contains a picture, a vector or data of a face analysis.
func (p *Pipeline) searchAgent() agent.Step[state] {
	return agent.Step[state]{Name: "search_agent", Description: "finds products of a shop by words, by picture or by both", Steps: []agent.Step[state]{
		{
			Name: "intent_classifier", Description: "says what a query means", Do: p.classify,
			Output: func(s *state) any { return map[string]any{"intent": s.intent} },
		},
		{
			Name: "intent_router", Description: "decides what is done for an intent", Do: p.route,
			Key: "intent", Output: func(s *state) any { return s.intent },
		},
		{
			Name: "attribute_extractor", Description: "says what products must be", Do: p.extract,
			Key: "extracted_attributes", Output: func(s *state) any { return s.attributes() },
		},
		{
			Name: "embed_query", Description: "makes vectors of words and picture", Do: p.embed,
			Key: "search_type", Output: func(s *state) any { return s.searchType() },
		},
		{
			Name: "semantic_search", Description: "finds products", Do: p.find,
			Key: "search_results", Output: func(s *state) any { return s.foundIDs() },
		},
		{
			Name: "format_response", Description: "writes the answer", Do: p.format,
			Key: "final_response", Output: func(s *state) any {
				return map[string]any{"count": s.response.Count, "summary": s.response.Summary}
			},
		},
	}}
}
