package search

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/store"
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
	_, err = c.Create(t.Context(), catalog.Product{
		Shop: "tents", ProductName: "Fjell 2", Category: "Tents", KeyFeatures: []string{"tent"}, Status: catalog.Imported, Source: "import",
		Vectors: catalog.Vectors{Embedder: space.ID(), Embedding: make([]float32, catalog.Dimensions)},
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Config{Gemini: new(gemini.Client), Catalog: c, Space: space, Shop: "tents", Model: "emulated"})
	if err != nil {
		t.Fatal(err)
	}
	colours := func(names ...string) {
		t.Helper()
		held := map[string]any{}
		for _, name := range names {
			held[name] = map[string]any{"name": name, "count": 1}
		}
		values := map[string]any{"values": map[string]any{"color": held}, "counted_at": time.Unix(1, 0)}
		if _, err := db.Collection("shops").Doc(store.HashID("tents")).Set(t.Context(), values); err != nil {
			t.Fatal(err)
		}
	}
	filters := func() *Filters {
		t.Helper()
		f, err := p.Filters(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	aged := func() { // a minute later
		kept, _ := p.shops.GetIfPresent("tents")
		p.shops.Set("tents", checkedShop{kept.shop, time.Now().Add(-shopFor)})
	}
	colours("blue")
	first := filters()
	if again := filters(); again != first {
		t.Error("the filters are made again at the next request")
	}
	aged()
	if again := filters(); again != first {
		t.Error("the filters are made again although the shop has the same values")
	}
	colours("blue", "moss")
	if again := filters(); again != first {
		t.Error("the filters are made again within a minute")
	}
	aged()
	changed := filters()
	if reflect.DeepEqual(changed.Facets, first.Facets) {
		t.Errorf("the filters of a shop with another colour are still %+v", changed.Facets)
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
		held := map[string]catalog.ShopValue{}
		for _, name := range values {
			held[name] = catalog.ShopValue{Name: name, Count: 1}
		}
		s := p.newShop("test", catalog.ShopValues{Values: map[string]map[string]catalog.ShopValue{"category": held, "hue": held}}, nil)
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
