package main

import (
	"testing"
	"time"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		width int
		said  string
		want  string
	}{
		{"a.jpg", 0, "1.00  Tea, Brand", "  a.jpg       image           12 ms  1.00  Tea, Brand"},
		{"차.jpg", 0, "1.00  차, 가", "  차.jpg      image           12 ms  1.00  차, 가"},
		{"차.jpg", 0, "two\nlines\x1b[31m", "  차.jpg      image           12 ms  two lines [31m"}, // decomposed Hangul
		{"a-long-name.jpg", 0, "x", "  a-long-name.jpg  image           12 ms  x"},
		{"a-long-name.jpg", 60, "x", "  a-long-na…  image           12 ms  x"},
		{"긴이름이다아.jpg", 60, "x", "  긴이름이…   image           12 ms  x"},
		{"a.jpg", 43, "현미 누룽지칩", "  a.jpg       image           12 ms  현미…"},
	}
	for _, test := range tests {
		s := &screen{name: 10, width: test.width}
		if got := s.format(test.name, "image", 12*time.Millisecond, test.said); got != test.want {
			t.Errorf("width %d: format(%q, %q) =\n%q, want\n%q", test.width, test.name, test.said, got, test.want)
		}
	}
}

func TestSaid(t *testing.T) {
	t.Parallel()
	tests := []struct {
		r                    result
		short, outcome, said string
	}{
		{result{ProductName: "Tea", Brand: "B", Confidence: 0.671, Source: "local_db", Warnings: []string{"emulated_model"}}, "local_db", "local_db", "0.67  Tea, B"},
		{result{ProductName: "Tea", Brand: "B", Confidence: 1, Source: "image", Cached: true}, "image", "image", "1.00  Tea, B (cached)"},
		{result{ProductName: "Tea", Source: "image", Warnings: []string{"multiple_products"}}, "image", "image", "0.00  Tea, ? (multiple_products)"},
		{result{Source: "google_search", Warnings: []string{"emulated_model", "unidentified"}}, "unidentified", "unidentified", "no name was read"},
		{result{ProductName: "Tea", Brand: "B", Confidence: 0.4, Source: "google_search", Warnings: []string{"unidentified", "search_refused"}}, "unidentified", "unidentified", "0.40  read: Tea, B (search_refused)"},
		{result{ProductName: "Tea", Brand: "B", Confidence: 0.6, Source: "local_db", Warnings: []string{"unconfirmed_record"}}, "local_db", "local_db", "0.60  Tea, B (unconfirmed_record)"},
		{result{Error: "Unable to identify product image", Description: "a lake"}, "no product", "Unable to identify product image", "a lake"},
		{result{Error: "analysis_failed", Message: "photo: no bytes"}, "failed", "analysis_failed", "photo: no bytes"},
	}
	for _, test := range tests {
		if short, outcome, said := test.r.short(), test.r.outcome(), test.r.said(); short != test.short || outcome != test.outcome || said != test.said {
			t.Errorf("%+v = %q, %q, %q, want %q, %q, %q", test.r, short, outcome, said, test.short, test.outcome, test.said)
		}
	}
}
