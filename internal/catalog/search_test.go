package catalog_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
)

func TestSearch(t *testing.T) {
	c := open(t)
	english := func(p *catalog.Product) { p.Lang = "en" }
	create(t, c,
		tea("a", 0), tea("b", 20), tea("c", 40), tea("d", 50), tea("far", 80),
		tea("english", 5, english),
		tea("coded", 75, func(p *catalog.Product) { p.GTIN = "08801234567893" }),
		tea("near coded", 10, func(p *catalog.Product) { p.GTIN = "09521234567893" }),
		tea("elsewhere", 0, func(p *catalog.Product) { p.Shop = "other" }),
		tea("other space", 0, func(p *catalog.Product) { p.Vectors.Embedder = "gemini-embedding-2/768/" }),
		tea("german", 0, func(p *catalog.Product) { p.Shop = "german"; p.Lang = "de" }),
		tea("unrelated in french", 90, func(p *catalog.Product) { p.Lang = "fr" }),
	)
	q := catalog.Query{Shop: "test", Lang: "ko", Space: space(t, "emulated-embedding"), Vector: at(0), Limit: 3}
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
		{"a name takes its place by its score", change(func(q *catalog.Query) { q.Names = []string{"D!"} }), "a near coded b d"},
		{"a name beyond the nearest", change(func(q *catalog.Query) { q.Vector = at(61); q.Names = []string{"A"}; q.Limit = 9 }), "d coded far c b near coded a"},
		{"a GTIN beyond the nearest", change(func(q *catalog.Query) { q.Vector = at(46); q.GTINs = []string{"08801234567893"}; q.Limit = 9 }), "d c b coded far near coded a"},
		{"a GTIN under the floor", change(func(q *catalog.Query) { q.GTINs = []string{"08801234567893"}; q.Limit = 9 }), "a near coded b c d"},
		{"a name under the floor", change(func(q *catalog.Query) { q.Names = []string{"far"}; q.Limit = 9 }), "a near coded b c d"},
		{"a name and a GTIN of another language", change(func(q *catalog.Query) { q.Names, q.GTINs = []string{"English"}, []string{"09521234567893"} }), "a english near coded b"},
		{"a name as printed, and one as translated", change(func(q *catalog.Query) { q.Names = []string{"D", "c"}; q.Limit = 1 }), "a c d"},
		{"a name of another shop", change(func(q *catalog.Query) { q.Names = []string{"german"} }), "a near coded b"},
		{"a name of another embedder", change(func(q *catalog.Query) { q.Names = []string{"other space"} }), "a near coded b"},
		{"two GTINs", change(func(q *catalog.Query) {
			q.Vector, q.GTINs, q.Limit = at(61), []string{"08801234567893", "09521234567893"}, 1
		}), "d coded near coded"},
	}
	for _, test := range tests {
		got, err := c.Search(t.Context(), test.q)
		if err != nil || names(got) != test.want {
			t.Errorf("%s: Search = %q, %v; want %q", test.name, names(got), err, test.want)
		}
	}
}

// A look-up returns at most five products, and does not displace the nearest.
func TestLookupsAreBounded(t *testing.T) {
	c := open(t)
	const gtin = "08801234567893"
	english := func(p *catalog.Product) { p.Lang = "en" }
	for i := range 7 {
		brand := func(p *catalog.Product) { p.Brand = fmt.Sprint("brand ", i) }
		create(t, c, tea("named", 10, english, brand), tea("coded", 20, english, brand, func(p *catalog.Product) { p.GTIN = gtin }))
	}
	create(t, c, tea("own", 0))
	tests := []struct {
		name  string
		gtins []string
		limit int
		want  string
	}{
		{"named", nil, 20, "own named named named named named"},
		{"", []string{gtin}, 20, "own coded coded coded coded coded"},
		{"", nil, 20, "own"},
	}
	for _, test := range tests {
		q := catalog.Query{Shop: "test", Lang: "ko", Space: space(t, "emulated-embedding"), Vector: at(0), Names: []string{test.name}, GTINs: test.gtins, Limit: test.limit}
		got, err := c.Search(t.Context(), q)
		if err != nil || names(got) != test.want {
			t.Errorf("Search by name %q and GTINs %q, %d nearest = %q, %v; want %q", test.name, test.gtins, test.limit, names(got), err, test.want)
		}
	}
}

