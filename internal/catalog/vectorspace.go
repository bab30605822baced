package catalog

import (
	"fmt"
	"strings"
)

// A VectorSpace says how an embedding was made and what its scores mean.
type VectorSpace struct {
	Model  string
	Prefix string  // put before every text, in queries and products alike
	Floor  float64 // matches with a lower score are ignored
	Accept float64 // candidates with at least this score are shown to the model
	// SearchFloor is the score of a query and a product below which the product is nothing that was
	// asked for, if nothing but its vector says so.
	SearchFloor float64
}

// spaces are the known embedding models. The second generation gives unrelated texts scores
// of about 0.6. Its task is stated in the text, as its documentation asks, and is the same
// for queries and products, so that the embedding of a query can be stored with the
// product.
//
// SearchFloor is the score that nine of ten queries for what a shop does not sell stay below with the
// product that is nearest to them: whatisit eval floor measures it. Only the emulated embedder was
// measured. The others have a careful one, lower than unrelated texts are reported to score: it hides
// nothing right, and hardly anything else, until somebody measures.
var spaces = map[string]VectorSpace{
	"gemini-embedding-001": {Floor: 0.3, Accept: 0.5, SearchFloor: 0.3},
	"gemini-embedding-2":   {Prefix: "task: sentence similarity | query: ", Floor: 0.60, Accept: 0.75, SearchFloor: 0.3},
	"emulated-embedding":   {Prefix: "task: sentence similarity | query: ", Floor: 0.3, Accept: 0.5, SearchFloor: 0.17},
}

// localPrefix begins the names of embedding models on one's own machine, which name the
// model. localSpace is what they have in common: the prefix is that of embeddinggemma's
// documentation, which others take for text; the thresholds are those of the first
// generation, until whatisit eval thresholds has measured them for a model.
const localPrefix = "local-embed-"

var localSpace = VectorSpace{Prefix: "task: sentence similarity | query: ", Floor: 0.3, Accept: 0.5, SearchFloor: 0.1}

// VectorSpaceOf returns the vector space of an embedding model.
func VectorSpaceOf(model string) (VectorSpace, error) {
	s, ok := spaces[model]
	if strings.HasPrefix(model, localPrefix) {
		s, ok = localSpace, true
	}
	if !ok {
		return VectorSpace{}, fmt.Errorf("catalog: the embedding model %q has no thresholds: use gemini-embedding-2 or gemini-embedding-001", model)
	}
	s.Model = model
	return s, nil
}

// ID returns the name of the space: model and prefix, without the thresholds.
func (s VectorSpace) ID() string {
	return fmt.Sprintf("%s/%d/%s", s.Model, Dimensions, s.Prefix)
}

// suffixOf returns what ends the names of the fields in which records have their vectors in a space,
// by its ID. Two spaces of one suffix have no room in one record.
func suffixOf(space string) string {
	if strings.HasPrefix(space, "gemini-embedding-001/") {
		return "_b"
	}
	return ""
}
