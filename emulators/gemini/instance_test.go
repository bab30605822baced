package gemini

import (
	"encoding/json"
	"testing"
)

// A request that no mind knows gets the emptiest value that fits its schema.
func TestInstanceOfASchema(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"strings and numbers", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"},"c":{"type":"integer","minimum":3},"d":{"type":"boolean"}}}`,
			`{"a":"","b":0,"c":3,"d":false}`},
		{"an enum", `{"type":"string","enum":["search","faq"]}`, `"search"`},
		{"items only where there must be some", `{"type":"object","properties":{"none":{"type":"array","items":{"type":"string"}},"two":{"type":"array","minItems":2,"items":{"type":"integer"}}}}`,
			`{"none":[],"two":[0,0]}`},
		{"null first", `{"type":["null","array"],"items":{"type":"string"}}`, `null`},
		{"Google's spelling", `{"type":"OBJECT","properties":{"a":{"type":"STRING"}}}`, `{"a":""}`},
		{"a choice", `{"anyOf":[{"type":"integer"},{"type":"string"}]}`, `0`},
		{"a reference", `{"$ref":"#/$defs/P","$defs":{"P":{"type":"object","properties":{"n":{"type":"string"}}}}}`, `{"n":""}`},
	} {
		var schema map[string]any
		if err := json.Unmarshal([]byte(tt.schema), &schema); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(instanceOf(schema, schema))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: instanceOf(%s) = %s, %v; want %s", tt.name, tt.schema, got, err, tt.want)
		}
	}
	self := map[string]any{"$ref": "#/$defs/P", "$defs": map[string]any{"P": map[string]any{"type": "object", "properties": map[string]any{"p": map[string]any{"$ref": "#/$defs/P"}}}}}
	if got, err := json.Marshal(instanceOf(self, self)); err != nil || len(got) > 1000 {
		t.Errorf("instanceOf(a schema that holds itself) = %s, %v; want an end", got, err)
	}
}
