package index

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/money"
	"example.com/whatis/internal/textfold"
)

// What a query finds, in its order, and what it counts is what a comparison of all products says.
// WHATIS_SHOP=100000 takes so many.
func TestFindIsExact(t *testing.T) {
	n := 600
	if many, err := strconv.Atoi(os.Getenv("WHATIS_SHOP")); err == nil {
		n = many
	}
	goods := goodsOf(n)
	begun := time.Now()
	x := filled(t, goods...)
	info, _ := os.Stat(x.path)
	t.Logf("%d products: %v, %d bytes", n, time.Since(begun).Round(time.Millisecond), info.Size())
	random := rand.New(rand.NewPCG(7, 8))
	var finding, counting time.Duration
	for i := range 200 {
		q := queryOf(random, goods)
		begun := time.Now()
		page, total, err := x.Find(t.Context(), "shop", q)
		if err != nil {
			t.Fatalf("Find(%+v): %v", q, err)
		}
		finding += time.Since(begun)
		want := plain(goods, q)
		if got, all := idsOf(page), len(want); total != all && len(page) > 0 || !slices.Equal(got, want[min(q.Offset, all):min(q.Offset+q.Limit, all)]) {
			t.Fatalf("%d. Find(%+v) = %v of %d, want %v of %d", i, q, got, total, want[min(q.Offset, all):min(q.Offset+q.Limit, all)], all)
		}
		begun = time.Now()
		q.Exact = nil
		all, counts, err := x.Count(t.Context(), q, "color")
		if err != nil {
			t.Fatalf("Count(%+v): %v", q, err)
		}
		counting += time.Since(begun)
		matching := plain(goods, q)
		q.Any = append(slices.Clone(q.Any), Values{"color", []string{"black"}})
		black := len(plain(goods, q))
		if all != len(matching) || counts["black"] != black {
			t.Fatalf("%d. Count(%+v) = %d, of which %d black; want %d and %d", i, q, all, counts["black"], len(matching), black)
		}
	}
	t.Logf("%v a page, %v a count", finding/200, counting/200)
}

