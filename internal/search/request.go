package search

// What may be asked, and how much of it.
const (
	DefaultLimit = 5
	MaxLimit     = 50
	MaxQuery     = 500 // characters
)

// A Request asks what of a shop is like words, a picture, both, or another product.
type Request struct {
	Query    string        `json:"query,omitempty" jsonschema:"what is looked for, in words of any language"`
	Image    []byte        `json:"image,omitempty" jsonschema:"a picture of what is looked for, or of a face with or without glasses"`
	URI      string        `json:"uri,omitempty" jsonschema:"or where the picture lies: gs://bucket/object, in the bucket of uploads"`
	Analysis *FaceAnalysis `json:"analysis_result,omitempty" jsonschema:"what an analysis of a face found"`
	Like     string        `json:"like,omitempty" jsonschema:"the ID of a product: more like it"`
	Shop     string        `json:"shop,omitempty" jsonschema:"the shop to search; the configured one if it is left out"`

	// Limit is how many products are wanted, 1 to MaxLimit; nil is DefaultLimit.
	Limit *int `json:"limit,omitempty" jsonschema:"how many products at most, 1 to 50; 5 if it is left out"`
	// Weights are of the words and of the picture, where both are given; nil is 0.6
	// and 0.4. Only their proportion counts.
	Weights *Weights `json:"weights,omitempty"`
	// Filters are codes by facet that a person has chosen, as of GET /search/filters.
	// They are never relaxed.
	Filters map[string]string `json:"filters,omitempty" jsonschema:"codes by facet that must hold, as GET /search/filters lists them"`
	// Price bounds the price whatever the query says.
	Price *PriceRange `json:"price,omitempty"`
	// Lang is vi or en, that of the words in the answer; "" is that of the query.
	Lang string `json:"lang,omitempty" jsonschema:"vi or en: the language of the answer; that of the query if it is left out"`
	// Expect is the ID of a product: the answer tells its rank, and the filter that
	// removed it.
	Expect string `json:"expect,omitempty" jsonschema:"the ID of a product whose rank is told, and which filter removed it"`
}

// Weights say how much words and picture count.
type Weights struct {
	Text  float64 `json:"text"`
	Image float64 `json:"image"`
}

// FaceAnalysis is what another program found in the picture of a face. It is used for
// this answer and kept nowhere.
type FaceAnalysis struct {
	FaceDetected           bool     `json:"face_detected"`
	FaceShape              string   `json:"face_shape,omitempty"`
	RecommendedFrameShapes []string `json:"recommended_frame_shapes,omitempty"`
	SkinTone               string   `json:"skin_tone,omitempty"`
	GlassesDetected        bool     `json:"glasses_detected,omitempty"`
	GlassesObserved        string   `json:"glasses_observed,omitempty"`
	Summary                string   `json:"summary,omitempty"`
}
