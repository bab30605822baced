package search

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/search/index"
)

// What is known of a shop, and so its filters, is made once, and again only when the values of
// its products have changed: also when it is compared with the catalogue again.
func TestShopIsMadeOnce(t *testing.T) {
	t.Parallel()
	db := emulate.Start(t, emulate.Firestore).FirestoreClient(t)
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		t.Fatal(err)
	}
	c := catalog.New(db)
	sell := func(name, colour string) {
		t.Helper()
		var facets map[string]string
		if colour != "" {
			facets = map[string]string{"color": colour}
		}
		_, err := c.Create(t.Context(), catalog.Product{
			Shop: "tents", ProductName: name, Category: "Tents", KeyFeatures: []string{"tent"}, Status: catalog.Imported, Source: "import", Facets: facets,
			Vectors: catalog.Vectors{Embedder: space.ID(), Embedding: make([]float32, catalog.Dimensions)},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	indexes := &index.Shops{Catalog: c, Space: space.ID(), Freshness: time.Hour}
	p, err := New(Config{Gemini: new(gemini.Client), Catalog: c, Indexes: indexes, Space: space, Shop: "tents", Model: "emulated"})
	if err != nil {
		t.Fatal(err)
	}
	filters := func() *Filters {
		t.Helper()
		f, err := p.Filters(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	refused := func(want string) {
		t.Helper()
		if _, err := p.Filters(t.Context(), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a shop without a product for sale: %v, want %q", err, want)
		}
	}
	indexes.Freshness = time.Nanosecond
	refused(`there is no product of a shop "tents"`)
	sell("Fjell 1", "")
	refused(`no product of the shop "tents" is for sale: import a sku, `)
	sell("Fjell 2", "blue")
	first := filters()
	indexes.Freshness = time.Hour
	sell("Fjell 3", "moss")
	if again := filters(); again != first {
		t.Error("the filters are made again before it is time to look")
	}
	indexes.Freshness = time.Nanosecond
	changed := filters()
	if reflect.DeepEqual(changed.Facets, first.Facets) {
		t.Errorf("the filters of a shop with another colour are still %+v", changed.Facets)
	}
	if again := filters(); again != changed {
		t.Error("the filters are made again although the shop has the same products, read twice")
	}
}

// A schema that a model refuses is remembered by its text: values that an import brings are no part
// of it, so that they are not refused anew.
func TestSchemaHasNoValues(t *testing.T) {
	v, err := Eyewear()
	if err != nil {
		t.Fatal(err)
	}
	p := &Pipeline{Config: Config{Vocabulary: v}}
	if p.intents, err = (Config{Model: "emulated"}).intentPrompt(); err != nil {
		t.Fatal(err)
	}
	schema := func(values ...string) string {
		s := p.shopWith(t, map[string][]string{"category": values, "hue": values})
		data, err := json.Marshal(s.prompt.Question("intent").Schema)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if before, after := schema("sunglasses"), schema("sunglasses", "frames", "Goggles"); before != after {
		t.Errorf("the schema changes with the values of a shop:\n%s\n%s", before, after)
	}
}

// shopWith returns a shop in which a product has each of some values by facet.
func (p *Pipeline) shopWith(t *testing.T, values map[string][]string) *shop {
	t.Helper()
	x, err := index.Create(t.Context(), filepath.Join(t.TempDir(), "index.sqlite"), index.About{Shop: "a"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for facet, held := range values {
		for i, v := range held {
			if err := x.Put(t.Context(), catalog.Product{ID: facet + strconv.Itoa(i), ProductName: "Thing", Facets: map[string]string{facet: v}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := &shop{index: x}
	if err := p.learn(t.Context(), "a", s); err != nil {
		t.Fatal(err)
	}
	return s
}
