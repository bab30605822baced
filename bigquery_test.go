package whatis

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/app"
)

// A column is one of a table of BigQuery, as its API has it.
type column struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Mode   string   `json:"mode"`
	Fields []column `json:"fields,omitempty"`
}

// notRows are fields of a result that no message of the topic has, or whose names are not
// known before: a map is no row.
var notRows = []string{"citations", "search_suggestions", "reviewed", "models"}

// The table of results has a column for each field of a published result, and those that
// Pub/Sub writes with write_metadata: the rest of what it knows is the JSON of attributes
// (docs.cloud.google.com/pubsub/docs/bigquery).
func TestResultsTable(t *testing.T) {
	want := columns(t, reflect.TypeFor[analyze.Result]())
	want = append(want, column{Name: "doubt", Type: "BOOLEAN", Mode: "NULLABLE"}, column{Name: "outcome", Type: "STRING", Mode: "NULLABLE"})
	for name, kind := range map[string]string{"subscription_name": "STRING", "message_id": "STRING", "publish_time": "TIMESTAMP", "attributes": "STRING"} {
		want = append(want, column{Name: name, Type: kind, Mode: "NULLABLE"})
	}
	slices.SortFunc(want, func(a, b column) int { return strings.Compare(a.Name, b.Name) })
	lines := make([]string, len(want))
	for i, c := range want {
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		lines[i] = string(line)
	}
	text := "[\n" + strings.Join(lines, ",\n") + "\n]\n"
	const path = "terraform/results.json"
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	held, err := os.ReadFile(path)
	if err != nil || string(held) != text {
		t.Errorf("%s is not what analyze.Result has: UPDATE_DOCS=1 go test -run TestResultsTable . writes it; %v", path, err)
	}
}

// columns returns those of a struct's fields.
func columns(t *testing.T, of reflect.Type) []column {
	t.Helper()
	var all []column
	for _, f := range reflect.VisibleFields(of) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || f.Anonymous || name == "" || name == "-" || slices.Contains(notRows, name) {
			continue
		}
		all = append(all, columnOf(t, name, f.Type, strings.Contains(options, "string")))
	}
	return all
}

func columnOf(t *testing.T, name string, of reflect.Type, quoted bool) column {
	t.Helper()
	c := column{Name: name, Mode: "NULLABLE"}
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Array {
		if of.Kind() != reflect.Pointer {
			if c.Mode == "REPEATED" {
				t.Errorf("%s is a list of lists, which BigQuery has not", name)
			}
			c.Mode = "REPEATED"
		}
		of = of.Elem()
	}
	switch kind := of.Kind(); {
	case of == reflect.TypeFor[time.Time]():
		c.Type = "TIMESTAMP"
	case quoted || kind == reflect.String:
		c.Type = "STRING"
	case kind == reflect.Bool:
		c.Type = "BOOLEAN"
	case kind == reflect.Float64:
		c.Type = "FLOAT"
	case kind >= reflect.Int && kind <= reflect.Int64:
		c.Type = "INTEGER"
	case kind == reflect.Struct:
		c.Type, c.Fields = "RECORD", columns(t, of)
	default:
		t.Errorf("%s is a %s, for which there is no column", name, of)
	}
	return c
}

// Results as they are published fit the table: each field has a column of its type, and none
// is null, which a REPEATED column does not take.
func TestResultsFitTheTable(t *testing.T) {
	text, err := os.ReadFile("terraform/results.json")
	if err != nil {
		t.Fatal(err)
	}
	var table []column
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	w := emulate.Start(t)
	for _, line := range append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "K_SERVICE=", "GOOGLE_GENAI_USE_VERTEXAI=",
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding") {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
	}
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	api := app.New(c).API()
	for _, s := range samples.All() {
		got := httptest.NewRecorder()
		api.ServeHTTP(got, httptest.NewRequest("POST", "/analyze?country=US&lang=en", bytes.NewReader(s.Bytes())))
		if got.Code != 200 {
			t.Fatalf("POST /analyze of %s = %d, %s", s.File, got.Code, got.Body)
		}
		fits(t, s.File, got.Body.Bytes(), table)
	}
	failed, err := json.Marshal(analyze.Result{Image: &analyze.Image{URI: "gs://uploads/a.jpg", Generation: 42}}.Failed("the model is gone", false))
	if err != nil {
		t.Fatal(err)
	}
	fits(t, "a failure", failed, table)
}

func fits(t *testing.T, of string, result []byte, table []column) {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(result, &fields); err != nil {
		t.Fatalf("%s: %v of %s", of, err, result)
	}
	for name, value := range fields {
		i := slices.IndexFunc(table, func(c column) bool { return c.Name == name })
		if i < 0 {
			if !slices.Contains(notRows, name) {
				t.Errorf("%s: %s has no column", of, name)
			}
			continue
		}
		values := []json.RawMessage{value}
		if table[i].Mode == "REPEATED" {
			if err := json.Unmarshal(value, &values); err != nil || values == nil {
				t.Errorf("%s: %s is %s, and its column REPEATED", of, name, value)
			}
		}
		for _, v := range values {
			var into any
			switch table[i].Type {
			case "RECORD":
				fits(t, of+", "+name, v, table[i].Fields)
				continue
			case "STRING":
				into = new(string)
			case "BOOLEAN":
				into = new(bool)
			case "FLOAT":
				into = new(float64)
			case "INTEGER":
				into = new(int64)
			case "TIMESTAMP":
				into = new(time.Time)
			}
			if err := json.Unmarshal(v, into); err != nil || string(v) == "null" {
				t.Errorf("%s: %s is %s, and its column %s", of, name, v, table[i].Type)
			}
		}
	}
}
