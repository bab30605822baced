package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A node is a value of the document, and where it stands.
type node struct {
	at    string
	value any
}

// eachSchema calls f with every schema below n, and with what a schema says of each of
// its properties.
func (n node) eachSchema(f func(node)) {
	switch v := n.value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			child := node{n.at + "/" + key, v[key]}
			switch key {
			case "schema", "items":
				f(child)
			case "properties", "schemas":
				for name, s := range v[key].(map[string]any) {
					f(node{child.at + "/" + name, s})
				}
			case "example", "examples", "x-problem-codes", "enum":
				continue
			}
			child.eachSchema(f)
		}
	case []any:
		for i, one := range v {
			node{fmt.Sprint(n.at, "/", i), one}.eachSchema(f)
		}
	}
}

// The document keeps to what generators of clients take: nothing is of any kind or of
// several, and every field says what it is.
func TestDocumentForGenerators(t *testing.T) {
	t.Parallel()
	node{"", read[any](t, complete())}.eachSchema(func(n node) {
		s, ok := n.value.(map[string]any)
		if !ok || len(s) == 0 {
			t.Errorf("%s is %v, want a schema", n.at, n.value)
			return
		}
		if kinds, several := s["type"].([]any); several || s["anyOf"] != nil {
			t.Errorf("%s is of the types %v %v, want one", n.at, kinds, s["anyOf"])
		}
		if folder := filepath.Base(filepath.Dir(n.at)); folder == "properties" && s["description"] == nil {
			t.Errorf("%s is not described: add a line to openapi_fields.txt, or a tag jsonschema", n.at)
		}
	})
}

// Every line of descriptions is used.
func TestFieldLines(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("openapi_fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	body := complete()
	for line := range strings.Lines(string(data)) {
		_, what, ok := strings.Cut(strings.TrimSpace(line), ": ")
		quoted, _ := json.Marshal(what)
		if !ok || !strings.Contains(body, `"description": `+strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(quoted))) {
			t.Errorf("%q describes no field", line)
		}
	}
}

// Operations have names of their own, and parts of the document that are described.
func TestOperations(t *testing.T) {
	t.Parallel()
	d := read[struct {
		Tags  []struct{ Name, Description string }
		Paths map[string]map[string]struct {
			ID         string `json:"operationId"`
			Tags       []string
			Summary    string
			Parameters []struct{ Name, Description string }
		}
	}](t, complete())
	tags, ids := map[string]bool{}, map[string]string{}
	for _, tag := range d.Tags {
		tags[tag.Name] = tag.Description != ""
	}
	name := regexp.MustCompile(`^[a-z][A-Za-z0-9]+$`)
	for path, methods := range d.Paths {
		for method, o := range methods {
			at := method + " " + path
			if !name.MatchString(o.ID) || ids[o.ID] != "" || o.Summary == "" || len(o.Tags) != 1 || !tags[o.Tags[0]] {
				t.Errorf("%s has the ID %q as %q, the summary %q and the tags %q; want one of its own, one, and one that is described", at, o.ID, ids[o.ID], o.Summary, o.Tags)
			}
			ids[o.ID] = at
			for _, p := range o.Parameters {
				if p.Description == "" {
					t.Errorf("%s: the parameter %s is not described", at, p.Name)
				}
			}
		}
	}
	examples, err := os.ReadFile("openapi_examples.json")
	if err != nil {
		t.Fatal(err)
	}
	for id := range read[map[string]any](t, string(examples)) {
		if ids[id] == "" {
			t.Errorf("there is an example for %s, which is no operation", id)
		}
	}
}

// Every operation is described and has examples: of its JSON, in and out,
// or of a text. What answers with pictures or sound, or with nothing, has one of its address.
func TestOperationsHaveExamples(t *testing.T) {
	t.Parallel()
	type body map[string]struct{ Example json.RawMessage }
	type operation struct {
		ID          string `json:"operationId"`
		Description string
		Parameters  []struct {
			In     string
			Schema struct{ Examples []any }
		}
		RequestBody struct{ Content body }
		Responses   map[string]struct{ Content body }
	}
	for path, methods := range read[struct {
		Paths map[string]map[string]operation
	}](t, complete()).Paths {
		for _, o := range methods {
			if o.Description == "" {
				t.Errorf("%s has no description: give its route a More", o.ID)
			}
			good := o.Responses["200"].Content
			if good == nil {
				good = o.Responses["202"].Content
			}
			examples := 0
			for what, content := range map[string]body{"request": o.RequestBody.Content, "answer": good} {
				for kind, media := range content {
					switch {
					case media.Example != nil:
						examples++
					case kind == "application/json":
						t.Errorf("%s has no example of its %s: add it to openapi_examples.json", o.ID, what)
					}
				}
			}
			for _, p := range o.Parameters {
				if p.In == "path" {
					examples += len(p.Schema.Examples)
				}
			}
			if examples == 0 {
				t.Errorf("%s (%s) has no example", o.ID, path)
			}
		}
	}
}