// A look-up by a name and a GTIN together also returns five.
func TestLookupsShareTheirBound(t *testing.T) {
	c := open(t)
	const gtin = "08801234567893"
	english := func(p *catalog.Product) { p.Lang = "en" }
	for i := range 7 {
		brand := func(p *catalog.Product) { p.Brand = fmt.Sprint("brand ", i) }
		create(t, c, tea("named", 10, english, brand), tea("coded", 20, english, brand, func(p *catalog.Product) { p.GTIN = gtin }))
	}
	create(t, c, tea("own", 0))
	q := catalog.Query{Shop: "test", Lang: "ko", Space: space(t, "emulated-embedding"), Vector: at(0), Names: []string{"named"}, GTINs: []string{gtin}, Limit: 3}
	got, err := c.Search(t.Context(), q)
	if err != nil || len(got) != 6 || got[0].ProductName != "own" || got[1].ProductName != "named" {
		t.Errorf("Search by a name and a GTIN = %q, %v; want own, and five that are named or coded", names(got), err)
	}
}

// However a product is found, it has all its fields except the vector; for a look-up of what is
// known of a photo, those that decide.
func TestNothingButTheVectorIsLeftOut(t *testing.T) {
	c := open(t)
	const gtin = "08801234567893"
	whole := tea("a", 0, func(p *catalog.Product) {
		p.UUID, p.GTIN, p.Provenance, p.Probability, p.CreatedAt = "u", gtin, []string{"gs://b/o"}, 0.5, time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	})
	create(t, c, whole)
	whole = whole.WithoutVectors()
	whole.NameKey, whole.BrandKey = "a", "haetsal"
	q := catalog.Query{Shop: "test", Lang: "ko", Space: space(t, "emulated-embedding"), Vector: at(0), Limit: 3}
	near, err := c.Nearest(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	q.Names = []string{"a"}
	named, err := c.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	known, err := c.Known(t.Context(), catalog.Keys{Shop: "test", GTIN: gtin})
	if err != nil {
		t.Fatal(err)
	}
	deciding := whole
	deciding.UUID, deciding.Shop, deciding.KeyFeatures, deciding.NameKey, deciding.BrandKey, deciding.Vectors = "", "", nil, "", "", catalog.Vectors{}
	for _, found := range []struct {
		by        string
		got, want catalog.Product
	}{{"Nearest", near[0].Product, whole}, {"Search", named[0].Product, whole}, {"Known", *known.Record, deciding}} {
		found.got.ID, found.got.Distance = "", 0
		if !reflect.DeepEqual(found.got, found.want) {
			t.Errorf("%s = %+v, want %+v", found.by, found.got, found.want)
		}
	}
}

// A product found in several ways is one match.
func TestMatchesAreDistinct(t *testing.T) {
	c := open(t)
	const gtin = "08801234567893"
	create(t, c, tea("a", 0, func(p *catalog.Product) { p.GTIN = gtin }), tea("b", 20))
	q := catalog.Query{Shop: "test", Space: space(t, "emulated-embedding"), Vector: at(0), Names: []string{"a"}, GTINs: []string{gtin, gtin}, Limit: 9}
	got, err := c.Search(t.Context(), q)
	if err != nil || names(got) != "a b" {
		t.Errorf("Search = %q, %v; want a and b, once each", names(got), err)
	}
}

// A zero vector has no direction: it is near nothing, and not an error.
func TestZeroVectors(t *testing.T) {
	c := open(t)
	zero := make([]float32, catalog.Dimensions)
	create(t, c, tea("a", 0), tea("zero", 0, func(p *catalog.Product) { p.Vectors.Embedding = zero }))
	low := space(t, "emulated-embedding")
	low.Floor = -0.5
	tests := []struct {
		name string
		q    catalog.Query
		want string
	}{
		{"a product", catalog.Query{Vector: at(0)}, "a"},
		{"a product, by its name", catalog.Query{Vector: at(0), Names: []string{"zero"}}, "a"},
		{"the query", catalog.Query{Vector: zero}, ""},
		{"the query, and a name", catalog.Query{Vector: zero, Names: []string{"a"}}, ""},
	}
	for _, test := range tests {
		test.q.Shop, test.q.Space, test.q.Limit = "test", low, 9
		got, err := c.Search(t.Context(), test.q)
		if err != nil || names(got) != test.want {
			t.Errorf("%s is zero: Search = %q, %v; want %q", test.name, names(got), err, test.want)
		}
		for _, m := range got {
			if math.IsNaN(m.Score) {
				t.Errorf("%s is zero: the score of %s is NaN", test.name, m.ProductName)
			}
		}
	}
}

func TestScoreIsTheCosine(t *testing.T) {
	c := open(t)
	create(t, c, tea("a", 60))
	q := catalog.Query{Shop: "test", Space: space(t, "emulated-embedding"), Vector: at(0), Limit: 3}
	for _, by := range []string{"", "a"} {
		q.Names = []string{by}
		got, err := c.Search(t.Context(), q)
		if err != nil || len(got) != 1 || math.Abs(got[0].Score-0.5) > 1e-6 {
			t.Errorf("Search by name %q = %v, %v; want one with score 0.5", by, got, err)
		}
	}
}

// The floor is compared with the exact score, not a rounded one.
func TestFloorIsExact(t *testing.T) {
	c := open(t)
	q := catalog.Query{Shop: "test", Space: space(t, "emulated-embedding"), Vector: at(0), Limit: 3}
	under := math.Acos(q.Space.Floor-0.004) * 180 / math.Pi
	over := math.Acos(q.Space.Floor+0.001) * 180 / math.Pi
	create(t, c, tea("under", under), tea("over", over))
	got, err := c.Search(t.Context(), q)
	if err != nil || names(got) != "over" {
		t.Errorf("Search = %q, %v; want the one over the floor", names(got), err)
	}
}

// A brand with an acceptable product is searched alone and costs the reads of its own
// products; a brand without one costs one read per hundred products, at least one, and
// hides nothing.
func TestNarrowByBrand(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	c := catalog.New(w.FirestoreClient(t))
	brand := func(name string) func(*catalog.Product) { return func(p *catalog.Product) { p.Brand = name } }
	var all []catalog.Product
	for i := range 250 {
		all = append(all, tea(fmt.Sprint("other ", i), 30, brand("Other")))
	}
	create(t, c, append(all, tea("own", 1, brand("Own")), tea("own too", 20, brand("OWN")), tea("far", 80, brand("Far")))...)
	q := catalog.Query{Shop: "test", Lang: "ko", Space: space(t, "emulated-embedding"), Vector: at(0), Limit: 3}
	for _, test := range []struct {
		brand, first string
		found        int
		vectors      int // reads
	}{
		{"own", "own", 2, 1},
		{"", "own", 3, 3},
		{"Far", "own", 3, 4},
		{"Unknown", "own", 3, 4},
	} {
		w.Firestore.ResetCalls()
		q.Brand = test.brand
		got, err := c.Nearest(t.Context(), q)
		if err != nil || len(got) != test.found || got[0].ProductName != test.first {
			t.Errorf("brand %q: Nearest = %q, %v; want %d, %s first", test.brand, names(got), err, test.found, test.first)
		}
		if n := w.Firestore.Reads().Vectors; n != test.vectors {
			t.Errorf("brand %q: %d reads of vectors, want %d", test.brand, n, test.vectors)
		}
	}
}

// A score equal to the floor is a match.
func TestFloorItself(t *testing.T) {
	c := open(t)
	create(t, c, tea("a", 60))
	q := catalog.Query{Shop: "test", Space: space(t, "emulated-embedding"), Vector: at(0), Limit: 3}
	matches, err := c.Search(t.Context(), q)
	if err != nil || len(matches) != 1 {
		t.Fatalf("Search = %v, %v; want one", matches, err)
	}
	score := matches[0].Score
	for floor, want := range map[float64]string{math.Nextafter(score, 0): "a", score: "a", math.Nextafter(score, 1): ""} {
		q.Space.Floor = floor
		if got, err := c.Search(t.Context(), q); err != nil || names(got) != want {
			t.Errorf("Search with a floor of %v for a score of %v = %q, %v; want %q", floor, score, names(got), err, want)
		}
	}
}
