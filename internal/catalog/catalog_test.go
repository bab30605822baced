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

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
)

func open(t *testing.T) *catalog.Catalog {
	t.Helper()
	return catalog.New(emulate.Start(t, emulate.Firestore).FirestoreClient(t))
}

func stamp(t *testing.T, model string) catalog.Stamp {
	t.Helper()
	s, err := catalog.StampOf(model)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// at is the unit vector at an angle, in degrees, from the first axis.
func at(degrees float64) []float32 {
	v := make([]float32, catalog.Dimensions)
	v[0], v[1] = float32(math.Cos(degrees*math.Pi/180)), float32(math.Sin(degrees*math.Pi/180))
	return v
}

// tea is a product whose embedding lies at an angle.
func tea(name string, degrees float64, edit ...func(*catalog.Product)) catalog.Product {
	s, _ := catalog.StampOf("emulated-embedding")
	p := catalog.Product{
		Shop: "test", ProductName: name, Brand: "Haetsal", Category: "Beverage", KeyFeatures: []string{"tea"},
		Country: "KR", Lang: "ko", Status: catalog.Imported, Source: "import", Embedder: s.ID(), Embedding: at(degrees),
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

func TestSearch(t *testing.T) {
	c := open(t)
	english := func(p *catalog.Product) { p.Lang = "en" }
	create(t, c,
		tea("a", 0), tea("b", 20), tea("c", 40), tea("d", 50), tea("far", 80),
		tea("english", 5, english),
		tea("coded", 75, func(p *catalog.Product) { p.GTIN = "08801234567893" }),
		tea("near coded", 10, func(p *catalog.Product) { p.GTIN = "09521234567893" }),
		tea("elsewhere", 0, func(p *catalog.Product) { p.Shop = "other" }),
		tea("other space", 0, func(p *catalog.Product) { p.Embedder = "gemini-embedding-2/768/" }),
		tea("german", 0, func(p *catalog.Product) { p.Shop = "german"; p.Lang = "de" }),
		tea("unrelated in french", 90, func(p *catalog.Product) { p.Lang = "fr" }),
	)
	q := catalog.Query{Shop: "test", Lang: "ko", Stamp: stamp(t, "emulated-embedding"), Vector: at(0), Limit: 3}
	change := func(f func(*catalog.Query)) catalog.Query {
		q := q
		f(&q)
		return q
	}
	tests := []struct {
		name string
		q    catalog.Query
		want string
	}{
		{"the nearest of the language", q, "a near coded b"},
		{"none under the floor", change(func(q *catalog.Query) { q.Vector = at(135); q.Limit = 9 }), "far coded"},
		{"another language where the own has none", change(func(q *catalog.Query) { q.Lang = "fr"; q.Limit = 2 }), "a english"},
		{"any language", change(func(q *catalog.Query) { q.Lang = ""; q.Limit = 2 }), "a english"},
		{"another shop", change(func(q *catalog.Query) { q.Shop = "german" }), "german"},
		{"an unknown shop", change(func(q *catalog.Query) { q.Shop = "none" }), ""},
		{"a name takes its place by its score", change(func(q *catalog.Query) { q.Name = "D!" }), "a near coded b"},
		{"a name beyond the nearest", change(func(q *catalog.Query) { q.Vector = at(61); q.Name = "A"; q.Limit = 9 }), "d coded far c b near coded a"},
		{"a GTIN beyond the nearest", change(func(q *catalog.Query) { q.Vector = at(46); q.GTINs = []string{"08801234567893"}; q.Limit = 9 }), "d c b coded far near coded a"},
		{"a GTIN under the floor", change(func(q *catalog.Query) { q.GTINs = []string{"08801234567893"}; q.Limit = 1 }), "a"},
	}
	for _, test := range tests {
		got, err := c.Search(t.Context(), test.q)
		if err != nil || names(got) != test.want {
			t.Errorf("%s: Search = %q, %v; want %q", test.name, names(got), err, test.want)
		}
	}
}

func TestScoreIsTheCosine(t *testing.T) {
	c := open(t)
	create(t, c, tea("a", 60))
	q := catalog.Query{Shop: "test", Stamp: stamp(t, "emulated-embedding"), Vector: at(0), Limit: 3}
	for _, by := range []string{"", "a"} {
		q.Name = by
		got, err := c.Search(t.Context(), q)
		if err != nil || len(got) != 1 || math.Abs(got[0].Score-0.5) > 1e-6 {
			t.Errorf("Search by name %q = %v, %v; want one with score 0.5", by, got, err)
		}
	}
}

// A floor is compared with the score itself, not with a rounded one.
func TestFloorIsExact(t *testing.T) {
	c := open(t)
	q := catalog.Query{Shop: "test", Stamp: stamp(t, "emulated-embedding"), Vector: at(0), Limit: 3}
	under := math.Acos(q.Stamp.Floor-0.004) * 180 / math.Pi
	over := math.Acos(q.Stamp.Floor+0.001) * 180 / math.Pi
	create(t, c, tea("under", under), tea("over", over))
	got, err := c.Search(t.Context(), q)
	if err != nil || names(got) != "over" {
		t.Errorf("Search = %q, %v; want the one over the floor", names(got), err)
	}
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
		{"another embedder", tea("Barley Tea", 0, func(p *catalog.Product) { p.Embedder = "other" }), nil},
		{"the same, decomposed", tea("\u1109\u1161\u11ab", 0), nil},
		{"the same, composed", tea("산", 0), catalog.ErrDuplicate},
		{"name and brand run together", tea("Barley", 0, func(p *catalog.Product) { p.Brand = "Tea Haetsal" }), nil},
	}
	for _, test := range tests {
		if _, err := c.Create(t.Context(), test.p); !errors.Is(err, test.want) {
			t.Errorf("%s: Create = %v, want %v", test.name, err, test.want)
		}
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
		{"embedder", func(p *catalog.Product) { p.Embedder = "" }},
		{"767 dimensions", func(p *catalog.Product) { p.Embedding = p.Embedding[1:] }},
		{"0 key features", func(p *catalog.Product) { p.KeyFeatures = nil }},
		{"21 key features", func(p *catalog.Product) { p.KeyFeatures = make([]string, 21) }},
	}
	for _, test := range tests {
		if _, err := c.Create(t.Context(), tea("x", 0, test.edit)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Create = %v, want an error with %q", err, test.want)
		}
	}
}

// Of many writers of one product one wins, and the others know it.
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
			err = c.AddFeatures(t.Context(), id, test.add, func(_ context.Context, all []string) ([]float32, error) {
				embedded = len(all) == test.want
				return at(90), nil
			})
			if err != nil || embedded != test.wantEmbed {
				t.Fatalf("AddFeatures = %v, embedded %v; want embedded %v", err, embedded, test.wantEmbed)
			}
			got, err := c.Search(t.Context(), catalog.Query{Shop: "test", Stamp: stamp(t, "emulated-embedding"), Vector: at(45), Limit: 1})
			if err != nil || len(got) != 1 || len(got[0].KeyFeatures) != test.want {
				t.Errorf("the product has %v, %v; want %d features", got, err, test.want)
			}
		})
	}
}

