// Package ollamatest is a server that speaks Ollama's API by its own types, for tests.
//
// It is as strict as the types allow: unknown fields are refused, and so are models that were
// not pulled, pictures that cannot be decoded, pictures, functions and thinking for models
// without them, prompts that exceed the context, and schemas that are none. Messages and
// statuses are those of github.com/ollama/ollama v0.17.4, server/routes.go. What a model
// answers is said by a function.
package ollamatest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "golang.org/x/image/webp"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
)

// Reply is what a model answers.
type Reply struct {
	Text   string
	Calls  []api.ToolCall
	Reason string // stop unless it says otherwise
	Broken bool   // the connection ends in the middle
	Status int    // an error with that HTTP status, whose message is Text
}

// Server is a running server.
type Server struct {
	URL string
	// Answer is what every model answers; ctx ends when the client leaves.
	Answer func(ctx context.Context, r *api.ChatRequest) Reply
	// Embed returns the vector of a text.
	Embed func(text string) []float32

	models map[string]Pulled
	mu     sync.Mutex
	asked  []api.ChatRequest
	left   int // requests whose client left before the answer
	loaded map[string]bool
}

// Pulled describes a model that the server has.
type Pulled struct {
	Able   []model.Capability
	Length int // of its vectors
}

// Models that describe pictures, and that make vectors as long as the catalogue's.
var (
	Sees   = Pulled{Able: []model.Capability{model.CapabilityCompletion, model.CapabilityVision}}
	Embeds = Pulled{Able: []model.Capability{model.CapabilityEmbedding}, Length: 768}
)

// Start serves the models until the test ends.
func Start(tb testing.TB, models map[string]Pulled) *Server {
	s := &Server{models: models, loaded: map[string]bool{}, Answer: func(context.Context, *api.ChatRequest) Reply { return Reply{} }}
	mux := http.NewServeMux()
	mux.HandleFunc("HEAD /{$}", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /api/show", s.show)
	mux.HandleFunc("POST /api/chat", s.chat)
	mux.HandleFunc("POST /api/embed", s.embed)
	mux.HandleFunc("GET /api/ps", s.running)
	server := httptest.NewServer(mux)
	tb.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Asked returns the chats that were asked so far.
func (s *Server) Asked() []api.ChatRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Left returns how many clients left before their answer.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": message})
}

func send(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v)
}

// read decodes a request without unknown fields, and finds its model.
func (s *Server) read(w http.ResponseWriter, r *http.Request, into any, name *string) (m Pulled, ok bool) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = strictly(body, into)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return m, false
	}
	if m, ok = s.models[*name]; !ok {
		refuse(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", *name))
	}
	return m, ok
}

// strictly decodes body without unknown fields. A message decodes itself, with any fields:
// its own are looked at once more.
func strictly(body []byte, into any) error {
	type message api.Message
	var parts struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(body, &parts); err != nil {
		return err
	}
	for _, raw := range parts.Messages {
		if err := decode(raw, new(message)); err != nil {
			return err
		}
	}
	return decode(body, into)
}

func decode(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	var q api.ShowRequest
	if m, ok := s.read(w, r, &q, &q.Model); ok {
		send(w, api.ShowResponse{Capabilities: m.Able, ModelInfo: map[string]any{"general.architecture": "x", "x.embedding_length": m.Length}})
	}
}

// Size is how many bytes a loaded model takes.
const Size = 3 << 30

// load notes that a model has been asked. Ollama keeps it loaded, here for good.
func (s *Server) load(name string) {
	if !strings.Contains(name, ":") {
		name += ":latest" // as Ollama lists it
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loaded[name] = true
}

func (s *Server) running(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all api.ProcessResponse
	for _, name := range slices.Sorted(maps.Keys(s.loaded)) {
		all.Models = append(all.Models, api.ProcessModelResponse{Name: name, Model: name, Size: Size, SizeVRAM: Size / 3, ContextLength: 4096})
	}
	send(w, all)
}

func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	var q api.EmbedRequest
	m, ok := s.read(w, r, &q, &q.Model)
	if !ok {
		return
	}
	s.load(q.Model)
	text, ok := q.Input.(string)
	if !ok {
		refuse(w, http.StatusBadRequest, "invalid input type")
		return
	}
	vector := make([]float32, m.Length)
	vector[len(text)%m.Length] = 1
	if s.Embed != nil {
		vector = s.Embed(text)
	}
	send(w, api.EmbedResponse{Model: q.Model, Embeddings: [][]float32{vector}, PromptEvalCount: len(text) / 4})
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	var q api.ChatRequest
	m, ok := s.read(w, r, &q, &q.Model)
	if !ok {
		return
	}
	schema, err := accepted(&q, m)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.load(q.Model)
	s.mu.Lock()
	s.asked = append(s.asked, q)
	s.mu.Unlock()
	reply := s.Answer(r.Context(), &q)
	switch {
	case r.Context().Err() != nil:
		s.mu.Lock()
		s.left++
		s.mu.Unlock()
	case reply.Status != 0:
		refuse(w, reply.Status, reply.Text)
	case schema != nil && reply.Reason == "" && !reply.Broken && !fits(schema, reply.Text):
		refuse(w, http.StatusInternalServerError, "ollamatest: the scripted answer does not fit the format: "+reply.Text)
	default:
		stream(w, &q, reply)
	}
}

