package search

import (
	"errors"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
)

// What one request may cost to count is bounded: the values, and the products that are read where
// Firestore cannot count, which are read once for all facets under the same conditions.
func TestBoundsOfCounts(t *testing.T) {
	t.Parallel()
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	p, _ := shopOf(t, w, maxCountRead+100)
	all := func(facets ...string) Request {
		return Request{Filters: map[string]string{"hue": strings.Join(testHues, "|"), "brand": strings.Join(testBrands[:3], "|")}, InStock: true, Counts: facets}
	}
	w.Firestore.ResetCalls()
	once, err := p.Run(t.Context(), all("fabric"), nil)
	if reads := w.Firestore.Reads().Documents; err != nil || len(once.Counts) != 1 || reads < 500 {
		t.Fatalf("%d facets are counted with %d reads, %v; want the fabrics, by reading", len(once.Counts), reads, err)
	}
	reads := w.Firestore.Reads().Documents
	w.Firestore.ResetCalls()
	if r, err := p.Run(t.Context(), all("fabric", "category", "weight", "fabric"), nil); err != nil || len(r.Counts) != 4 || w.Firestore.Reads().Documents > reads+50 {
		t.Errorf("four facets read %d documents, of %d counts, %v; one reads %d", w.Firestore.Reads().Documents, len(r.Counts), err, reads)
	}
	w.Firestore.ResetCalls()
	q := all("fabric", "category")
	q.Filters["brand"], q.InStock = strings.Join(testBrands, "|"), false
	if r, err := p.Run(t.Context(), q, nil); err != nil || len(r.Counts) != 0 || r.Count == 0 || w.Firestore.Reads().Documents > maxCountRead+2*pageOfOrder+firstInOrder {
		t.Errorf("of all products %d are found and %d facets are counted with %d reads, %v; want none counted", r.Count, len(r.Counts), w.Firestore.Reads().Documents, err)
	}
	var wrong *InputError
	if _, err := p.Run(t.Context(), all(strings.Fields(strings.Repeat("brand ", 10))...), nil); err != nil {
		t.Errorf("400 values are not counted: %v", err)
	}
	many := p.shopNamed(t)
	for i := range many.vocabulary.Facets {
		if f := &many.vocabulary.Facets[i]; f.Name == "brand" {
			f.Values = append(f.Values, f.Values...)
		}
	}
	if _, err := p.Run(t.Context(), all(strings.Fields(strings.Repeat("brand ", 10))...), nil); !errors.As(err, &wrong) || wrong.Field != "counts" {
		t.Errorf("800 values to be counted give %v, want an error that names counts", err)
	}
}
