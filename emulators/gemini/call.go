package gemini

import (
	"slices"
	"sync"
	"time"
)

// Kind is the sort of a model call, told from what the request asks for.
type Kind string

// Kinds that the wire tells by itself. All others are named by a Responder.
const (
	KindEmbed Kind = "embed" // any embedding method
	KindSpeak Kind = "speak" // what a model is to say aloud
	KindOther Kind = "other" // what no responder knows, countTokens and models included
)

// Request is what a call asked for.
type Request struct {
	// Method is the verb of the path: generateContent, streamGenerateContent,
	// batchEmbedContents, embedContent, predict, countTokens, models.list or
	// models.get.
	Method string `json:"method"`
	Model  string `json:"model"`
	Kind   Kind   `json:"kind"`
	Vertex bool   `json:"vertex"`
	// Tier is the service tier that it asks for: flex, priority, or "" for standard.
	Tier string `json:"tier,omitempty"`
	// Search is set when the request has the google_search tool, Schema when
	// it has a response schema, which is ResponseSchema.
	Search bool `json:"search"`
	// JSON is set when the answer is to be JSON, with a schema or without.
	JSON           bool           `json:"json"`
	Schema         bool           `json:"schema"`
	ResponseSchema map[string]any `json:"-"`
	// System is the text of the system instruction.
	System string `json:"system,omitempty"`
	// Turns is how many contents there are.
	Turns int `json:"turns,omitempty"`
	// Functions are the names of the functions that the model may call, Dialog is the
	// conversation so far, in order.
	Functions []string   `json:"functions,omitempty"`
	Dialog    []Said     `json:"-"`
	Declared  []Function `json:"-"` // the same functions, with what is said of them
	// MaxTokens limits the answer; 0 is the model's own limit.
	MaxTokens int `json:"-"`
	// Texts holds the text parts in order; for embeddings one per content.
	Texts  []string `json:"texts"`
	Inline []Inline `json:"inline"`

	// Voice and Language are the settings of a speech model.
	Voice    string `json:"voice,omitempty"`
	Language string `json:"language,omitempty"`

	also            []Kind // further names of its kind
	functionSchemas []map[string]any
}

// Is reports whether the request is of kind k.
func (r *Request) Is(k Kind) bool { return r.Kind == k || slices.Contains(r.also, k) }

// Inline describes one inlineData part.
type Inline struct {
	MIMEType string `json:"mime_type"`
	Bytes    int    `json:"bytes"`
	SHA256   string `json:"sha256"` // lower-case hexadecimal

	Data    []byte `json:"-"` // nil in the log
	Content int    `json:"-"` // which of the contents has it, from 0
}

// Call is one request the emulator received and how it ended. It is logged
// just before its answer is written, so a client that has the answer finds the call.
type Call struct {
	Request
	// RequestBytes is the length of the request body.
	RequestBytes int `json:"request_bytes"`
	// Status is the HTTP status answered; 0 when a fault answered nothing.
	Status int `json:"status"`
	// Fault names the fault the call met, "" for none.
	Fault FaultType `json:"fault,omitempty"`
	// Usage is what the answer claims to have used; nil without an answer.
	Usage *Usage    `json:"usage,omitempty"`
	Start time.Time `json:"start"`
	// Duration runs from the arrival of the headers to the first byte of the
	// answer.
	Duration time.Duration `json:"duration_ns"`
}

// maxCalls bounds the log; the oldest calls leave it first.
const maxCalls = 10_000

type callLog struct {
	mu    sync.Mutex
	calls []Call
}

func (l *callLog) add(c Call) {
	c.Inline = slices.Clone(c.Inline)
	for i := range c.Inline {
		c.Inline[i].Data = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.calls) == maxCalls {
		l.calls = slices.Delete(l.calls, 0, maxCalls/10)
	}
	l.calls = append(l.calls, c)
}

// Calls returns the calls logged so far, ordered by arrival.
func (s *Server) Calls() []Call {
	s.log.mu.Lock()
	calls := slices.Clone(s.log.calls)
	s.log.mu.Unlock()
	slices.SortStableFunc(calls, func(a, b Call) int { return a.Start.Compare(b.Start) })
	return calls
}

// ResetCalls empties the log.
func (s *Server) ResetCalls() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.log.calls = nil
}
