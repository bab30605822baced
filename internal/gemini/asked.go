package gemini

import (
	"encoding/json"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// WireSchema is s as it is sent, in responseJsonSchema.
func WireSchema(s *jsonschema.Schema) (json.RawMessage, error) { return wireSchema(s) }

// WireThinking is how much a model is asked to think as it is sent, in thinkingConfig:
// a level or a budget, nothing of a model that takes neither.
func WireThinking(t Thinking, model string) (json.RawMessage, error) {
	return json.Marshal(thinkingConfig(t, model))
}

// SignsThoughts reports that a model signs its calls of functions, and refuses those of
// the turn under way without their signatures: all of Gemini 3
// (ai.google.dev/gemini-api/docs/thought-signatures).
func SignsThoughts(model string) bool { return strings.HasPrefix(baseName(model), "gemini-3") }
