package expiry

import (
	"slices"
	"strings"
	"testing"
)

// name returns the language in English.
func (l language) name() string { return strings.Join(l.words["name"], " ") }

// A file of a language has twelve months or none, keys that are known, and no word that
// another language, or it itself, uses for something else.
func TestLanguages(t *testing.T) {
	keys := []string{"name", "home", "order", "script", "months", "whole months", "opened", "from", "day", "week", "month", "year", "units", "beside", "after the date"}
	months, labels := map[string]int{}, map[string]Kind{}
	for _, k := range labelKinds {
		keys = append(keys, k.key)
	}
	for _, l := range languages() {
		if l.name() == "" {
			t.Errorf("languages/%s.txt has no name", l.code)
		}
		for key := range l.words {
			if !slices.Contains(keys, key) {
				t.Errorf("languages/%s.txt has a key %q", l.code, key)
			}
		}
		for _, key := range []string{"months", "whole months"} {
			if n := strings.Count(strings.Join(l.words[key], " "), ";"); n != 0 && n != 11 {
				t.Errorf("languages/%s.txt has %d semicolons between %s, want 11", l.code, n, key)
			}
			for i, names := range l.months(key) {
				for _, name := range names {
					if was, ok := months[unpointed(name)]; ok && was != i {
						t.Errorf("%s in languages/%s.txt is month %d, and elsewhere %d", name, l.code, i+1, was+1)
					}
					months[unpointed(name)] = i
				}
			}
		}
		for _, k := range labelKinds {
			for _, w := range l.words[k.key] {
				if was, ok := labels[unpointed(w)]; ok && was != k.Kind {
					t.Errorf("%s in languages/%s.txt is %s, and elsewhere %s", w, l.code, k.Kind, was)
				}
				labels[unpointed(w)] = k.Kind
			}
		}
	}
}
