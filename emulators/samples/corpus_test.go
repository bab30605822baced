package samples

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
)

type entry struct {
	Name     string   `json:"product_name"`
	Brand    string   `json:"brand"`
	Category string   `json:"category"`
	Features []string `json:"key_features"`
	GTIN     string   `json:"gtin"`
	Country  string   `json:"country"`
	Lang     string   `json:"lang"`
}

func catalogue(t *testing.T) []entry {
	t.Helper()
	var db struct {
		Products []entry `json:"products"`
	}
	d := json.NewDecoder(strings.NewReader(string(ProductsDB)))
	d.DisallowUnknownFields()
	if err := d.Decode(&db); err != nil {
		t.Fatalf("ProductsDB: %v", err)
	}
	return db.Products
}

func TestProductsDB(t *testing.T) {
	gtins := map[string]bool{}
	for _, e := range catalogue(t) {
		if e.Name == "" || e.Brand == "" || e.Category == "" || len(e.Country) != 2 || len(e.Lang) != 2 {
			t.Errorf("ProductsDB has %+v, want every field", e)
		}
		checkGTIN(t, e.Name, e.GTIN)
		checkFeatures(t, e.Name, e.Features)
		if gtins[e.GTIN] {
			t.Errorf("ProductsDB has GTIN %s twice", e.GTIN)
		}
		gtins[e.GTIN] = true
	}
	if n := len(gtins); n < 12 {
		t.Errorf("ProductsDB has %d products, want 12 or more", n)
	}
}

// The catalogue must know the product of the second sample alone: the others
// are answered from the picture or from the web.
func TestProductsDBAndSamples(t *testing.T) {
	for i, s := range All() {
		var known []entry
		for _, e := range catalogue(t) {
			if e.Brand == s.Truth.Brand {
				known = append(known, e)
			}
		}
		if i != 1 {
			if len(known) > 0 {
				t.Errorf("ProductsDB knows %s as %+v, want it unknown", s.File, known)
			}
			continue
		}
		if len(known) != 1 || !strings.HasPrefix(known[0].Name, s.Truth.Name) || known[0].Country != s.Country || known[0].Lang != s.Lang {
			t.Fatalf("ProductsDB knows %s as %+v, want one entry of the same name, country and language", s.File, known)
		}
		if n := shared(s.Truth.Features, known[0].Features); n < 8 {
			t.Errorf("%s shares %d features with its entry, want 8", s.File, n)
		}
	}
}

func TestPages(t *testing.T) {
	uris := map[string]bool{}
	for _, p := range Pages {
		u, err := url.Parse(p.URI)
		if err != nil || u.Scheme != "https" || !strings.HasSuffix(u.Host, ".example") || uris[p.URI] {
			t.Errorf("page URI %q, want https, a host in .example, once", p.URI)
		}
		uris[p.URI] = true
		if p.Title == "" || p.Brand == "" || p.Name == "" || p.Category == "" {
			t.Errorf("page %+v, want every field", p)
		}
		for _, word := range strings.Fields(p.Brand + " " + p.Name) {
			if !strings.Contains(strings.ToLower(p.Title+" "+p.Text), strings.ToLower(word)) {
				t.Errorf("page %s speaks of %q, and its title and text do not hold %q", p.URI, p.Brand+" "+p.Name, word)
			}
		}
		checkFeatures(t, p.URI, p.Features)
	}
}

func TestPagesAndSamples(t *testing.T) {
	for _, i := range []int{2, 3, 7} {
		s := All()[i]
		about := slices.DeleteFunc(slices.Clone(Pages), func(p Page) bool { return p.Brand != s.Truth.Brand })
		if len(about) < 2 {
			t.Fatalf("%d pages on %s, want two or more", len(about), s.File)
		}
		for _, p := range about {
			if n := shared(s.Truth.Features, p.Features); n < 4 || !strings.HasPrefix(p.Name, s.Truth.Name) {
				t.Errorf("%s (%s) shares %d features with %s (%s), want 4 and the same name", s.File, s.Truth.Name, n, p.URI, p.Name)
			}
		}
	}
	if n := shared(All()[2].Truth.Features, All()[3].Truth.Features); n < 4 || n == len(All()[3].Truth.Features) {
		t.Errorf("the two photos of one product share %d features, want 4 or more and not all", n)
	}
}

func shared(a, b []string) int {
	n := 0
	for _, f := range a {
		if slices.Contains(b, f) {
			n++
		}
	}
	return n
}
