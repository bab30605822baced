package gemini

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	emulator "example.com/whatis/emulators/gemini"
)

// A reading has two lists of observations and two confidences.
type reading struct {
	Lines           []line   `json:"lines"`
	Features        []string `json:"features"`
	Name            string   `json:"name"`
	NameConfidence  float64  `json:"name_confidence" minimum:"0" maximum:"1"`
	BrandConfidence float64  `json:"brand_confidence" minimum:"0" maximum:"1"`
	Count           int      `json:"count" minimum:"0"`
	Sold            bool     `json:"sold"`
	Price           *float64 `json:"price,omitempty"`
}

const clearReading = `{"lines":[{"text":"농심","clear":true}],"features":["red"],"name":"신라면","name_confidence":0.97,"brand_confidence":0.5,"count":2,"sold":true}`

func schemaOf[T any](t testing.TB) *jsonschema.Schema {
	t.Helper()
	schema, err := SchemaFor[T]()
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// with replaces each old by the new that follows it in clearReading.
func with(t *testing.T, oldNew ...string) string {
	t.Helper()
	text := clearReading
	for i := 0; i < len(oldNew); i += 2 {
		if strings.Count(text, oldNew[i]) != 1 {
			t.Fatalf("%s does not stand once in %s", oldNew[i], text)
		}
		text = strings.Replace(text, oldNew[i], oldNew[i+1], 1)
	}
	return text
}

// Answers that say what the schema asks for in another form are decoded as what they mean.
func TestDecodeOtherForms(t *testing.T) {
	const name, brand = `"name_confidence":0.97`, `"brand_confidence":0.5`
	tests := []struct{ name, text string }{
		{"a list of one", "[" + clearReading + "]"},
		{"a list of one, and text", "[" + clearReading + "]\nDone."},
		{"under result", `{"result":` + clearReading + `}`},
		{"under result, prose and a brace", `{"result":` + clearReading + `} trailing prose {`},
		{"under another key", `{"image_analysis":` + clearReading + `}`},
		{"a list under result", `{"result":[` + clearReading + `]}`},
		{"under result in a list", `[{"result":` + clearReading + `}]`},
		{"text after it", clearReading + " That is all."},
		{"text with brackets after it", clearReading + "\n(see [1] and {here})"},
		{"one brace too many", clearReading + "}"},
		{"text before it", "Here is the answer:\n" + clearReading},
		{"a fence that is only closed", clearReading + "\n```"},
		{"a fence, text after it", "```json\n" + clearReading + "\n```\nSource: {the pack}"},
		{"wrapped in a fence", "```json\n[" + clearReading + "]\n```"},
		{"confidences as texts", with(t, name, `"name_confidence":"0.97"`, brand, `"brand_confidence":" 0.50 "`)},
		{"a confidence as text", with(t, name, `"name_confidence":"0.97"`)},
		{"percentages", with(t, name, `"name_confidence":97`, brand, `"brand_confidence":50`)},
		{"percentages as texts", with(t, name, `"name_confidence":"97"`, brand, `"brand_confidence":"50"`)},
		{"percent signs", with(t, name, `"name_confidence":"97%"`, brand, `"brand_confidence":"50 %"`)},
		{"a percent sign and a percentage", with(t, name, `"name_confidence":"97%"`, brand, `"brand_confidence":50`)},
		{"an integer as text", with(t, `"count":2`, `"count":"2"`)},
		{"an integer with a fraction of 0", with(t, `"count":2`, `"count":2.0`)},
		{"yes", with(t, `"sold":true`, `"sold":"Yes"`)},
		{"true as text", with(t, `"sold":true`, `"sold":"true"`)},
		{"a boolean further down", with(t, `"clear":true`, `"clear":"TRUE"`)},
		{"all of it", `[{"result":` + with(t, name, `"name_confidence":"97"`, brand, `"brand_confidence":"50"`, `"count":2`, `"count":"2"`, `"sold":true`, `"sold":"yes"`) + `}] trailing prose {`},
	}
	want, err := decode[reading](clearReading, schemaOf[reading](t), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		if got, err := decode[reading](tt.text, schemaOf[reading](t), nil); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: decode(%s) = %+v, %v, want %+v", tt.name, tt.text, got, err, want)
		}
	}
}