// A change made between AddFeatures' read and its write is not lost.
func TestAddFeaturesYields(t *testing.T) {
	c := open(t)
	id, err := c.Create(t.Context(), tea("a", 0, func(p *catalog.Product) { p.Status = catalog.Unconfirmed }))
	if err != nil {
		t.Fatal(err)
	}
	embed := func(context.Context, []string) ([]float32, error) { return at(0), nil }
	err = c.AddFeatures(t.Context(), id, []string{"slow"}, func(ctx context.Context, all []string) ([]float32, error) {
		return at(0), c.AddFeatures(ctx, id, []string{"quick"}, embed)
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Search(t.Context(), catalog.Query{Shop: "test", Stamp: stamp(t, "emulated-embedding"), Vector: at(0), Limit: 1})
	if err != nil || len(got) != 1 || !slices.Equal(got[0].KeyFeatures, []string{"tea", "quick"}) {
		t.Errorf("the product has %v, %v; want tea and quick", got, err)
	}
}

func TestRecord(t *testing.T) {
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
	for i := range 10 { // what was learnt does not crowd them out
		create(t, c, tea(fmt.Sprint("learnt ", i), 0, coded(catalog.Unconfirmed, "US")))
	}
	tests := []struct{ shop, gtin, country, want string }{
		{"test", gtin, "US", "confirmed"},
		{"test", gtin, "JP", "imported"},
		{"test", "09521234567893", "US", ""},
		{"other", gtin, "US", "elsewhere"},
		{"none", gtin, "US", ""},
	}
	for _, test := range tests {
		got, err := c.Record(t.Context(), test.shop, test.gtin, test.country)
		name := ""
		if got != nil {
			name = got.ProductName
		}
		if err != nil || name != test.want {
			t.Errorf("Record(%q, %q, %q) = %q, %v; want %q", test.shop, test.gtin, test.country, name, err, test.want)
		}
	}
	if got, err := c.Record(t.Context(), "test", gtin, "KR"); err != nil || got == nil || got.Status == catalog.Unconfirmed {
		t.Errorf("Record for KR = %v, %v; want a trusted one", got, err)
	}
}

func TestImported(t *testing.T) {
	c := open(t)
	if err := c.SetImported(t.Context(), "one", 3); err != nil {
		t.Fatal(err)
	}
	for hash, want := range map[string]bool{"one": true, "other": false} {
		if got, err := c.Imported(t.Context(), hash); err != nil || got != want {
			t.Errorf("Imported(%q) = %v, %v; want %v", hash, got, err, want)
		}
	}
}

func TestHasBrand(t *testing.T) {
	c := open(t)
	create(t, c, tea("a", 0, func(p *catalog.Product) { p.Brand = "The North Face®" }))
	create(t, c, tea("b", 0, func(p *catalog.Product) { p.Brand, p.Status = "Learnt Brand", catalog.Unconfirmed }))
	for brand, want := range map[string]bool{"the north face": true, "THE  NORTH-FACE": true, "The North": false, "Learnt Brand": false, "": false} {
		if got, err := c.HasBrand(t.Context(), "test", brand); err != nil || got != want {
			t.Errorf("HasBrand(%q) = %v, %v; want %v", brand, got, err, want)
		}
	}
}

func TestReadProducts(t *testing.T) {
	const one = `{"product_name":"Tea","brand":"B","category":"Beverage","key_features":["tea"],"gtin":"8801234567893"}`
	tests := []struct{ in, want string }{
		{`[` + one + `]`, "Tea/08801234567893"},
		{`{"products":[` + one + `]}`, "Tea/08801234567893"},
		{`{"next_key":2,"products":{"0":` + one + `}}`, "Tea/08801234567893"},
		{`[{"product_name":"Tea","key_features":["tea"],"gtin":"8801234567890"}]`, "Tea/"},
		{`[]`, ""},
		{`[{"product_name":"Tea"}]`, "error: product 1 needs"},
		{`{"products":3}`, "error: products"},
		{`{"pro`, "error: "},
		{``, "error: "},
	}
	for _, test := range tests {
		products, err := catalog.ReadProducts([]byte(test.in))
		got := ""
		for _, p := range products {
			got += p.ProductName + "/" + p.GTIN
		}
		want, isError := strings.CutPrefix(test.want, "error: ")
		if isError != (err != nil) || isError && !strings.Contains(err.Error(), want) || !isError && got != want {
			t.Errorf("ReadProducts(%s) = %q, %v; want %s", test.in, got, err, test.want)
		}
	}
}

func TestUnknownStamp(t *testing.T) {
	if _, err := catalog.StampOf("word2vec"); err == nil {
		t.Error("StampOf(word2vec) = nil error, want one")
	}
}
