package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
)

func open(t *testing.T) *catalog.Catalog {
	t.Helper()
	return catalog.New(emulate.Start(t, emulate.Firestore).FirestoreClient(t))
}

func space(t *testing.T, model string) catalog.VectorSpace {
	t.Helper()
	s, err := catalog.VectorSpaceOf(model)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// at returns the unit vector at an angle, in degrees, from the first axis.
func at(degrees float64) []float32 {
	v := make([]float32, catalog.Dimensions)
	v[0], v[1] = float32(math.Cos(degrees*math.Pi/180)), float32(math.Sin(degrees*math.Pi/180))
	return v
}

// tea returns a product with an embedding at that angle.
func tea(name string, degrees float64, edit ...func(*catalog.Product)) catalog.Product {
	s, _ := catalog.VectorSpaceOf("emulated-embedding")
	p := catalog.Product{
		Shop: "test", ProductName: name, Brand: "Haetsal", Category: "Beverage", KeyFeatures: []string{"tea"},
		Country: "KR", Lang: "ko", Status: catalog.Imported, Source: "import", Vectors: catalog.Vectors{Embedder: s.ID(), Embedding: at(degrees)},
	}
	for _, e := range edit {
		e(&p)
	}
	return p
}

func create(t *testing.T, c *catalog.Catalog, products ...catalog.Product) {
	t.Helper()
	for _, p := range products {
		if _, err := c.Create(t.Context(), p); err != nil {
			t.Fatalf("Create(%q): %v", p.ProductName, err)
		}
	}
}

func names(matches []catalog.Match) string {
	list := make([]string, len(matches))
	for i, m := range matches {
		list[i] = m.ProductName
	}
	return strings.Join(list, " ")
}

func TestCreate(t *testing.T) {
	c := open(t)
	create(t, c, tea("Barley Tea", 0))
	tests := []struct {
		name string
		p    catalog.Product
		want error
	}{
		{"the same", tea("Barley Tea", 90), catalog.ErrDuplicate},
		{"other case and spaces", tea(" barley   TEA ", 90), catalog.ErrDuplicate},
		{"another brand", tea("Barley Tea", 0, func(p *catalog.Product) { p.Brand = "" }), nil},
		{"another country", tea("Barley Tea", 0, func(p *catalog.Product) { p.Country = "JP" }), nil},
		{"another language", tea("Barley Tea", 0, func(p *catalog.Product) { p.Lang = "en" }), nil},
		{"another shop", tea("Barley Tea", 0, func(p *catalog.Product) { p.Shop = "other" }), nil},
		{"another embedder", tea("Barley Tea", 0, func(p *catalog.Product) { p.Vectors.Embedder = "other" }), catalog.ErrDuplicate},
		{"the same, decomposed", tea("\u1109\u1161\u11ab", 0), nil},
		{"the same, composed", tea("산", 0), catalog.ErrDuplicate},
		{"name and brand run together", tea("Barley TeaH", 0, func(p *catalog.Product) { p.Brand = "aetsal" }), nil},
	}
	for _, test := range tests {
		id, err := c.Create(t.Context(), test.p)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: Create = %v, want %v", test.name, err, test.want)
		}
		if again, err := c.Create(t.Context(), test.p); id == "" || again != id || !errors.Is(err, catalog.ErrDuplicate) {
			t.Errorf("%s: Create again = %q, %v; want %q, %v", test.name, again, err, id, catalog.ErrDuplicate)
		}
	}
}

// IDs are stored, so they must never change.
func TestID(t *testing.T) {
	const want = "be3121c220b52fd750c3e5c55e9487e6"
	if id, err := open(t).Create(t.Context(), tea("Barley Tea", 0)); id != want || err != nil {
		t.Errorf("Create = %q, %v; want %q", id, err, want)
	}
}

func TestCreateRefuses(t *testing.T) {
	c := open(t)
	tests := []struct {
		want string
		edit func(*catalog.Product)
	}{
		{"product_name", func(p *catalog.Product) { p.ProductName = "" }},
		{"shop", func(p *catalog.Product) { p.Shop = "" }},
		{"embedder", func(p *catalog.Product) { p.Vectors.Embedder = "" }},
		{"767 dimensions", func(p *catalog.Product) { p.Vectors.Embedding = p.Vectors.Embedding[1:] }},
		{"0 key features", func(p *catalog.Product) { p.KeyFeatures = nil }},
		{"21 key features", func(p *catalog.Product) { p.KeyFeatures = make([]string, 21) }},
	}
	for _, test := range tests {
		if _, err := c.Create(t.Context(), tea("x", 0, test.edit)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Create = %v, want an error with %q", err, test.want)
		}
	}
}

