package gemini

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Each field that this client sends is checked by the emulator: with another name or a
// value of another type the request is refused.
func TestEachFieldSentIsJudged(t *testing.T) {
	for _, service := range services {
		generate, embed := record(t, service)
		for _, call := range []recordedCall{generate, embed} {
			for _, f := range fieldsOf("", call.fields(t)) {
				for _, how := range []string{"renamed", "retyped"} {
					body := call.fields(t)
					spoil(at(body, f.parent...).(map[string]any), f.name, how)
					if got, message := call.send(t, call.path, body); got != http.StatusBadRequest || !named(message, f.name) {
						t.Errorf("%s: %s %s = %d %q, want 400 and the field named", service, f.path, how, got, message)
					}
				}
			}
		}
	}
}

// named finds maxOutputTokens in a message that calls it max_output_tokens.
func named(message, field string) bool {
	return strings.Contains(strings.ToLower(strings.ReplaceAll(message, "_", "")), strings.ToLower(field))
}

type sentField struct {
	path   string
	parent []any
	name   string
}

// fieldsOf lists the fields of a body at all depths. A JSON Schema counts as one, because
// the service accepts unknown keywords in it.
func fieldsOf(path string, v any, parent ...any) (list []sentField) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = append(list, sentField{path + "." + name, slices.Clone(parent), name})
			if name != "responseJsonSchema" {
				list = append(list, fieldsOf(path+"."+name, v[name], append(slices.Clone(parent), name)...)...)
			}
		}
	case []any:
		for i, one := range v {
			list = append(list, fieldsOf(fmt.Sprintf("%s[%d]", path, i), one, append(slices.Clone(parent), i)...)...)
		}
	}
	return list
}

func spoil(parent map[string]any, name, how string) {
	if how == "renamed" {
		parent[name+"X"] = parent[name]
		delete(parent, name)
		return
	}
	switch parent[name].(type) {
	case string:
		parent[name] = map[string]any{"not": "text"}
	default:
		parent[name] = "not of this type"
	}
}
