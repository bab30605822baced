package llm

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"example.com/whatis/internal/agent"
)

// A Template is an instruction with places that a session fills. {key} takes
// the session's value under key, and a missing one is an error; {key?} is empty
// when there is none. Every other brace stays as it is.
type Template struct {
	pieces []piece
}

// A piece is literal text, or, with a key, a place to fill.
type piece struct {
	text     string
	key      string
	optional bool
}

var place = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)(\??)\}`)

// NewTemplate parses text.
func NewTemplate(text string) *Template {
	var t Template
	end := 0
	for _, m := range place.FindAllStringSubmatchIndex(text, -1) {
		t.pieces = append(t.pieces, piece{text: text[end:m[0]]},
			piece{key: text[m[2]:m[3]], optional: m[4] < m[5]})
		end = m[1]
	}
	t.pieces = append(t.pieces, piece{text: text[end:]})
	return &t
}

// Render fills the template from s. Strings stand as they are, other values as
// JSON.
func (t *Template) Render(s *agent.Session) (string, error) {
	var b strings.Builder
	for _, p := range t.pieces {
		if p.key == "" {
			b.WriteString(p.text)
			continue
		}
		v, ok := s.Value(p.key)
		if !ok && p.optional {
			continue
		}
		if !ok {
			return "", fmt.Errorf("llm: the instruction needs {%s}, which no earlier step has set", p.key)
		}
		text, err := render(v)
		if err != nil {
			return "", fmt.Errorf("llm: {%s}: %w", p.key, err)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func render(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	b, err := json.Marshal(v)
	return string(b), err
}
