package gemini

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

type bounded struct {
	Lines []struct {
		Kind string `json:"kind" enum:"print,sign" jsonschema:"how it is made"`
	} `json:"lines" maxItems:"2"`
	Known string   `json:"known" enum:"yes,no,unsure"`
	Sides []string `json:"sides,omitempty" enum:"front,back" maxItems:"2"`
	Sure  float64  `json:"sure" minimum:"0" maximum:"1"`
	embedded
}

type embedded struct {
	Count int `json:"count" minimum:"1"`
}

// Types, enums, required properties, order and descriptions are sent, but no limits.
func TestSchemaOnTheWire(t *testing.T) {
	schema, err := SchemaFor[bounded]()
	if err != nil {
		t.Fatal(err)
	}
	wire, err := wireSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{` +
		`"lines":{"type":"array","items":{"type":"object","properties":{"kind":{"type":"string","description":"how it is made","enum":["print","sign"]}},"required":["kind"],"propertyOrdering":["kind"]}},` +
		`"known":{"type":"string","enum":["yes","no","unsure"]},` +
		`"sides":{"type":"array","items":{"type":"string","enum":["front","back"]}},` +
		`"sure":{"type":"number"},` +
		`"count":{"type":"integer"}},"required":["lines","known","sure","count"],"propertyOrdering":["lines","known","sides","sure","count"]}`
	if string(wire) != want {
		t.Errorf("schema of bounded = %s, want %s", wire, want)
	}
	if *schema.Properties["lines"].MaxItems != 2 || *schema.Properties["sure"].Maximum != 1 {
		t.Errorf("schema of bounded after wireSchema = %+v, want its bounds for code", schema)
	}
}

type deep struct {
	Lines []struct {
		Boxes [][]float64 `json:"boxes"`
	} `json:"lines"`
}

// A schema that the service may refuse is an error at start-up.
func TestSchemasThatAreNotSent(t *testing.T) {
	few, err := SchemaFor[bounded]()
	if err != nil {
		t.Fatal(err)
	}
	few.Properties["known"].Enum = make([]any, maxWords+1)
	if _, err := wireSchema(few); err == nil || !strings.Contains(err.Error(), "the answer.known has an enum of 101 words") {
		t.Errorf("wireSchema with 101 words = %v, want an error that names them", err)
	}
	if _, err := SchemaFor[deep](); err == nil || !strings.Contains(err.Error(), "the answer.lines[].boxes[] stands in more than 4 lists and objects") {
		t.Errorf("SchemaFor[deep] = %v, want an error that names the part", err)
	}
	if _, err := wireSchema(&jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}}}); err == nil || !strings.Contains(err.Error(), "alternatives") {
		t.Errorf("wireSchema with alternatives = %v, want an error", err)
	}
}

// Lists are cut to the limits in their tags, at every depth; the rest of the answer is
// kept.
func TestLongListsAreCut(t *testing.T) {
	type pages struct {
		Note  string `json:"note"`
		Pages []struct {
			Lines []string `json:"lines" maxItems:"2"`
			Size  int64    `json:"size"`
		} `json:"pages" maxItems:"2"`
	}
	schema, err := SchemaFor[pages]()
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode[pages](`{"note":"<a>","pages":[{"lines":["a","b","c"],"size":9007199254740991},{"lines":["d"],"size":1},{"lines":[],"size":2}]}`, schema, nil)
	if want := `{<a> [{[a b] 9007199254740991} {[d] 1}]}`; err != nil || fmt.Sprint(got) != want {
		t.Errorf("decode = %v, %v, want %s", got, err, want)
	}
}

func TestBoundsOfAnswers(t *testing.T) {
	schema, err := SchemaFor[bounded]()
	if err != nil {
		t.Fatal(err)
	}
	const good = `{"lines":[{"kind":"print"}],"known":"yes","sides":["front"],"sure":0.5,"count":1}`
	tests := []struct{ name, old, new, want string }{
		{"as it should be", "", "", ""},
		{"other text", `"yes"`, `"maybe"`, `known is none of "yes" "no" "unsure"`},
		{"empty text", `"yes"`, `""`, "known is none of"},
		{"null for a word", `"yes"`, `null`, "known is null"},
		{"another case", `"yes"`, `"Yes"`, "known is none of"},
		{"other text in a list", `"front"`, `"top"`, "sides[0] is none of"},
		{"other text further down", `"print"`, `"shout"`, "lines[0].kind is none of"},
		{"too many items", `["front"]`, `["front","back","front"]`, ""},
		{"no items", `["front"]`, `[]`, ""},
		{"number too low", `0.5`, `-0.1`, "sure is -0.1, below 0"},
		{"number too high", `0.5`, `1.5`, "sure is 1.5, above 1"},
		{"percentage", `0.5`, `95`, ""},
		{"percentage too high", `0.5`, `105`, "sure is 105, above 1"},
		{"of an embedded struct", `"count":1`, `"count":0`, "count is 0, below 1"},
	}
	for _, tt := range tests {
		_, err := decode[bounded](strings.Replace(good, tt.old, tt.new, 1), schema, nil)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: decode = %v, want an error with %q", tt.name, err, tt.want)
		}
	}
}

func TestBoundsThatCannotBe(t *testing.T) {
	tests := []struct {
		name string
		make func() (*jsonschema.Schema, error)
		want string
	}{
		{"an empty word", SchemaFor[struct {
			Known string `enum:"yes,,no"`
		}], "Known: the tag enum"},
		{"no words", SchemaFor[struct {
			Known string `enum:""`
		}], "Known: the tag enum"},
		{"words of a number", SchemaFor[struct {
			Known int `enum:"1,2"`
		}], "Known: the tag enum"},
		{"words of a text that may be null", SchemaFor[struct {
			Known *string `enum:"a"`
		}], "Known: the tag enum"},
		{"a number in words", SchemaFor[struct {
			Lines []string `maxItems:"many"`
		}], "Lines: the tag maxItems"},
		{"a list of none", SchemaFor[struct {
			Lines []string `maxItems:"0"`
		}], "Lines: the tag maxItems"},
		{"items of a text", SchemaFor[struct {
			Lines string `maxItems:"3"`
		}], "Lines: the tag maxItems"},
		{"a bound of a text", SchemaFor[struct {
			Sure string `minimum:"0"`
		}], "Sure: the tag minimum"},
		{"no number", SchemaFor[struct {
			Sure float64 `maximum:"NaN"`
		}], "Sure: the tag maximum"},
		{"further down", SchemaFor[struct {
			Lines []struct {
				Kind string `enum:","`
			}
		}], "Kind: the tag enum"},
	}
	for _, tt := range tests {
		if _, err := tt.make(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("SchemaFor with %s = %v, want an error with %q", tt.name, err, tt.want)
		}
	}
}
