package gemini

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Changes of a valid request that Google refuses: with 400, or 404 for the model, and a
// message that names the field.
func TestWhatGoogleRefuses(t *testing.T) {
	type object = map[string]any
	unchanged := func(object) {}
	for _, tt := range []struct {
		name   string
		model  string // "" means the recorded one
		only   string // only this service, "" for both
		change func(object)
		status int
		names  string
	}{
		{"the request itself", "", "", unchanged, 200, ""},
		{"a newer model of the same kind", "gemini-3.8-flash", "", thinking(object{"thinkingLevel": "LOW"}), 200, ""},
		{"an older one", "gemini-2.5-flash", "gemini_api", thinking(object{"thinkingBudget": 0}), 200, ""},
		{"a level in lower case", "", "", thinking(object{"thinkingLevel": "low"}), 200, ""},
		{"search with a schema", "", "gemini_api", searchToo, 200, ""},
		{"a last turn of the model on 3.5 Flash", "gemini-3.5-flash", "", lastTurn, 200, ""},

		{"no such model", "gemini-9.9-imaginary", "", unchanged, 404, "gemini-9.9-imaginary"},
		{"a retired one", "gemini-2.5-flash", "vertex", unchanged, 404, "gemini-2.5-flash"},
		{"a model that embeds", "gemini-embedding-2", "", unchanged, 404, "gemini-embedding-2"},
		{"an unknown field", "", "", put("temprature", 1, "generationConfig"), 400, "temprature"},
		{"an unknown field of a part", "", "", put("colour", "red", "contents", 0, "parts", 0), 400, "colour"},
		{"level and budget", "", "", thinking(object{"thinkingLevel": "LOW", "thinkingBudget": 0}), 400, "thinking_budget"},
		{"a level that is none", "", "", thinking(object{"thinkingLevel": "NONSENSE"}), 400, "thinking_level"},
		{"minimal on 3.8", "gemini-3.8-flash", "", unchanged, 400, "thinking_level"},
		{"a level on 2.5", "gemini-2.5-flash", "gemini_api", unchanged, 400, "thinking_level"},
		{"no thought on 2.5 Pro", "gemini-2.5-pro", "gemini_api", thinking(object{"thinkingBudget": 0}), 400, "thinking_budget"},
		{"no thought on 3.5 Flash-Lite", lite, "", thinking(object{"thinkingBudget": 0}), 400, "thinking_budget"},
		{"search with a schema on 2.5", "gemini-2.5-flash-lite", "gemini_api",
			func(b object) { thinking(object{"thinkingBudget": 0})(b); searchToo(b) }, 400, "tools"},
		{"search with a schema on Vertex AI", "", "vertex", searchToo, 400, "tools"},
		{"a type that is none", "", "", inSchema("type", "text"), 400, "response_json_schema.type"},
		{"required and not defined", "", "", inSchema("required", []any{"nowhere"}), 400, "required[0]"},
		{"ordered and not defined", "", "", inSchema("propertyOrdering", []any{"nowhere"}), 400, "propertyOrdering[0]"},
		{"an enum with nothing", "", "", inSchema("enum", []any{"a", ""}), 400, "enum[1]"},
		{"bounds the wrong way round", "", "", inSchema("minItems", 3, "maxItems", 2), 400, "minItems"},
		{"a schema of plain text", "", "", put("responseMimeType", "text/plain", "generationConfig"), 400, "response_mime_type"},
		{"two schemas", "", "", put("responseSchema", object{"type": "STRING"}, "generationConfig"), 400, "response_schema"},
		{"a last turn of the model on 3.6 Flash", "", "", lastTurn, 400, "contents"},
		{"a last turn of the model on 3.5 Flash-Lite", lite, "", lastTurn, 400, "contents"},
		{"no contents", "", "", put("contents", []any{}), 400, "contents"},
		{"no parts", "", "", put("parts", []any{}, "contents", 0), 400, "contents[0].parts"},
		{"a part of nothing", "", "", put("parts", []any{object{}}, "contents", 0), 400, "contents[0].parts[0]"},
		{"a role that is none", "", "", put("role", "system", "contents", 0), 400, "contents[0].role"},
		{"a GIF", "", "", put("mimeType", "image/gif", "contents", 0, "parts", 1, "inlineData"), 400, "mime_type"},
		{"no base64", "", "", put("data", "***", "contents", 0, "parts", 1, "inlineData"), 400, "data"},
		{"an answer of no length", "", "gemini_api", put("maxOutputTokens", -1, "generationConfig"), 400, "max_output_tokens"},
		{"an answer of no length", "", "vertex", put("maxOutputTokens", -1, "generationConfig"), 400, "maxOutputTokens"},
		{"store on Vertex AI", "", "vertex", put("store", false), 400, "store"},
	} {
		for _, service := range services {
			if tt.only != "" && tt.only != service {
				continue
			}
			t.Run(tt.name+" on "+service, func(t *testing.T) {
				call, _ := record(t, service)
				checkSent(t, call, tt.model, "", tt.change, tt.status, tt.names)
			})
		}
	}
}

// The same for embeddings.
func TestWhatGoogleRefusesToEmbed(t *testing.T) {
	type object = map[string]any
	batchOf := func(n int) func(object) {
		return func(b object) { b["requests"] = slices.Repeat(b["requests"].([]any), n) }
	}
	for _, tt := range []struct {
		name, service, model string
		change               func(object)
		status               int
		names                string
	}{
		{"the request itself", "gemini_api", "", func(object) {}, 200, ""},
		{"the request itself", "vertex", "", func(object) {}, 200, ""},
		{"100 parts", "gemini_api", "", batchOf(100), 200, ""},
		{"101 parts", "gemini_api", "", batchOf(101), 400, "100"},
		{"no parts", "gemini_api", "", put("requests", []any{}), 400, "requests"},
		{"a task", "gemini_api", "", put("taskType", "SEMANTIC_SIMILARITY", "requests", 0), 200, ""},
		{"no such task", "gemini_api", "", put("taskType", "GUESSING", "requests", 0), 400, "task_type"},
		{"no such task", "vertex", "", put("taskType", "GUESSING", "embedContentConfig"), 400, "task_type"},
		{"another model in the batch", "gemini_api", "", put("model", "models/gemini-embedding-001", "requests", 0), 400, "requests[0].model"},
		{"a model that generates", "gemini_api", judge, func(object) {}, 404, judge},
		{"a model that generates", "vertex", judge, func(object) {}, 404, judge},
		{"no such model", "vertex", "gemini-embedding-99", func(object) {}, 404, "gemini-embedding-99"},
		{"two contents", "vertex", "", put("content", []any{object{}, object{}}), 400, "content"},
		{"too many dimensions", "vertex", "", put("outputDimensionality", 4000, "embedContentConfig"), 400, "output_dimensionality"},
	} {
		t.Run(tt.name+" on "+tt.service, func(t *testing.T) {
			_, call := record(t, tt.service)
			checkSent(t, call, tt.model, "gemini-embedding-2", tt.change, tt.status, tt.names)
		})
	}
}

// checkSent sends a changed call and checks the response. was is the recorded model, "" for
// the one under test.
func checkSent(t *testing.T, call recordedCall, model, was string, change func(map[string]any), status int, names string) {
	t.Helper()
	body, path := call.fields(t), call.path
	change(body)
	if was == "" {
		was = judge
	}
	if model != "" {
		path = strings.Replace(path, was, model, 1)
	}
	got, message := call.send(t, path, body)
	if got != status || !strings.Contains(message, names) {
		t.Errorf("POST %s = %d %q, want %d and %q named", path, got, message, status, names)
	}
}

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
