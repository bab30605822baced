package llm

import (
	"strings"
	"testing"

	"example.com/whatis/internal/agent"
)

func TestTemplate(t *testing.T) {
	s := agent.NewSession()
	agent.Key[string]("lang").Set(s, "ko")
	agent.Key[string]("empty").Set(s, "")
	agent.Key[string]("order").Set(s, "{lang}")
	agent.Key[[]string]("features").Set(s, []string{"red box", "500 g"})
	tests := []struct{ text, want, wantErr string }{
		{"", "", ""},
		{"in {lang}", "in ko", ""},
		{"{lang}{lang}", "koko", ""},
		{"{lang?}", "ko", ""},
		{"[{missing?}]", "[]", ""},
		{"[{empty}]", "[]", ""},
		{"{missing}", "", "{missing}"},
		{`{"key": 1} {} { lang } {9}`, `{"key": 1} {} { lang } {9}`, ""},
		{"{{lang}}", "{ko}", ""},
		{"{features}", `["red box","500 g"]`, ""},
		{"{order}", "{lang}", ""},
	}
	for _, test := range tests {
		got, err := NewTemplate(test.text).Render(s)
		if got != test.want || (err == nil) != (test.wantErr == "") ||
			err != nil && !strings.Contains(err.Error(), test.wantErr) {
			t.Errorf("Render(%q) = %q, %v; want %q, error with %q", test.text, got, err, test.want, test.wantErr)
		}
	}
}