// accepted refuses a chat as Ollama does, and returns the schema of its format.
func accepted(q *api.ChatRequest, m Pulled) (*jsonschema.Resolved, error) {
	switch {
	case !slices.Contains(m.Able, model.CapabilityCompletion):
		return nil, fmt.Errorf("%q does not support chat", q.Model)
	case len(q.Tools) > 0 && !slices.Contains(m.Able, model.CapabilityTools):
		return nil, fmt.Errorf("registry.ollama.ai/library/%s does not support tools", q.Model)
	case q.Think.Bool() && !slices.Contains(m.Able, model.CapabilityThinking):
		return nil, fmt.Errorf("%q does not support thinking", q.Model)
	}
	const badImage = "Failed to load image or audio file" // as Ollama writes it
	letters := 0
	for _, message := range q.Messages {
		letters += len(message.Content)
		if !slices.Contains([]string{"system", "user", "assistant", "tool"}, message.Role) {
			return nil, fmt.Errorf("invalid role %q", message.Role)
		}
		for _, picture := range message.Images {
			if _, _, err := image.DecodeConfig(bytes.NewReader(picture)); err != nil {
				return nil, api.StatusError{ErrorMessage: badImage}
			}
			if !slices.Contains(m.Able, model.CapabilityVision) {
				return nil, errors.New("this model is missing data required for image input")
			}
		}
	}
	if err := (&api.Options{}).FromMap(q.Options); err != nil {
		return nil, err
	}
	if seen, ok := q.Options["num_ctx"].(float64); ok && q.Truncate != nil && !*q.Truncate && letters/4 > int(seen) {
		return nil, errors.New("the input length exceeds the context length")
	}
	return schemaOf(q.Format)
}

func schemaOf(format json.RawMessage) (*jsonschema.Resolved, error) {
	switch string(format) {
	case "", "null", `""`, `"json"`:
		return nil, nil
	}
	if format[0] != '{' {
		return nil, fmt.Errorf("invalid format: %q; expected \"json\" or a valid JSON Schema object", format)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(format, &schema); err != nil {
		return nil, errors.New("invalid JSON schema in format")
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, errors.New("invalid JSON schema in format")
	}
	return resolved, nil
}

// fits reports whether text is what the grammar of a schema lets a model write.
func fits(schema *jsonschema.Resolved, text string) bool {
	var v any
	return json.Unmarshal([]byte(text), &v) == nil && schema.Validate(v) == nil
}

// pieceLength is how much of an answer one line of the stream has, in runes.
const pieceLength = 7

// stream writes a reply as NDJSON, as a model writes it.
func stream(w http.ResponseWriter, q *api.ChatRequest, reply Reply) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	line := func(piece api.ChatResponse) {
		piece.Model, piece.CreatedAt, piece.Message.Role = q.Model, time.Now().UTC(), "assistant"
		_ = json.NewEncoder(w).Encode(piece)
		_ = http.NewResponseController(w).Flush()
	}
	for piece := range slices.Chunk([]rune(reply.Text), pieceLength) {
		line(api.ChatResponse{Message: api.Message{Content: string(piece)}})
	}
	if len(reply.Calls) > 0 {
		line(api.ChatResponse{Message: api.Message{ToolCalls: reply.Calls}})
	}
	if reply.Broken {
		panic(http.ErrAbortHandler)
	}
	reason := reply.Reason
	if reason == "" {
		reason = "stop"
	}
	line(api.ChatResponse{Done: true, DoneReason: reason, Metrics: api.Metrics{PromptEvalCount: 1 + len(q.Messages), EvalCount: 1 + len(strings.Fields(reply.Text))}})
}
