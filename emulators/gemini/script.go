package gemini

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Answer is a scripted answer. Kind, Model, Contains and Match choose the call
// it is for; the rest is what that call gets. An answer that chooses nothing
// goes to the next generate call; an embedding call takes only answers of
// KindEmbed.
type Answer struct {
	Kind  Kind   `json:"kind,omitempty"`
	Model string `json:"model,omitempty"`
	// Contains has to occur in one of the request's texts.
	Contains string `json:"contains,omitempty"`
	// Match must not call the Server.
	Match func(*Request) bool `json:"-"`

	// JSON is marshalled into the text of the answer; Text is used as it is.
	// At most one of the two is set.
	JSON any    `json:"json,omitempty"`
	Text string `json:"text,omitempty"`
	// AtALoss says that the model knows the request and has no answer to it.
	AtALoss bool `json:"at_a_loss,omitempty"`
	// Calls are calls of functions, after the text if there is one.
	Calls []FunctionCall `json:"calls,omitempty"`
	// Signature is the thoughtSignature of the first call, or without calls that of
	// an empty part after the text, as Gemini 3 sends it. Calls of Gemini 3 have one
	// without it being scripted.
	Signature []byte `json:"signature,omitempty"`
	// Audio is the sound of a KindSpeak answer, as AudioType says. Without that type it
	// is samples as a Speaker makes them, and is sent as the model does.
	Audio     []byte `json:"audio,omitempty"`
	AudioType string `json:"audio_type,omitempty"`
	// Embeddings are the vectors of a KindEmbed answer, one per content.
	Embeddings [][]float32 `json:"embeddings,omitempty"`
	Grounding  *Grounding  `json:"grounding,omitempty"`
	// FinishReason defaults to STOP.
	FinishReason string `json:"finish_reason,omitempty"`
	// BlockReason, when set, leaves no candidates: the prompt was blocked.
	BlockReason string `json:"block_reason,omitempty"`
	// Usage replaces the counted usage.
	Usage        *Usage `json:"usage,omitempty"`
	ModelVersion string `json:"model_version,omitempty"`
	// Fault happens to this call: before the answer, or to it. Where nothing
	// but a fault is scripted the answer is the honest one.
	Fault *Fault `json:"fault,omitempty"`
}

// A FunctionCall asks the client to call a function; Gemini may leave its ID out.
type FunctionCall struct {
	ID   string         `json:"id,omitempty"`
	Name string         `json:"name"`
	Args map[string]any `json:"args,omitempty"`
}

// Script queues answers. A call takes the first queued answer that is for it;
// a call that finds none is answered honestly.
func (s *Server) Script(answers ...Answer) {
	s.script.mu.Lock()
	defer s.script.mu.Unlock()
	s.script.queue = append(s.script.queue, answers...)
}

// Scripted returns the number of queued answers no call has taken yet.
func (s *Server) Scripted() int {
	s.script.mu.Lock()
	defer s.script.mu.Unlock()
	return len(s.script.queue)
}

// ResetScript drops the queued answers.
func (s *Server) ResetScript() {
	s.script.mu.Lock()
	defer s.script.mu.Unlock()
	s.script.queue = nil
}

type script struct {
	mu    sync.Mutex
	queue []Answer
}

// take removes the first answer that is for r and returns it.
func (q *script) take(r *Request) (Answer, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.queue, func(a Answer) bool { return a.isFor(r) })
	if i < 0 {
		return Answer{}, false
	}
	a := q.queue[i]
	q.queue = slices.Delete(q.queue, i, i+1)
	return a, true
}

func (a Answer) isFor(r *Request) bool {
	switch {
	case a.Kind == "" && r.Kind == KindEmbed,
		a.Kind != "" && !r.Is(a.Kind),
		a.Model != "" && a.Model != r.Model,
		a.Contains != "" && !slices.ContainsFunc(r.Texts, func(t string) bool { return strings.Contains(t, a.Contains) }):
		return false
	}
	return a.Match == nil || a.Match(r)
}

// says reports that the script has an answer, not just a fault.
func (a Answer) says() bool {
	return a.Fault == nil || a.JSON != nil || a.Text != "" || a.Audio != nil || len(a.Calls) > 0 || a.BlockReason != "" || a.FinishReason != ""
}

// body returns the text of the answer.
func (a Answer) body() (string, error) {
	if a.JSON == nil {
		return a.Text, nil
	}
	return encode(a.JSON)
}

// encode renders v as compact JSON without escaping <, > and &.
func encode(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}
