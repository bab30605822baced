// Package search finds products in a shop's catalogue by words, a picture or both.
//
//	query, picture → intent_classifier → intent_router → attribute_extractor
//	               → embed_query → semantic_search → format_response → Result
//
// A search by words takes one structured model call, for intent and attributes, and one
// embedding; a picture alone takes one embedding. Everything else is code: a Vocabulary, a
// data file of the domain, defines the meaning of words, and a table defines the answer to
// each intent.
package search
