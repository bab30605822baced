package search

import (
	"testing"

	"github.com/maypok86/otter/v2"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search/query"
)

// Of values that are equally close to a text, the first of the shop's vocabulary is meant, each time.
func TestMeaningOfEquals(t *testing.T) {
	p := &Pipeline{Config: Config{Space: catalog.VectorSpace{Accept: 0.6}}}
	p.queries = otter.Must(&otter.Options[string, []float32]{MaximumSize: 9})
	for text, v := range map[string][]float32{"khaki": {1, 0}, "navy": {0, 1}, "moss": {0.8, 0.6}, "olive": {0.8, 0.6}, "sage": {0.8, 0.6}} {
		p.queries.Set(p.Space.Prefix+"\n"+text, v)
	}
	of := query.Facet{Name: "color", Values: []query.Value{{Code: "n", En: "navy"}, {Code: "o", En: "olive"}, {Code: "m", En: "moss"}, {Code: "s", En: "sage"}}}
	for range 50 {
		if code, ok := p.meaning(t.Context(), of, "khaki"); code != "o" || !ok {
			t.Fatalf("meaning(khaki) = %q, %v; want olive's", code, ok)
		}
	}
	p.Space.Accept = 0.9
	if code, ok := p.meaning(t.Context(), of, "khaki"); ok {
		t.Errorf("meaning(khaki) = %q, which is not as close as it must be", code)
	}
}