// Single values in another form.
func TestDecodeOtherValues(t *testing.T) {
	const both = `"name_confidence":0.97,"brand_confidence":0.5`
	tests := []struct {
		old, new string
		got      func(reading) any
		want     any
	}{
		{`"sold":true`, `"sold":"no"`, func(r reading) any { return r.Sold }, false},
		{`"sold":true`, `"sold":"False"`, func(r reading) any { return r.Sold }, false},
		{`"sold":true`, `"sold":true,"price":"12.5"`, func(r reading) any { return *r.Price }, 12.5},
		{`"count":2`, `"count":"0"`, func(r reading) any { return r.Count }, 0},
		{both, `"name_confidence":97.5,"brand_confidence":0`, func(r reading) any { return r.NameConfidence }, 0.975},
		{both, `"name_confidence":97,"brand_confidence":5`, func(r reading) any { return r.BrandConfidence }, 0.05},
		{both, `"name_confidence":100,"brand_confidence":"0"`, func(r reading) any { return r.NameConfidence }, 1.0},
		{both, `"name_confidence":"1%","brand_confidence":"2%"`, func(r reading) any { return r.NameConfidence }, 0.01},
		{both, `"name_confidence":"1.0","brand_confidence":1`, func(r reading) any { return r.NameConfidence }, 1.0},
	}
	for _, tt := range tests {
		text := with(t, tt.old, tt.new)
		if got, err := decode[reading](text, schemaOf[reading](t), nil); err != nil || tt.got(got) != tt.want {
			t.Errorf("decode(%s) = %+v, %v, want %v", text, got, err, tt.want)
		}
	}
}

// Answers that are cut, ambiguous or of a wrong type are refused.
func TestDecodeRefuses(t *testing.T) {
	const both = `"name_confidence":0.97,"brand_confidence":0.5`
	tests := []struct{ name, text, want string }{
		{"two objects", clearReading + clearReading, "text after the JSON"},
		{"two objects and prose between", clearReading + " or " + clearReading, "text after the JSON"},
		{"a second object that is cut", clearReading + `{"li`, "text after the JSON"},
		{"an empty second object", clearReading + " {}", "text after the JSON"},
		{"a second object without quotes", clearReading + " {name: x}", "text after the JSON"},
		{"members behind the object", clearReading + `, "name": "another"}`, "text after the JSON"},
		{"a draft before it", `First {"name":"x"}, then ` + clearReading, "no JSON"},
		{"a list of two", "[" + clearReading + "," + clearReading + "]", "the answer is array"},
		{"a list of none", "[]", "the answer is array"},
		{"a list of one text", `["신라면"]`, "the answer is array"},
		{"two keys", `{"first":` + clearReading + `,"second":` + clearReading + `}`, "lines is missing"},
		{"a list that is cut", "[" + clearReading, "ends too early"},
		{"a wrapper that is cut", `{"result":` + clearReading, "ends too early"},
		{"a wrapped object that is cut", `{"result":` + clearReading[:80], "ends too early"},
		{"a field missing in a wrapper", `{"result":` + with(t, `"count":2,`, "") + `}`, "count is missing"},
		{"a percentage beside a share", with(t, both, `"name_confidence":"97","brand_confidence":0.97`), "name_confidence is 97, above 1"},
		{"a percent sign beside a share", with(t, both, `"name_confidence":"97%","brand_confidence":0.97`), "name_confidence is string"},
		{"a percentage beside 1", with(t, both, `"name_confidence":97,"brand_confidence":1`), "name_confidence is 97, above 1"},
		{"a scale to ten", with(t, both, `"name_confidence":9,"brand_confidence":7`), "name_confidence is 9, above 1"},
		{"above 100", with(t, both, `"name_confidence":970,"brand_confidence":50`), "name_confidence is 970, above 1"},
		{"below 0", with(t, both, `"name_confidence":97,"brand_confidence":-50`), "name_confidence is 97, above 1"},
		{"two percent signs", with(t, both, `"name_confidence":"97%%","brand_confidence":50`), "name_confidence is string"},
		{"a word for a number", with(t, both, `"name_confidence":"high","brand_confidence":0.5`), "name_confidence is string"},
		{"NaN as text", with(t, both, `"name_confidence":"NaN","brand_confidence":0.5`), "name_confidence is string"},
		{"NaN", with(t, both, `"name_confidence":NaN,"brand_confidence":0.5`), "no JSON"},
		{"infinite", with(t, both, `"name_confidence":"Infinity","brand_confidence":0.5`), "name_confidence is string"},
		{"null as text", with(t, both, `"name_confidence":"null","brand_confidence":0.5`), "name_confidence is string"},
		{"hexadecimal", with(t, `"count":2`, `"count":"0x2"`), "count is string"},
		{"a leading 0", with(t, `"count":2`, `"count":"02"`), "count is string"},
		{"a fraction for an integer", with(t, `"count":2`, `"count":"2.5"`), "count"},
		{"a unit", with(t, `"count":2`, `"count":"2 cans"`), "count is string"},
		{"an integer below its least", with(t, `"count":2`, `"count":"-2"`), "count is -2, below 0"},
		{"an empty text for a number", with(t, `"count":2`, `"count":""`), "count is string"},
		{"perhaps", with(t, `"sold":true`, `"sold":"perhaps"`), "sold is string"},
		{"1 for true", with(t, `"sold":true`, `"sold":1`), "sold is number"},
		{"\"1\" for true", with(t, `"sold":true`, `"sold":"1"`), "sold is string"},
		{"true for a number", with(t, `"count":2`, `"count":true`), "count is boolean"},
		{"a number for a text", with(t, `"신라면"`, `7`), "name is number"},
		{"a text for a list", with(t, `["red"]`, `"red"`), "features is string"},
		{"lists all null", with(t, `[{"text":"농심","clear":true}]`, "null", `["red"]`, "null"), "lines and features are null"},
		{"lists all null in a wrapper", "[" + with(t, `[{"text":"농심","clear":true}]`, "null", `["red"]`, "null") + "]", "are null"},
	}
	for _, tt := range tests {
		if got, err := decode[reading](tt.text, schemaOf[reading](t), nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: decode(%s) = %+v, %v, want an error with %q", tt.name, tt.text, got, err, tt.want)
		}
	}
}