// filled returns an index of products.
func filled(t *testing.T, goods ...catalog.Product) *Index {
	t.Helper()
	x, err := Create(t.Context(), filepath.Join(t.TempDir(), "index.sqlite"), About{Database: "db", Shop: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for some := range slices.Chunk(goods, 1000) {
		if err := x.Put(t.Context(), some...); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

func goodsOf(n int) (all []catalog.Product) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(values ...string) string { return values[int(float64(len(values))*math.Pow(random.Float64(), 2))] }
	for i := range n {
		p := catalog.Product{ID: fmt.Sprintf("%032x", i), Shop: "shop", ProductName: fmt.Sprintf("%s %s", pick("Tent", "Lamp", "Chair", "Café table"), pick("One", "Two", "Three", "Four")),
			SKU: fmt.Sprintf("S-%d", i), Brand: pick("Brand A", "Brand B", "Brand C"), Category: pick("tents", "lamps", "chairs"), CreatedAt: time.Unix(int64(random.IntN(1000)), 0), Description: "made of " + pick("wood", "steel", "cotton")}
		p.Facets = map[string]string{"color": pick("black", "white", "red|black", "green"), "weight": strconv.Itoa(1+random.IntN(20)) + " kg"}
		if random.IntN(10) > 0 {
			p.Price = catalog.Price{Amount: float64(1 + random.IntN(200)), Currency: pick("USD", "VND")}
		}
		p.Availability = []catalog.Availability{catalog.Unknown, catalog.InStock, catalog.InStock, catalog.OutOfStock}[random.IntN(4)]
		if random.IntN(3) == 0 {
			p.VariantOf = fmt.Sprint("of ", random.IntN(1+n/5))
		}
		all = append(all, p)
	}
	return all
}

func queryOf(random *rand.Rand, goods []catalog.Product) Query {
	q := Query{Limit: 20, Offset: 10 * random.IntN(3), Once: random.IntN(2) == 0, Currencies: []string{"VND", "USD"}, Order: []Order{"", Cheapest, Dearest, Newest}[random.IntN(4)]}
	maybe := func() bool { return random.IntN(3) == 0 }
	if maybe() {
		q.Any = append(q.Any, Values{"color", []string{"black", "green"}})
	}
	if maybe() {
		q.Any = append(q.Any, Values{"brand", []string{"branda"}})
	}
	if maybe() {
		q.None = append(q.None, Values{"category", []string{"chairs"}}, Values{"color", []string{"white"}})
	}
	if maybe() {
		q.Prices = [][]money.Range{{{Min: 20, Max: 90, Currency: "USD"}, {Max: 50, Currency: "VND"}}}
	}
	if maybe() {
		q.Preferred = []Values{{"brand", []string{"brandb"}}}
	}
	q.InStock, q.SoldOut = maybe(), maybe()
	if q.All = random.IntN(2) == 0; !q.All || maybe() {
		q.Words = Tokens([]string{"tent", "cafe", "lamp two", "steel", "wood chair", "none"}[random.IntN(6)])
		q.Named = Tokens([]string{"", "two", "lamp two"}[random.IntN(3)])
	}
	for range random.IntN(2) * 50 {
		p := goods[random.IntN(len(goods))]
		if !slices.ContainsFunc(q.Near, func(n Near) bool { return n.ID == p.ID }) {
			q.Near = append(q.Near, Near{p.ID, float64(random.IntN(90)) / 100, maybe()})
		}
	}
	if maybe() {
		q.Exact = []string{goods[random.IntN(len(goods))].ID}
	}
	return q
}

// plain returns the IDs of the products of a query, by comparison of all.
func plain(goods []catalog.Product, q Query) (ids []string) {
	has := func(p catalog.Product, of Values) bool {
		return slices.ContainsFunc(p.ValuesOf(of.Facet), func(v string) bool { return slices.Contains(of.Keys, textfold.Name(v)) })
	}
	near := func(p catalog.Product) int {
		return slices.IndexFunc(q.Near, func(n Near) bool { return n.ID == p.ID })
	}
	stands := func(all []string, texts ...string) bool {
		words := Tokens(strings.Join(texts, " "))
		return len(all) > 0 && !slices.ContainsFunc(all, func(w string) bool { return !slices.Contains(words, w) })
	}
	worded := func(p catalog.Product) bool { return stands(q.Named, p.ProductName, p.Brand, p.SKU) }
	meets := func(p catalog.Product) bool {
		for _, of := range q.Any {
			if !has(p, of) {
				return false
			}
		}
		for _, ranges := range q.Prices {
			if !slices.ContainsFunc(ranges, func(r money.Range) bool { return p.Price.Known() && r.Holds(p.Price) }) {
				return false
			}
		}
		found := q.All || near(p) >= 0 || worded(p) || stands(q.Words, p.ProductName, p.Brand, p.SKU, p.Category, p.Description, p.Facets["color"], p.Facets["weight"])
		return found && !slices.ContainsFunc(q.None, func(of Values) bool { return has(p, of) }) && (!q.InStock || p.Availability == catalog.InStock)
	}
	rank := func(p catalog.Product) []float64 {
		yes := func(is bool) float64 { return map[bool]float64{true: 0, false: 1}[is] }
		place, score, among := slices.Index(q.Exact, p.ID), -9.0, q.All && len(q.Near) == 0
		if i := near(p); i >= 0 {
			score, among = q.Near[i].Score, q.Near[i].Among
		}
		if place < 0 {
			place = 1000
		}
		all := []float64{float64(place), yes(q.SoldOut || p.Availability != catalog.OutOfStock), yes(worded(p)), yes(among && slices.ContainsFunc(q.Preferred, func(of Values) bool { return has(p, of) }))}
		currency := slices.Index(q.Currencies, p.Currency)
		if currency < 0 {
			currency = 1000
		}
		switch q.Order {
		case Cheapest:
			all = append(all, float64(currency), p.Amount)
		case Dearest:
			all = append(all, float64(currency), -p.Amount)
		case Newest:
			all = append(all, -float64(p.CreatedAt.Unix()))
		}
		if q.Order != "" && !p.Price.Known() {
			all = append(all, -float64(p.CreatedAt.Unix()))
		} else {
			all = append(all, 0)
		}
		return append(all, -score)
	}
	var found []catalog.Product
	for _, p := range goods {
		if meets(p) || slices.Contains(q.Exact, p.ID) {
			found = append(found, p)
		}
	}
	ranks := map[string][]float64{}
	for _, p := range found {
		ranks[p.ID] = rank(p)
	}
	slices.SortFunc(found, func(a, b catalog.Product) int {
		return cmp.Or(slices.Compare(ranks[a.ID], ranks[b.ID]), strings.Compare(a.ProductName, b.ProductName), strings.Compare(a.SKU, b.SKU), strings.Compare(a.ID, b.ID))
	})
	seen := map[string]bool{}
	for _, p := range found {
		key, _ := p.VariantKey()
		if !q.Once || !seen[key] {
			ids = append(ids, p.ID)
		}
		seen[key] = true
	}
	return ids
}

func idsOf(page []Hit) (ids []string) {
	for _, h := range page {
		ids = append(ids, h.ID)
	}
	return ids
}

// Products are found by what people type of their names, whatever its script, spaces and units.
func TestWords(t *testing.T) {
	names := []string{"Honda 本田 部品", "Shelf 90cm oak", "Shelf 90 cm pine", "Shelf 190 cm", "Lens filter 2.5 mm", "C++ Primer", "C# Primer", "Kính râm nữ", "ข้าวหอมมะลิ 5 กก.", "안경 검정", "自転車ブレーキ"}
	var goods []catalog.Product
	for i, name := range names {
		goods = append(goods, catalog.Product{ID: fmt.Sprintf("%032x", i), ProductName: name, SKU: fmt.Sprintf("EW-10%02d", i), Brand: "Acme"})
	}
	x := filled(t, goods...)
	for typed, want := range map[string][]int{
		"本田": {0}, "部品": {0}, "90cm": {1, 2}, "90 cm shelf": {1, 2}, "90": {1, 2}, "shelf cm": {1, 2, 3}, "2.5mm": {4}, "25mm": nil, "c++": {5}, "C#": {6}, "kinh ram": {7},
		"หอม": {8}, "검정 안경": {9}, "ブレーキ": {10}, "車": {10}, "EW-1003": {3}, "ew1003": {3}, "acme primer": {5, 6}, "filter -lens": {4}, `"*:^(`: nil, "NEAR": nil,
	} {
		page, total, err := x.Find(t.Context(), "shop", Query{Words: Tokens(typed), Limit: 20})
		var got []int
		for _, h := range page {
			i, _ := strconv.ParseInt(h.ID, 16, 64)
			got = append(got, int(i))
		}
		if slices.Sort(got); err != nil || !slices.Equal(got, want) || total != len(want) {
			t.Errorf("Find(%q) = %v of %d, %v; want %v", typed, got, total, err, want)
		}
	}
}

// A misspelt word is told, and so is a part of one; a number is no other number.
func TestKnown(t *testing.T) {
	x := filled(t, catalog.Product{ID: "1", ProductName: "Headlamp titanium 1500", SKU: "QX-77120", Brand: "Acme"})
	for typed, want := range map[string]string{"headlmap": "headlamp", "titanum": "titanium", "lamp": "headlamp", "7712": "77120", "1501": "", "zzzzzz": "", "headlamp": "headlamp"} {
		known, _, spelled, err := x.Known(t.Context(), []string{typed})
		if got := strings.Join(known, " ") + spelled[typed]; err != nil || got != want {
			t.Errorf("Known(%q) = %q, %q, %v; want %q", typed, known, spelled, err, want)
		}
	}
}

func TestSuggest(t *testing.T) {
	goods := []catalog.Product{
		{ID: "1", ProductName: "Tent One", SKU: "1", Brand: "Tentco", Category: "tents"}, {ID: "2", ProductName: "Family tent", SKU: "2", Brand: "Acme", Category: "tents"},
		{ID: "3", ProductName: "Lamp for tents", SKU: "3", Brand: "Acme", Category: "lamps"}, {ID: "4", ProductName: "Tent sold out", SKU: "4", Availability: catalog.OutOfStock, Category: "tents"},
	}
	x := filled(t, goods...)
	for typed, want := range map[string]string{
		"ten": "category tents, brand Tentco, product Tent One, product Family tent, product Lamp for tents, product Tent sold out", "family te": "product Family tent", "zz": "", "": "",
	} {
		all, err := x.Suggest(t.Context(), typed, 6)
		var got []string
		for _, s := range all {
			got = append(got, s.Kind+" "+s.Text)
		}
		if err != nil || strings.Join(got, ", ") != want {
			t.Errorf("Suggest(%q) = %v, %v; want %s", typed, got, err, want)
		}
	}
}

// What is put again replaces what was there, and what is deleted or no longer for sale is gone, from
// names, values and counts too.
func TestPutAndDelete(t *testing.T) {
	tent := catalog.Product{ID: "1", ProductName: "Red tent", SKU: "1", Brand: "Acme", Category: "tents", Price: catalog.Price{Amount: 5, Currency: "USD"}}
	lamp := catalog.Product{ID: "2", ProductName: "Lamp", SKU: "2", Brand: "Acme", Category: "lamps", Price: catalog.Price{Amount: 7, Currency: "USD"}}
	x := filled(t, tent, lamp)
	tent.ProductName, tent.Category, tent.Price.Amount = "Blue tent", "shelters", 9
	if err := x.Put(t.Context(), tent); err != nil {
		t.Fatal(err)
	}
	lamp.NotForSale = true
	if err := errors.Join(x.Put(t.Context(), lamp), x.Put(t.Context(), tent)); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]int{"red": 0, "blue": 1, "lamp": 0, "shelters": 1, "tents": 0} {
		if _, n, err := x.Find(t.Context(), "shop", Query{Words: Tokens(typed), Limit: 5}); n != want || err != nil {
			t.Errorf("Find(%q) finds %d, %v; want %d", typed, n, err, want)
		}
	}
	held, err := x.Held(t.Context())
	prices, _ := x.Prices(t.Context())
	if len(held["category"]) != 1 || held["category"][0] != (Value{"shelters", 1}) || err != nil || len(prices) != 1 || prices[0].Min != 9 || prices[0].Max != 9 {
		t.Errorf("Held = %v, %v, Prices = %v; want shelters once and 9 USD", held, err, prices)
	}
	if err := x.Delete(t.Context(), "1", "missing"); err != nil {
		t.Fatal(err)
	}
	if n, err := x.Nature(t.Context()); n.Size != 0 || err != nil {
		t.Errorf("Nature after a delete = %+v, %v; want no products", n, err)
	}
}

// A snapshot is opened as what it is of, and as nothing else.
func TestSnapshot(t *testing.T) {
	x := filled(t, catalog.Product{ID: "1", ProductName: "Tent", SKU: "1"})
	at := time.Unix(1000, 5000).UTC()
	path := filepath.Join(t.TempDir(), "snapshot")
	if err := errors.Join(x.SetUntil(t.Context(), at), x.Snapshot(t.Context(), path)); err != nil {
		t.Fatal(err)
	}
	for _, other := range []About{{Database: "db", Shop: "other"}, {Database: "other", Shop: "shop"}} {
		if _, err := Open(t.Context(), path, other); !errors.Is(err, ErrOther) {
			t.Errorf("Open as %+v = %v, want ErrOther", other, err)
		}
	}
	if err := os.WriteFile(path+"broken", []byte("no database, but long enough to be taken for one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path+"broken", About{Database: "db", Shop: "shop"}); !errors.Is(err, ErrOther) {
		t.Errorf("Open of a broken file = %v, want ErrOther", err)
	}
	same, err := Open(t.Context(), path, About{Database: "db", Shop: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	defer same.Close()
	until, err := same.Until(t.Context())
	if n, sizeErr := same.Nature(t.Context()); n.Size != 1 || sizeErr != nil || err != nil || !until.Equal(at) {
		t.Errorf("the snapshot has %+v until %v, %v, %v; want 1 until %v", n, until, err, sizeErr, at)
	}
}
