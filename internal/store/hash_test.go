package store_test

import (
	"testing"

	"example.com/whatis/internal/store"
)

// IDs are stored, so they must never change.
func TestHashID(t *testing.T) {
	tests := []struct {
		parts []string
		want  string
	}{
		{nil, "e3b0c44298fc1c149afbf4c8996fb924"},
		{[]string{"uploads", "a.jpg", "7"}, "2d5b35bb667465e77d0fc207c82ac400"},
	}
	for _, test := range tests {
		if got := store.HashID(test.parts...); got != test.want {
			t.Errorf("Of(%q) = %s, want %s", test.parts, got, test.want)
		}
	}
	if store.HashID("ab", "c") == store.HashID("a", "bc") {
		t.Error("parts run into each other")
	}
}
