package goldens

import (
	"net/http"
	"strings"
	"testing"
)

// A file shows the texts of a request line by line, and what its bytes were.
func TestText(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"a text of one line", `{"text":"a <b>"}`, `"text": "a <b>"`},
		{"a text of lines", `{"text":"a\nb\n"}`, "\"text\": [\n      \"a\",\n      \"b\",\n      \"\"\n    ]"},
		{"bytes", `{"inlineData":{"mimeType":"image/png","data":"AAEC"}}`,
			`"data": "3 bytes, SHA-256 ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc"`},
		{"data of no type", `{"data":"AAEC"}`, `"data": "AAEC"`},
		{"no base64", `{"mimeType":"image/png","data":"?"}`, `"data": "not base64: ?"`},
		{"sorted keys", `{"b":1,"a":2}`, "\"a\": 2,\n    \"b\": 1"},
		{"no body", "", `"body": null`},
		{"a header that says something", `{}`, `"X-Tier": "flex"`},
	}
	for _, test := range tests {
		r := Request{http.MethodPost, "/v1/models/m:generate?alt=sse", http.Header{"X-Tier": {"flex"}, "X-Goog-Api-Key": {"secret"}}, []byte(test.body)}
		got, err := r.text()
		if err != nil || !strings.Contains(string(got), test.want) {
			t.Errorf("%s: %s, %v; want it to hold %s", test.name, got, err, test.want)
		}
		if !strings.Contains(string(got), `"POST /v1/models/m:generate?alt=sse"`) || strings.Contains(string(got), "secret") {
			t.Errorf("%s: %s has no request line, or the key", test.name, got)
		}
	}
	if _, err := (Request{Body: []byte("{")}).text(); err == nil {
		t.Error("a body that is no JSON = nil error, want one")
	}
}

func TestFirstDifference(t *testing.T) {
	for _, test := range [][3]string{
		{"a\n b\nc", "a\n x\nc", "sent b\nfile x"},
		{"a", "a\nb", "sent \nfile b"},
		{"x", "y", "sent x\nfile y"},
	} {
		if got := firstDifference(test[0], test[1]); got != test[2] {
			t.Errorf("firstDifference(%q, %q) = %q, want %q", test[0], test[1], got, test[2])
		}
	}
}
