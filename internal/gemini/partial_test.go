package gemini

import (
	"encoding/json"
	"testing"
)

// Of the beginning of an object all is returned that is complete, and nothing else.
func TestPartial(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{``, ``},
		{`no JSON`, ``},
		{`{"a`, ``},
		{`{"a":"b`, ``},
		{"\n {\"a\":\"b\"", `{"a":"b"}`},
		{`{"a":1`, ``}, // which may go on
		{`{"a":1,`, `{"a":1}`},
		{`{"a":[`, ``},
		{`{"a":["x","y\"]`, `{"a":["x"]}`},
		{`{"a":[{"b":"c"`, ``},
		{`{"a":[{"b":"c","d":[1,2]},{"b":"`, `{"a":[{"b":"c","d":[1,2]}]}`},
		{`{"a":[{"b":"c"}],"e`, `{"a":[{"b":"c"}]}`},
		{`{"a":[],"e":{"f":1,"g"`, `{"a":[]}`},
		{`{"a":[1, 2],"e":"ü\\"`, `{"a":[1, 2],"e":"ü\\"}`},
		{`{"a":true} and more`, `{"a":true}`},
	} {
		got := Partial(test.text)
		if got != test.want {
			t.Errorf("Partial(%s) = %s, want %s", test.text, got, test.want)
		}
	}
	const whole = `{"a":[{"b":"c","d":[1,2]},{"b":"[{,\"\\"}],"e":{"f":[[1]]},"g":-1.5,"h":null}`
	for i := range len(whole) + 1 {
		if got := Partial(whole[:i]); got != "" && !json.Valid([]byte(got)) {
			t.Errorf("Partial(%s) = %s, which is no JSON", whole[:i], got)
		}
	}
}
