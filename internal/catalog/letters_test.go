package catalog_test

import (
	"slices"
	"testing"

	"example.com/whatis/internal/catalog"
)

// spellings are names as they may be stored, and as a pack has them in capitals or with
// other letters.
var spellings = []struct{ stored, read string }{
	{"Weißbier", "WEISSBIER"},
	{"Kırmızı Çay", "KIRMIZI ÇAY"},
	{"Œufs de Pâques", "OEUFS DE PÂQUES"},
	{"Rødgrød", "Rodgrod"},
	{"Łódź", "LODZ"},
	{"Οδος", "ΟΔΟΣ"},
	{"ﬁsh oil", "Fish Oil"},
	{"हल्दी", "हल्दी"},
	{"ガム", "ｶﾞﾑ"},
	{"چای\u200cسبز", "چایسبز"},
}

// A new record is found by every spelling of its name.
func TestNamesMeet(t *testing.T) {
	c := open(t)
	for _, one := range spellings {
		create(t, c, tea(one.stored, 0, func(p *catalog.Product) { p.Brand = one.stored }))
	}
	for _, one := range spellings {
		for _, name := range []string{one.stored, one.read} {
			wantFound(t, c, name, one.stored)
		}
	}
}

// wantFound checks that each look-up by a name finds the product called want.
func wantFound(t *testing.T, c *catalog.Catalog, name, want string) {
	t.Helper()
	s := space(t, "emulated-embedding")
	matches, err := c.Search(t.Context(), catalog.Query{Shop: "test", Lang: "ko", Space: s, Vector: at(0), Names: []string{name}, Limit: 1})
	found := func(p catalog.Product) bool { return p.ProductName == want }
	if err != nil || !slices.ContainsFunc(matches, func(m catalog.Match) bool { return found(m.Product) }) {
		t.Errorf("Search by name %q = %q, %v; want %q in it", name, names(matches), err, want)
	}
	named, err := c.Named(t.Context(), "test", s.ID(), name)
	if err != nil || len(named) != 1 || !found(named[0]) {
		t.Errorf("Named(%q) = %d records, %v; want %q", name, len(named), err, want)
	}
	for what, keys := range map[string]catalog.Keys{"name": {Shop: "test", Names: []string{name}}, "brand": {Shop: "test", Brands: []string{name}}} {
		known, err := c.Known(t.Context(), keys)
		if err != nil || len(known.Bearers) != 1 || !found(known.Bearers[0]) {
			t.Errorf("Known by %s %q = %d bearers, %v; want %q", what, name, len(known.Bearers), err, want)
		}
	}
	listed, err := c.Beginning(t.Context(), "test", name, 5)
	if err != nil || !slices.ContainsFunc(listed, found) {
		t.Errorf("Beginning(%q) = %d records, %v; want %q", name, len(listed), err, want)
	}
}
