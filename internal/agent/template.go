package agent

import (
	"fmt"
	"regexp"
	"strings"
)

// A template is an instruction with placeholders. {key} is replaced by the value of
// key, and a missing value is an error; {key?} is empty without a value. Every other
// brace stays as it is.
type template struct {
	pieces []piece
}

// Values are the values of a template's placeholders, by key.
type Values map[string]string

// A piece is literal text, or, with a key, a placeholder.
type piece struct {
	text     string
	key      string
	optional bool
}

var slot = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)(\??)\}`)

// newTemplate parses text.
func newTemplate(text string) *template {
	var t template
	end := 0
	for _, m := range slot.FindAllStringSubmatchIndex(text, -1) {
		t.pieces = append(t.pieces, piece{text: text[end:m[0]]},
			piece{key: text[m[2]:m[3]], optional: m[4] < m[5]})
		end = m[1]
	}
	t.pieces = append(t.pieces, piece{text: text[end:]})
	return &t
}

// Fill returns the text with the values of v.
func (t *template) Fill(v Values) (string, error) {
	var b strings.Builder
	for _, p := range t.pieces {
		if p.key == "" {
			b.WriteString(p.text)
			continue
		}
		value, ok := v[p.key]
		if !ok && !p.optional {
			return "", fmt.Errorf("agent: the instruction needs a value for {%s}", p.key)
		}
		b.WriteString(value)
	}
	return b.String(), nil
}
