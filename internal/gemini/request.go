package gemini

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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

// Blob returns a part with bytes of a MIME type that the model supports, such as a photo.
// The bytes are not copied and must not change until the call has returned.
func Blob(mimeType string, data []byte) Part { return Part{mimeType: mimeType, data: data} }

func (p Part) isBlob() bool { return p.mimeType != "" }

func (p Part) isEmpty() bool { return p.text == "" && len(p.data) == 0 }

// Request is one request to a model.
type Request struct {
	// Model is the model's name, such as "gemini-3.6-flash".
	Model string
	// System is the system instruction; it may be empty.
	System string
	// Parts are the contents of the prompt, in this order; none may be empty.
	Parts []Part
	// Schema is the schema of a JSON answer; nil means free text. Objects are sent with
	// propertyOrdering, so that the model writes fields in PropertyOrder. The schema is
	// read at the first call that uses it and must not change after that.
	Schema *jsonschema.Schema
	// Search lets the model search the web. Together with Schema it needs Gemini 3 on the
	// Gemini API; elsewhere make two calls, first to search and then to structure the
	// answer.
	Search bool
	// MaxOutputTokens limits the answer and its thoughts; 0 means the model's own limit.
	MaxOutputTokens int32
	// Thinking and MediaResolution are converted to what the model supports.
	Thinking        Thinking
	MediaResolution MediaResolution
	// Key names the call in the log and in what it cost, such as "image_analyzer"; it may be empty.
	Key string
	// Said is passed the answer so far each time more of it has come, by the goroutine that
	// made the call; a further try begins anew. Nil asks for the answer as a whole.
	Said func(text string)

	repair bool // the request repairs an answer and is not repaired itself
}

// Fingerprint returns a hash of what r asks: of whom, by which instruction and schema, and of
// what.
func (r Request) Fingerprint() string {
	h := sha256.New()
	// A schema that cannot be written is refused when r is sent.
	_ = json.NewEncoder(h).Encode([]any{r.Model, r.System, r.Schema, r.Search})
	for _, p := range r.Parts {
		fmt.Fprintf(h, "%s %d %d\n%s", p.mimeType, len(p.text), len(p.data), p.text)
		h.Write(p.data)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// kind returns what the log says the request is for.
func (r Request) kind() string {
	switch {
	case r.repair:
		return jobRepair
	case r.Search:
		return jobSearch
	}
	return jobGenerate
}

// step returns what the answer to r was for.
func (r Request) step() string {
	if r.repair {
		return jobRepair
	}
	return r.Key
}

// Response is a model's whole answer.
type Response struct {
	// Text is the answer without thoughts; never empty.
	Text string
	// Model is the model that answered, which may be the fallback.
	Model string
	// ModelVersion is the version that the service reports.
	ModelVersion string
	FinishReason string
	// Citations are the web pages on which the answer is based; their addresses are
	// Google's redirects and may not be crawled.
	Citations []Citation
	// Supports maps segments of the answer to citations.
	Supports []Support
	// Queries are the web searches that were made, which are charged.
	Queries []string
	// SearchSuggestions is Google's HTML, to be shown unmodified.
	SearchSuggestions string
	Usage             Usage
	// USD is the cost of the answer by the price table. Like Usage it includes the answer's
	// repair and earlier malformed answers.
	USD float64
}

// add adds to r the usage and cost of another answer to the same call, which may be nil.
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

// Support lists the citations, by index, that support a segment of the answer.
type Support struct {
	Text      string
	Citations []int
}

// Usage counts tokens as reported by the service. Input includes the output of tools,
// Output includes thoughts.
type Usage struct {
	Input, Output, Total int
}

func (u Usage) plus(v Usage) Usage {
	return Usage{Input: u.Input + v.Input, Output: u.Output + v.Output, Total: u.Total + v.Total}
}
