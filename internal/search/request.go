package search

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// Limits of a request.
const (
	DefaultLimit = 5
	MaxLimit     = 50
	MaxQuery     = 500 // characters
)

// A Request asks for products of a shop that are similar to words, a picture, both, or
// another product.
type Request struct {
	Query    string        `json:"query,omitempty" jsonschema:"what is looked for, in words of any language"`
	Image    []byte        `json:"image,omitempty" jsonschema:"a picture of what is looked for, or of a face with or without glasses"`
	URI      string        `json:"uri,omitempty" jsonschema:"or where the picture lies: gs://bucket/object, in the bucket of uploads"`
	Analysis *FaceAnalysis `json:"analysis_result,omitempty" jsonschema:"what an analysis of a face found"`
	Like     string        `json:"like,omitempty" jsonschema:"the ID of a product: more like it"`
	Shop     string        `json:"shop,omitempty" jsonschema:"the shop to search; the configured one if it is left out"`

	// Limit is the number of products requested, 1 to MaxLimit; nil means DefaultLimit.
	Limit *int `json:"limit,omitempty" jsonschema:"how many products at most, 1 to 50; 5 if it is left out"`
	// Weights of words and picture, if both are given; nil means 0.6 and 0.4, or 0.1 and 0.9
	// if all that the words say are conditions. Only their ratio matters.
	Weights *Weights `json:"weights,omitempty"`
	// Filters are codes by facet that a person has chosen from GET /search/filters, several
	// of a facet between vertical bars: black|brown. They are never relaxed.
	Filters map[string]Choices `json:"filters,omitempty" jsonschema:"codes by facet that must hold, as GET /search/filters lists them; one of several as a list or as black|brown"`
	// Price limits the price, whatever the query says.
	Price *PriceRange `json:"price,omitempty"`
	// InStock leaves out what is sold out and what is not known to be in stock.
	InStock bool `json:"in_stock,omitempty" jsonschema:"only what is in stock"`
	// Sort is the order, whatever the query says; "" is that of the query.
	Sort Sort `json:"sort,omitempty" jsonschema:"the order: relevance, price_up, price_down or newest"`
	// After is the Next of a result of the same request: the products behind it. That of another
	// search is refused. In a conversation it goes on with the last search, whatever words it has,
	// and 0 is its beginning.
	After string `json:"after,omitempty" jsonschema:"the next of the result before, of the same words, filters, price and sort: further products"`
	// Counts are facets whose values are counted among all products that match.
	Counts []string `json:"counts,omitempty" jsonschema:"facets whose values are counted among all that match, 10 at most"`
	// Session is the conversation that the request belongs to: NewSession begins one, whose ID
	// is in the result; "" is none.
	Session string `json:"session,omitempty" jsonschema:"new begins a conversation; the session of the result before goes on with it"`
	// Turn is an ID that the caller gives this search in its conversation. The same search sent
	// again with the same ID, as after a lost answer, is understood by what was there before it.
	Turn string `json:"turn,omitempty" jsonschema:"an ID of your own for this search in its conversation: sent again with the same one, as after an answer that was lost, it is not applied twice"`
	// Lang is the language of the answer, one of Languages; "" means that of the query.
	Lang string `json:"lang,omitempty" jsonschema:"vi, en or ko: the language of the answer; that of the query if it is left out"`
	// Expect is the ID of a product for which the answer gives the rank, and the filter
	// that removed it.
	Expect string `json:"expect,omitempty" jsonschema:"the ID of a product whose rank is told, and which filter removed it"`
}

// Choices are values of a facet, any of which is accepted. Each may be several between vertical bars; in
// JSON one is a string.
type Choices []string

// UnmarshalJSON decodes a string or a list of them.
func (c *Choices) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*c = Choices{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(c))
}

// ChoicesSchema returns the schema of Choices.
func ChoicesSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{"string", "array"}, Items: &jsonschema.Schema{Type: "string"}}
}

// Weights are the weights of words and picture.
type Weights struct {
	Text  float64 `json:"text"`
	Image float64 `json:"image"`
}

// FaceAnalysis is another program's analysis of a face picture. It is used for this answer
// and not stored.
type FaceAnalysis struct {
	FaceDetected           bool     `json:"face_detected"`
	FaceShape              string   `json:"face_shape,omitempty"`
	RecommendedFrameShapes []string `json:"recommended_frame_shapes,omitempty"`
	SkinTone               string   `json:"skin_tone,omitempty"`
	GlassesDetected        bool     `json:"glasses_detected,omitempty"`
	GlassesObserved        string   `json:"glasses_observed,omitempty"`
	Summary                string   `json:"summary,omitempty"`
}
