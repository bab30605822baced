package barcode

import "testing"

func TestParseWhen(t *testing.T) {
	for s, want := range map[string]When{"seen": WhenSeen, "always": Always, "never": Never, "true": "", "": "", "yes": ""} {
		if got, err := ParseWhen(s); got != want || (err == nil) != (want != "") {
			t.Errorf("ParseWhen(%q) = %q, %v, want %q", s, got, err, want)
		}
	}
}
