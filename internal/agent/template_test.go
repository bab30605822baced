package agent

import (
	"strings"
	"testing"
)

func TestTemplate(t *testing.T) {
	v := Values{"lang": "ko", "empty": "", "order": "{lang}"}
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
		{"{order}", "{lang}", ""},
	}
	for _, test := range tests {
		got, err := newTemplate(test.text).Fill(v)
		if got != test.want || (err == nil) != (test.wantErr == "") ||
			err != nil && !strings.Contains(err.Error(), test.wantErr) {
			t.Errorf("Fill(%q) = %q, %v; want %q, error with %q", test.text, got, err, test.want, test.wantErr)
		}
	}
}