// Of many writers of one product one succeeds, and the others are told.
func TestCreateIsRaceFree(t *testing.T) {
	c := open(t)
	var won, lost atomic.Int32
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			_, err := c.Create(t.Context(), tea("Barley Tea", float64(i)))
			switch {
			case err == nil:
				won.Add(1)
			case errors.Is(err, catalog.ErrDuplicate):
				lost.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	if won.Load() != 1 || lost.Load() != 19 {
		t.Errorf("%d writers won and %d lost, want 1 and 19", won.Load(), lost.Load())
	}
}

func TestAddFeatures(t *testing.T) {
	many := make([]string, 18)
	for i := range many {
		many[i] = fmt.Sprintf("feature %d", i)
	}
	tests := []struct {
		name      string
		status    catalog.Status
		has, add  []string
		want      int
		wantEmbed bool
	}{
		{"new ones", catalog.Unconfirmed, []string{"tea"}, []string{"Green", "TEA!"}, 2, true},
		{"none new", catalog.Unconfirmed, []string{"tea"}, []string{"Tea"}, 1, false},
		{"up to twenty", catalog.Unconfirmed, many, []string{"a", "b", "c"}, 20, true},
		{"a confirmed product", catalog.Confirmed, []string{"tea"}, []string{"green"}, 1, false},
		{"an imported product", catalog.Imported, []string{"tea"}, []string{"green"}, 1, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := open(t)
			id, err := c.Create(t.Context(), tea("a", 0, func(p *catalog.Product) { p.Status, p.KeyFeatures = test.status, test.has }))
			if err != nil {
				t.Fatal(err)
			}
			embedded := false
			err = c.AddFeatures(t.Context(), id, test.add, catalog.Embedder{Space: space(t, "emulated-embedding"), Embed: func(_ context.Context, all []string) ([]float32, error) {
				embedded = len(all) == test.want
				return at(90), nil
			}})
			if err != nil || embedded != test.wantEmbed {
				t.Fatalf("AddFeatures = %v, embedded %v; want embedded %v", err, embedded, test.wantEmbed)
			}
			got, err := c.Search(t.Context(), catalog.Query{Shop: "test", Space: space(t, "emulated-embedding"), Vector: at(45), Limit: 1})
			if err != nil || len(got) != 1 || len(got[0].KeyFeatures) != test.want {
				t.Errorf("the product has %v, %v; want %d features", got, err, test.want)
			}
		})
	}
}

// A change between AddFeatures' read and write is not lost.
func TestAddFeaturesYields(t *testing.T) {
	c := open(t)
	id, err := c.Create(t.Context(), tea("a", 0, func(p *catalog.Product) { p.Status = catalog.Unconfirmed }))
	if err != nil {
		t.Fatal(err)
	}
	by := catalog.Embedder{Space: space(t, "emulated-embedding"), Embed: func(context.Context, []string) ([]float32, error) { return at(0), nil }}
	slow := by
	slow.Embed = func(ctx context.Context, all []string) ([]float32, error) {
		return at(0), c.AddFeatures(ctx, id, []string{"quick"}, by)
	}
	err = c.AddFeatures(t.Context(), id, []string{"slow"}, slow)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Search(t.Context(), catalog.Query{Shop: "test", Space: space(t, "emulated-embedding"), Vector: at(0), Limit: 1})
	if err != nil || len(got) != 1 || !slices.Equal(got[0].KeyFeatures, []string{"tea", "quick"}) {
		t.Errorf("the product has %v, %v; want tea and quick", got, err)
	}
}

// The record of a GTIN is a trusted one, of the given country if possible, however many
// products have the brand.
func TestKnownRecord(t *testing.T) {
	c := open(t)
	const gtin = "08801234567893"
	coded := func(status catalog.Status, country string) func(*catalog.Product) {
		return func(p *catalog.Product) { p.GTIN, p.Status, p.Country = gtin, status, country }
	}
	create(t, c,
		tea("unconfirmed", 0, coded(catalog.Unconfirmed, "KR")),
		tea("imported", 0, coded(catalog.Imported, "JP")),
		tea("confirmed", 0, coded(catalog.Confirmed, "US")),
		tea("elsewhere", 0, coded(catalog.Confirmed, "KR"), func(p *catalog.Product) { p.Shop = "other" }),
	)
	for i := range 30 { // learnt records, and others of the brand, must not displace them
		create(t, c, tea(fmt.Sprint("learnt ", i), 0, coded(catalog.Unconfirmed, "US")), tea(fmt.Sprint("tea ", i), 0))
	}
	tests := []struct{ shop, gtin, country, brand, want string }{
		{"test", gtin, "US", "", "confirmed"},
		{"test", gtin, "JP", "", "confirmed"},
		{"test", gtin, "US", "Haetsal", "confirmed"},
		{"test", gtin, "JP", "Haetsal", "confirmed"},
		{"test", gtin, "JP", "nobody", "confirmed"},
		{"test", "09521234567893", "US", "Haetsal", ""},
		{"test", "", "US", "Haetsal", ""},
		{"other", gtin, "US", "", "elsewhere"},
		{"none", gtin, "US", "", ""},
	}
	for _, test := range tests {
		k := catalog.Keys{Shop: test.shop, GTIN: test.gtin, Country: test.country, Brands: []string{test.brand}}
		got, err := c.Known(t.Context(), k)
		name := ""
		if got.Record != nil {
			name = got.Record.ProductName
		}
		if err != nil || name != test.want {
			t.Errorf("Known(%+v) = record %q, %v; want %q", k, name, err, test.want)
		}
	}
	got, err := c.Known(t.Context(), catalog.Keys{Shop: "test", GTIN: gtin, Country: "KR"})
	if err != nil || got.Record == nil || got.Record.Status == catalog.Unconfirmed || len(got.Bearers) > 0 {
		t.Errorf("Known by a GTIN for KR = %+v, %v; want a trusted record and no bearers", got, err)
	}
}

