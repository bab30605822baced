package webdoc_test

import (
	"slices"
	"testing"

	"example.com/whatis/internal/discover/webdoc"
)

func TestCut(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", []string{""}}, {"año", []string{"año"}}, {"12345", []string{"12345"}}, {"123456", []string{"12345", "456"}}, {"온실가스배출량목록", []string{"온실가스배", "스배출량목", "량목록"}},
	} {
		var got []string
		for i, p := range webdoc.Cut(test.text, 5, 2) {
			if got = append(got, p.Text); p.Number != i+1 {
				t.Errorf("piece %d of %q has the number %d", i+1, test.text, p.Number)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("Cut(%q, 5, 2) = %q, want %q", test.text, got, test.want)
		}
	}
}

func TestFormatOf(t *testing.T) {
	for address, want := range map[string]string{"http://a.gov/x.CSV?v=2": "CSV", "http://a.gov/x.pdf": "PDF", "http://a.gov/x.html": "", "http://a.gov/": ""} {
		if got := webdoc.FormatOf(address); got != want {
			t.Errorf("FormatOf(%s) = %q, want %q", address, got, want)
		}
	}
}
