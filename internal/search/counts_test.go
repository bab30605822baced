package search

import (
	"errors"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
)

// What is counted is the index's, whatever the alternatives are: no document is read for it. The number
// of values that one request counts is bounded.
func TestBoundsOfCounts(t *testing.T) {
	t.Parallel()
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	p, goods := shopOf(t, w, 700)
	p.shopNamed(t) // which reads all products
	all := func(facets ...string) Request {
		return Request{Filters: map[string]Choices{"hue": testHues, "brand": {strings.Join(testBrands, "|")}}, Counts: facets}
	}
	w.Firestore.ResetCalls()
	r, err := p.Run(t.Context(), all("fabric", "category", "weight", "fabric"), nil)
	if err != nil || len(r.Counts) != 4 || r.Total != len(goods) || w.Firestore.Reads().Documents > 0 {
		t.Fatalf("%d facets of %d products are counted with %d reads, %v; want 4 of %d with none", len(r.Counts), r.Total, w.Firestore.Reads().Documents, err, len(goods))
	}
	n := int64(0)
	for _, c := range r.Counts[0].Counts {
		n += c.Count
	}
	if n != int64(len(goods)) {
		t.Errorf("the fabrics count %d products, want %d", n, len(goods))
	}
	many := p.shopNamed(t)
	for i := range many.vocabulary.Facets {
		if f := &many.vocabulary.Facets[i]; f.Name == "brand" {
			for len(f.Values) <= maxCounted/10 {
				f.Values = append(f.Values, f.Values...)
			}
		}
	}
	var wrong *InputError
	if _, err := p.Run(t.Context(), all(strings.Fields(strings.Repeat("brand ", 10))...), nil); !errors.As(err, &wrong) || wrong.Field != "counts" {
		t.Errorf("too many values to be counted give %v, want an error that names counts", err)
	}
}
