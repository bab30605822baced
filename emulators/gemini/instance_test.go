package gemini

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
)

// A request that no responder knows gets the emptiest value that fits its schema.
func TestInstanceOfASchema(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"strings and numbers", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"},"c":{"type":"integer","minimum":3},"d":{"type":"boolean"}}}`,
			`{"a":"","b":0,"c":3,"d":false}`},
		{"in order", `{"type":"object","propertyOrdering":["z","a"],"properties":{"a":{"type":"string"},"b":{"type":"string"},"z":{"type":"string"}}}`, `{"z":"","a":"","b":""}`},
		{"an enum", `{"type":"string","enum":["search","faq"]}`, `"search"`},
		{"items only where there must be some", `{"type":"object","properties":{"none":{"type":"array","items":{"type":"string"}},"two":{"type":"array","minItems":2,"items":{"type":"integer"}}}}`,
			`{"none":[],"two":[0,0]}`},
		{"items of their own", `{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"minItems":3,"items":{"type":"boolean"}}`, `["",0,false]`},
		{"null first", `{"type":["null","array"],"items":{"type":"string"}}`, `null`},
		{"Google's spelling", `{"type":"OBJECT","properties":{"a":{"type":"STRING","nullable":true},"b":{"type":"ARRAY","minItems":"1","items":{"type":"INTEGER"}}}}`, `{"a":"","b":[0]}`},
		{"Google's enum of numbers", `{"type":"INTEGER","format":"enum","enum":["101","201"]}`, `101`},
		{"a choice", `{"anyOf":[{"type":"integer"},{"type":"string"}]}`, `0`},
		{"a choice of what there is", `{"anyOf":[{"type":"string","pattern":"(?=a)"},{"type":"null"}]}`, ``},
		{"a reference", `{"$ref":"#/$defs/P","$defs":{"P":{"type":"object","properties":{"n":{"type":"string"}}}}}`, `{"n":""}`},
		{"Vertex AI's reference", `{"ref":"#/defs/P","defs":{"P":{"type":"STRING"}}}`, `""`},
		{"below 0", `{"type":"number","minimum":-4,"maximum":-1.5}`, `-1.5`},
		{"between", `{"type":"integer","minimum":2.5,"maximum":9}`, `3`},
		{"above", `{"type":"integer","exclusiveMinimum":4}`, `5`},
		{"above, and below", `{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}`, `0.5`},
		{"in steps", `{"type":"integer","minimum":7,"multipleOf":5}`, `10`},
		{"a length", `{"type":"string","minLength":3}`, `"---"`},
		{"a time", `{"type":"string","format":"date-time"}`, `"1970-01-01T00:00:00Z"`},
		{"a pattern", `{"type":"string","pattern":"^[A-Z]{2}-\\d+(x|y)?$"}`, `"AA-0"`},
		{"anything", `{"type":"object","properties":{"a":true,"b":{}}}`, `{"a":null,"b":null}`},
		{"a tree", `{"$ref":"#/$defs/N","$defs":{"N":{"type":"object","properties":{"l":{"$ref":"#/$defs/N"},"r":{"$ref":"#/$defs/N"},"n":{"type":"array","items":{"$ref":"#/$defs/N"}}}}}}`, `{"n":[]}`},
		{"a list of links", `{"$ref":"#/$defs/N","$defs":{"N":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/N"},{"type":"null"}]}},"required":["next"]}}}`, `{"next":null}`},
		{"without end", `{"$ref":"#/$defs/N","$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}},"required":["next"]}}}`, ``},
		{"without measure", `{"type":"array","minItems":1e9,"items":{"type":"string"}}`, ``},
		{"without room", `{"type":"integer","minimum":3.2,"maximum":3.8}`, ``},
	} {
		var schema map[string]any
		if err := json.Unmarshal([]byte(tt.schema), &schema); err != nil {
			t.Fatal(err)
		}
		v, err := instanceOf(schema)
		if tt.want == "" {
			var refused apiError
			if !errors.As(err, &refused) || refused.Code != http.StatusNotImplemented {
				t.Errorf("%s: instanceOf(%s) = %v, %v; want it refused as not implemented", tt.name, tt.schema, v, err)
			}
			continue
		}
		if got, failed := encode(v); err != nil || failed != nil || got != tt.want {
			t.Errorf("%s: instanceOf(%s) = %s, %v; want %s", tt.name, tt.schema, got, errors.Join(err, failed), tt.want)
		}
	}
}
