// Package search finds what in a shop's catalogue is like some words, a picture or both.
//
//	query, picture → intent_classifier → intent_router → attribute_extractor
//	               → embed_query → semantic_search → format_response → Result
//
// Words cost one structured call, which says the intent and the attributes, and one
// embedding; a picture alone costs one embedding. Everything else is code: what a word
// means stands in a Vocabulary, which is a data file of the domain, and what an intent
// is answered with in a table.
package search
