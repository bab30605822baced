package gemini

import (
	"encoding/json"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// WireSchema returns s as it is sent in responseJsonSchema.
func WireSchema(s *jsonschema.Schema) (json.RawMessage, error) { return wireSchema(s) }

// WireThinking returns thinkingConfig as it is sent for t: a level, a budget, or nothing
// for a model that supports neither.
func WireThinking(t Thinking, model string) (json.RawMessage, error) {
	return json.Marshal(thinkingConfig(t, model))
}

// SignsThoughts reports whether a model signs its function calls, and refuses those of the
// current turn without signatures: all of Gemini 3
// (ai.google.dev/gemini-api/docs/thought-signatures).
func SignsThoughts(model string) bool { return strings.HasPrefix(baseName(model), "gemini-3") }
