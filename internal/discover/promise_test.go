package discover

import (
	"slices"
	"testing"
)

// Of the pages that wait, the most promising are taken first, and of equal ones those that
// were found first.
func TestPromisingFirst(t *testing.T) {
	s := &AgentState{Pages: []*Page{
		{URL: "a", Status: selected, Promise: 2}, {URL: "b", Status: selected, Promise: 21}, {URL: "c", Status: pending, Promise: 30},
		{URL: "d", Status: selected}, {URL: "e", Status: selected, Promise: 2}, {URL: "f", Status: "extracted", Promise: 40},
	}}
	var order []string
	for _, p := range s.promising(selected) {
		order = append(order, p.URL)
	}
	if want := []string{"b", "a", "e", "d"}; !slices.Equal(order, want) {
		t.Errorf("pages are taken in the order %q, want %q", order, want)
	}
}