// A null list counts as empty if another list is not null, or if nothing is claimed.
func TestDecodeNullLists(t *testing.T) {
	const both = `"name_confidence":0.97,"brand_confidence":0.5`
	for _, text := range []string{
		with(t, `[{"text":"농심","clear":true}]`, "null"),
		with(t, `[{"text":"농심","clear":true}]`, "null", `["red"]`, "[]"),
		with(t, `[{"text":"농심","clear":true}]`, "null", `["red"]`, "null", both, `"name_confidence":0,"brand_confidence":0`),
	} {
		if got, err := decode[reading](text, schemaOf[reading](t), nil); err != nil || got.Count != 2 {
			t.Errorf("decode(%s) = %+v, %v, want a count of 2", text, got, err)
		}
	}
}

// An answer in another form is used: no call repairs it. One that claims to be sure and has
// read nothing is asked for again, with the photo. One that is wrapped and wrong is
// repaired, without the photo.
func TestCallsForOtherForms(t *testing.T) {
	null := with(t, `[{"text":"농심","clear":true}]`, "null", `["red"]`, "null")
	tests := []struct {
		name    string
		answers []string
		photos  int
	}{
		{"used", []string{`{"result":` + clearReading + `} trailing prose {`}, 1},
		{"asked again", []string{null, clearReading}, 2},
		{"repaired", []string{"[" + with(t, `"count":2`, `"count":"two"`) + "]", clearReading}, 1},
		{"repaired into a list", []string{with(t, `"count":2`, `"count":"two"`), "[" + clearReading + "]"}, 1},
	}
	for _, tt := range tests {
		s := startEmulator(t)
		w := startTap(t, s)
		c := open(t, Config{BaseURL: w.URL})
		for _, text := range tt.answers {
			s.Script(emulator.Answer{Text: text})
		}
		photo := drawPhoto(t, 64)
		got, _, err := Generate[reading](t.Context(), c, Request{Model: judge, Parts: []Part{Blob("image/png", photo), Text("request:\n{}")}}, nil)
		if err != nil || got.Name != "신라면" || len(got.Lines) != 1 || len(s.Calls()) != len(tt.answers) {
			t.Errorf("%s: Generate = %+v, %v after %d calls, want the reading after %d", tt.name, got, err, len(s.Calls()), len(tt.answers))
		}
		checkPhotoSent(t, w.all(), photo, tt.photos)
	}
	c, s := start(t, Config{})
	s.Script(emulator.Answer{Text: null}, emulator.Answer{Text: null})
	_, _, err := Generate[reading](t.Context(), c, Request{Model: judge, Parts: []Part{Text("x")}}, nil)
	if e := (*Error)(nil); !errors.As(err, &e) || e.Kind != Malformed || !e.Retryable() {
		t.Errorf("Generate with null lists twice = %v, want %s", err, Malformed)
	}
}

// No text makes decode panic, and what fits the schema as it is decodes to the same value.
func FuzzDecode(f *testing.F) {
	schema := schemaOf[reading](f)
	for _, text := range []string{
		clearReading, "[" + clearReading + "]", `{"result":` + clearReading + `} trailing prose {`, clearReading + clearReading,
		"```json\n" + clearReading + "\n```", `[[[[`, `{"a":{"a":{}}}`, `{"name_confidence":"97","brand_confidence":0.97}`,
		`{"lines":[{"text":"a","clear":"yes"}],"features":null,"name":"","name_confidence":"97%","brand_confidence":0,"count":"1","sold":"No"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := decode[reading](text, schema, nil)
		want, strictErr := decodeStrictly[reading](unfenced(text), schema)
		if strictErr == nil && (err != nil || !reflect.DeepEqual(got, want)) {
			t.Errorf("decode(%q) = %+v, %v, want %+v", text, got, err, want)
		}
		if err == nil && (got.NameConfidence < 0 || got.NameConfidence > 1 || got.Count < 0) {
			t.Errorf("decode(%q) = %+v, want values within their bounds", text, got)
		}
	})
}
