package web_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/web"
)

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       string // of the error; "" is none
	}{
		{"empty", "", ""},
		{"a photo", `{"image":"` + strings.Repeat("iVBOR", 1<<18) + `"}`, ""},
		{"brackets in a string", `["` + strings.Repeat("[{,:", 1<<16) + `"]`, ""},
		{"quotes in a string", `["` + strings.Repeat(`\"[{\\`, 1<<16) + `"]`, ""},
		{"a string without an end", `["` + strings.Repeat("[", 1<<16), ""},
		{"an escaped end", `["\` + `"` + strings.Repeat("[", 1<<16), ""},
		{"64 levels", strings.Repeat("[", 64) + strings.Repeat("]", 64), ""},
		{"65 levels", strings.Repeat("[", 65) + strings.Repeat("]", 65), "64 levels"},
		{"65 levels of objects", strings.Repeat(`{"a":`, 65), "64 levels"},
		{"one deep array", strings.Repeat("[", 1<<20), "64 levels"},
		{"4,990 members", `{` + strings.Repeat(`"a":1,`, 4_989) + `"a":1}`, ""},
		{"6,000 members", `{` + strings.Repeat(`"a":1,`, 6_000) + `"a":1}`, "10000 names and values"},
		{"empty arrays", `[` + strings.Repeat(`[],`, 10_000) + `[]]`, "10000 names and values"},
		{"after an escaped backslash", `["\\",` + strings.Repeat(`[],`, 10_000) + `[]]`, "10000 names and values"},
	}
	for _, test := range tests {
		err := web.CheckJSON([]byte(test.text))
		if (err == nil) != (test.want == "") || err != nil && (!errors.Is(err, web.ErrBody) || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// The time grows with the length of the text alone.
func TestCheckJSONTime(t *testing.T) {
	t.Parallel()
	for _, part := range []string{`\"`, `\\`, `\n`, `"`, `"",`, " ", "a"} {
		text := []byte(`["` + strings.Repeat(part, 8<<20/len(part)))
		start := time.Now()
		_ = web.CheckJSON(text)
		if took := time.Since(start); took > 20*time.Second { // with the square of the length it would take hours
			t.Errorf("8 MiB of %q took %v", part, took)
		}
	}
}
