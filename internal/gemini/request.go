package gemini

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Part is a piece of a request: a text or a blob.
type Part struct {
	text     string
	mimeType string
	data     []byte
}

// Text is a part of plain text.
func Text(s string) Part { return Part{text: s} }

// Blob is a part of bytes of a MIME type the model takes, such as a photo. The
// bytes are not copied and must not change until the call has returned.
func Blob(mimeType string, data []byte) Part { return Part{mimeType: mimeType, data: data} }

func (p Part) isBlob() bool { return p.mimeType != "" }

func (p Part) isEmpty() bool { return p.text == "" && len(p.data) == 0 }

// Request is one question to a model.
type Request struct {
	// Model is the model's name, such as "gemini-3.6-flash".
	Model string
	// System is the instruction; "" is none.
	System string
	// Parts is what the model is shown, in this order; none may be empty.
	Parts []Part
	// Schema is the shape of a JSON answer; nil is free text. Objects are sent
	// with propertyOrdering, so the model writes its fields in PropertyOrder.
	// It is read at the first call with it and must not change after.
	Schema *jsonschema.Schema
	// Search lets the model search the web. Together with Schema it needs
	// Gemini 3 on the Gemini API; elsewhere search first and structure second.
	Search bool
	// MaxOutputTokens bounds the answer and the thoughts before it; 0 is the
	// model's own limit.
	MaxOutputTokens int32
	// Thinking and MediaResolution are said in the way of the model's kind.
	Thinking        Thinking
	MediaResolution MediaResolution
	// Key names the call in the log, such as "image_analyzer"; "" is none.
	Key string

	repair bool // the request mends an answer and is not mended itself
}

// kind is what the log says the request is for.
func (r Request) kind() string {
	switch {
	case r.repair:
		return jobRepair
	case r.Search:
		return jobSearch
	}
	return jobGenerate
}

// Response is a model's whole answer.
type Response struct {
	// Text is the answer without thoughts; never empty.
	Text string
	// Model is the model that was asked in the end, after a fallback.
	Model string
	// ModelVersion is what the service says answered.
	ModelVersion string
	FinishReason string
	// Citations are the web pages the answer rests on; their addresses are
	// Google's redirects and may not be crawled.
	Citations []Citation
	// Supports says which citations carry which segment of the answer.
	Supports []Support
	// Queries are the searches that were run, and are paid for.
	Queries []string
	// SearchSuggestions is Google's HTML, to be shown unmodified.
	SearchSuggestions string
	Usage             Usage
	// USD is what the answer cost by the price table, with its repair and the
	// malformed answers before it, as Usage.
	USD float64
}

// add charges r with another answer to the same call, which may be nil.
func (r *Response) add(other *Response) {
	if other == nil {
		return
	}
	r.Usage = r.Usage.plus(other.Usage)
	r.USD += other.USD
	r.Queries = slices.Concat(other.Queries, r.Queries)
}

// Citation is a web page.
type Citation struct {
	Title string `json:"title"`
	URI   string `json:"uri"`
}

// Support names the citations, by index, that carry a segment of the answer.
type Support struct {
	Text      string
	Citations []int
}

// Usage counts tokens as the service reports them. Input includes what tools
// fed to the model, Output includes thoughts.
type Usage struct {
	Input, Output, Total int
}

func (u Usage) plus(v Usage) Usage {
	return Usage{Input: u.Input + v.Input, Output: u.Output + v.Output, Total: u.Total + v.Total}
}
