//go:build linux

package main

import (
	"encoding/json"
	"testing"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/search"
)

// The model answers each question of the agents that are measured by the question's schema: an
// answer that is refused would measure something else.
func TestModelAnswersBySchema(t *testing.T) {
	m, err := newModel()
	if err != nil {
		t.Fatal(err)
	}
	defer m.server.Close()
	ofPhotos, err := analyze.Questions(analyze.Models{Image: "a", Judge: "b"})
	if err != nil {
		t.Fatal(err)
	}
	ofSearches, err := search.Questions("a")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range append(append([]agent.Question{}, ofPhotos...), ofSearches...) {
		schema, err := json.Marshal(q.Schema)
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Candidates []struct {
				Content struct{ Parts []struct{ Text string } }
			}
		}
		if err := json.Unmarshal(m.generated([]byte(`{"responseJsonSchema":`+string(schema)+`}`)), &answer); err != nil {
			t.Fatal(err)
		}
		resolved, err := q.Schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		text := answer.Candidates[0].Content.Parts[0].Text
		if json.Unmarshal([]byte(text), &fields) != nil || resolved.Validate(fields) != nil {
			t.Errorf("%s is answered %s: %v", q.Step, text, resolved.Validate(fields))
		}
	}
}
