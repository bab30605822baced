package digest_test

import (
	"testing"

	"example.com/whatis/internal/digest"
)

// IDs are stored: they may never change.
func TestOf(t *testing.T) {
	tests := []struct {
		parts []string
		want  string
	}{
		{nil, "e3b0c44298fc1c149afbf4c8996fb924"},
		{[]string{"uploads", "a.jpg", "7"}, "2d5b35bb667465e77d0fc207c82ac400"},
	}
	for _, test := range tests {
		if got := digest.Of(test.parts...); got != test.want {
			t.Errorf("Of(%q) = %s, want %s", test.parts, got, test.want)
		}
	}
	if digest.Of("ab", "c") == digest.Of("a", "bc") {
		t.Error("parts run into each other")
	}
}