// A look-up reads the fields that decide, and not those of a product for sale.
func TestKnownFields(t *testing.T) {
	c := open(t)
	sold := tea("sold", 0, func(p *catalog.Product) {
		p.GTIN, p.Aliases, p.BrandAliases = "08801234567893", []string{"보리차"}, []string{"햇살"}
		p.CreatedAt = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
		p.Description, p.SKU, p.Facets, p.ImageURI = strings.Repeat("long ", 100), "T-1", map[string]string{"color": "brown"}, "gs://b/i.png"
	})
	create(t, c, sold)
	got, err := c.Known(t.Context(), catalog.Keys{Shop: "test", GTIN: "08801234567893"})
	if err != nil || got.Record == nil {
		t.Fatalf("Known = %+v, %v", got, err)
	}
	r := got.Record
	for _, read := range []struct{ field, got, want string }{
		{"name", r.ProductName, sold.ProductName}, {"brand", r.Brand, sold.Brand}, {"category", r.Category, sold.Category}, {"gtin", r.GTIN, sold.GTIN},
		{"country", r.Country, sold.Country}, {"lang", r.Lang, sold.Lang}, {"status", string(r.Status), string(sold.Status)}, {"source", r.Source, sold.Source},
		{"aliases", fmt.Sprint(r.Aliases), "[보리차]"}, {"brand aliases", fmt.Sprint(r.BrandAliases), "[햇살]"},
		{"description", r.Description, ""}, {"sku", r.SKU, ""}, {"image", r.ImageURI, ""}, {"facets", fmt.Sprint(r.Facets), "map[]"}, {"features", fmt.Sprint(r.KeyFeatures), "[]"},
	} {
		if read.got != read.want {
			t.Errorf("%s = %q, want %q", read.field, read.got, read.want)
		}
	}
	if r.ID == "" || !r.CreatedAt.Equal(sold.CreatedAt) {
		t.Errorf("the record has the ID %q and was made at %v", r.ID, r.CreatedAt)
	}
}

// Brands and names are compared folded, and only with trusted records.
func TestKnownBearers(t *testing.T) {
	c := open(t)
	create(t, c, tea("a", 0, func(p *catalog.Product) { p.Brand = "The North Face®" }))
	create(t, c, tea("b", 0, func(p *catalog.Product) { p.Brand, p.Status = "Learnt Brand", catalog.Unconfirmed }))
	create(t, c, tea("Morning Tea", 0, func(p *catalog.Product) { p.Brand = "Haetsal" }))
	create(t, c, tea("Morning Tea", 0, func(p *catalog.Product) { p.Shop = "other" }))
	tests := []struct {
		brands, names []string
		want          string
	}{
		{[]string{"the", "the north", "THE  NORTH-FACE"}, nil, "The North Face®/a"},
		{[]string{"The North"}, nil, ""},
		{[]string{"Learnt Brand"}, []string{"b"}, ""},
		{nil, []string{"MORNING tea"}, "Haetsal/Morning Tea"},
		{[]string{"nobody", ""}, []string{"morning tea", "?!"}, "Haetsal/Morning Tea"},
		{nil, nil, ""},
		{[]string{""}, []string{"?!"}, ""},
	}
	for _, test := range tests {
		known, err := c.Known(t.Context(), catalog.Keys{Shop: "test", Brands: test.brands, Names: test.names})
		got := ""
		for _, p := range known.Bearers {
			got += p.Brand + "/" + p.ProductName
		}
		if err != nil || got != test.want {
			t.Errorf("Known(brands %q, names %q) = %q, %v; want %q", test.brands, test.names, got, err, test.want)
		}
	}
}
