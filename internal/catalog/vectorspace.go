package catalog

import "fmt"

// A VectorSpace says how an embedding was made and what its scores mean.
type VectorSpace struct {
	Model  string
	Prefix string  // put before every text, queries and products alike
	Floor  float64 // scores below it are no match at all
	Accept float64 // candidates from it on are shown to the model
}

// spaces are the embedders that are known, by model. 001's thresholds are the
// seed's. The second generation scores unrelated texts at about 0.6 already.
// Its task stands in the text, as its documentation asks, and is the same for
// queries and products, so that the embedding of a query serves to save it.
var spaces = map[string]VectorSpace{
	"gemini-embedding-001": {Floor: 0.3, Accept: 0.5},
	"gemini-embedding-2":   {Prefix: "task: sentence similarity | query: ", Floor: 0.60, Accept: 0.75},
	"emulated-embedding":   {Prefix: "task: sentence similarity | query: ", Floor: 0.3, Accept: 0.5},
}

// VectorSpaceOf returns the vector space of an embedding model.
func VectorSpaceOf(model string) (VectorSpace, error) {
	s, ok := spaces[model]
	if !ok {
		return VectorSpace{}, fmt.Errorf("catalog: the embedding model %q has no thresholds: use gemini-embedding-2 or gemini-embedding-001", model)
	}
	s.Model = model
	return s, nil
}

// ID names the vector space: what it is made of, not how it is judged.
func (s VectorSpace) ID() string {
	return fmt.Sprintf("%s/%d/%s", s.Model, Dimensions, s.Prefix)
}
