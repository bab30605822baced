package agent

import (
	"encoding/json"
	"fmt"
)

// A Rendering is an output for people: what matters of it in words, and links.
type Rendering struct {
	Text  string
	Links []Link
}

// A Link is something that an output names and that can be opened, such as a picture.
type Link struct {
	URL       string // or a path of the API
	Name      string
	MediaType string
}

// renders is implemented by outputs that can be rendered.
type renders interface{ Render() Rendering }

// rendererOf returns a function that renders outputs of a type; nil if that has no method
// Render() Rendering.
func rendererOf[Out any](skill string) func(json.RawMessage) (Rendering, error) {
	if _, ok := any(*new(Out)).(renders); !ok {
		return nil
	}
	return func(data json.RawMessage) (Rendering, error) {
		var out Out
		if err := json.Unmarshal(data, &out); err != nil {
			return Rendering{}, fmt.Errorf("agent: the output of %s: %w", skill, err)
		}
		return any(out).(renders).Render(), nil
	}
}
