package search

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/search/query"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

// An asked is a question as a perfect model reads it, and of which kind it is.
type asked struct {
	kind string
	u    Understanding
}

// What a question finds and counts is what a comparison of all products says, of any number of
// them: filters, "or", "not", prices, numbers, what is in stock, an order by price, a brand that
// the shop does not have. What each kind reads is bounded. WHATIS_SHOP=10000 takes so many.
func TestExactAtAnySize(t *testing.T) {
	n := 350 // more than are compared at first
	if many, err := strconv.Atoi(os.Getenv("WHATIS_SHOP")); err == nil {
		n = many
	}
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	p, goods := shopOf(t, w, n)
	random := rand.New(rand.NewPCG(5, 6))
	most := map[string]emulated.Reads{}
	for i := range 144 { // each kind sixteen times
		q := question(random, i, p.shopNamed(t).prices[0])
		w.Firestore.ResetCalls()
		r, err := p.ask(t, i, q)
		if err != nil {
			t.Fatalf("%d. %+v: %v", i, q, err)
		}
		reads := w.Firestore.Reads()
		got := most[q.kind]
		most[q.kind] = emulated.Reads{Documents: max(got.Documents, reads.Documents), Vectors: max(got.Vectors, reads.Vectors), Counts: max(got.Counts, reads.Counts)}
		if wrong := judge(q.u, goods, r); wrong != "" {
			t.Errorf("%d. %s %+v: %s", i, q.kind, q.u, wrong)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(most)) {
		t.Logf("of %d products, %s reads at most %+v", n, kind, most[kind])
		if limit := mostReads(kind); most[kind].Documents > limit {
			t.Errorf("of %d products, %s reads %d documents, want %d at most", n, kind, most[kind].Documents, limit)
		}
	}
}

// mostReads is how many documents a question of a kind may read: the nearest 1,000 by the words, or
// fewer and then those that meet the conditions; of a count none.
func mostReads(kind string) int {
	if strings.HasPrefix(kind, "count") {
		return 0
	}
	return nearest + catalog.MaxNearest + 2*MaxLimit
}

// shopNamed returns the shop of the test.
func (p *Pipeline) shopNamed(t *testing.T) *shop {
	t.Helper()
	s, err := p.knownShop(t.Context(), p.Shop)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask runs a question, which the model has read already.
func (p *Pipeline) ask(t *testing.T, i int, q asked) (Result, error) {
	words := "please " + strings.Repeat("x", 1+i%26) + string(rune('a'+i/26))
	p.readings.Set(store.HashID(p.Shop, p.shopNamed(t).facets, "", textfold.Caseless(words)), q.u)
	limit := 20
	return p.Run(t.Context(), Request{Query: words, Limit: &limit}, nil)
}

// A good is a product of the test's shop.
type good struct {
	Name     string            `json:"product_name"`
	SKU      string            `json:"sku"`
	Brand    string            `json:"brand"`
	Category string            `json:"category"`
	Price    float64           `json:"price"`
	Currency string            `json:"currency"`
	Stock    int               `json:"stock"`
	Features []string          `json:"key_features"`
	Facets   map[string]string `json:"facets"`
}

// goodsOf returns n products. Of some values there are many, of others a handful.
func goodsOf(n int) (all []good) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(values []string) string { // the further behind, the rarer
		return values[int(float64(len(values))*math.Pow(random.Float64(), 3))]
	}
	for i := range n {
		g := good{Name: fmt.Sprintf("Good %d", i), SKU: fmt.Sprintf("G-%06d", i), Brand: pick(testBrands), Category: pick(testCategories), Currency: "VND", Stock: random.IntN(4), Features: []string{"good"}}
		g.Price = math.Round(50_000 * math.Exp2(6*random.Float64()))
		g.Facets = map[string]string{"hue": pick(testHues), "fabric": pick(testFabrics), "weight": strconv.FormatFloat(float64(1+random.IntN(40))/4, 'f', -1, 64) + " kg"}
		if random.IntN(9) == 0 {
			g.Facets["hue"] += "|" + testHues[i%len(testHues)]
		}
		all = append(all, g)
	}
	return all
}

var (
	testBrands     = named("Brand", 40)
	testCategories = named("Kind", 9)
	testHues       = named("Hue", 14)
	testFabrics    = named("Fabric", 25)
)

func named(of string, n int) (all []string) {
	for i := range n {
		all = append(all, of+" "+string(rune('A'+i%26))+strings.Repeat("x", i/26))
	}
	return all
}

// question returns the i-th question.
func question(random *rand.Rand, i int, prices PriceRange) asked {
	u := hintOf(query.Reading{Lang: "en"})
	some := func(values []string) string { return values[random.IntN(len(values))] }
	add := func(facet string, values []string) { u.Wanted = append(u.Wanted, Statement{facet, some(values)}) }
	kind := []string{"filters", "or", "not", "price", "numbers", "in stock", "cheapest", "unknown brand", "everything"}[i%9]
	switch kind {
	case "filters":
		add("category", testCategories)
		add("hue", testHues)
		add("fabric", testFabrics)
	case "or":
		add("hue", testHues)
		add("hue", testHues)
		add("brand", testBrands)
		add("brand", testBrands)
	case "not":
		add("category", testCategories)
		u.Unwanted = append(u.Unwanted, Statement{"hue", testHues[0]}, Statement{"hue", some(testHues)}, Statement{"brand", some(testBrands[:5])})
	case "numbers":
		add("category", testCategories)
		u.Ranges = append(u.Ranges, Bounds{Facet: "weight", Min: float64(random.IntN(9)), Max: float64(9 + random.IntN(3))})
	case "in stock":
		u.InStock = true
		add("fabric", testFabrics)
	case "cheapest":
		add("brand", testBrands)
		u.Sort = []Sort{PriceUp, PriceDown}[random.IntN(2)]
	case "unknown brand":
		u.Wanted = append(u.Wanted, Statement{"brand", "Nobody & Sons"})
	}
	if kind == "price" || kind == "everything" {
		low := prices.Min * math.Exp2(5*random.Float64())
		u.Ranges = append(u.Ranges, Bounds{Facet: priceFacet, Min: math.Round(low), Max: math.Round(low * (1 + 2*random.Float64()))})
		add("fabric", testFabrics)
	}
	if kind == "everything" {
		add("hue", testHues)
		u.InStock = true
		u.Unwanted = append(u.Unwanted, Statement{"category", testCategories[0]})
	}
	if i/9%2 == 1 || kind == "unknown brand" {
		u.Intent, kind = CategoryStats, "count, "+kind
	}
	return asked{kind, u}
}

// meets reports whether a product is what a reading wants, by comparison.
func meets(u Understanding, g good) bool {
	has := func(one Statement) bool {
		values := map[string]string{"brand": g.Brand, "category": g.Category, "hue": g.Facets["hue"], "fabric": g.Facets["fabric"]}
		return slices.Contains(strings.Split(values[one.Facet], "|"), one.Value)
	}
	met := map[string]bool{}
	for _, one := range u.Wanted {
		met[one.Facet] = met[one.Facet] || has(one)
	}
	for _, is := range met {
		if !is {
			return false
		}
	}
	for _, r := range u.Ranges {
		n := g.Price
		if r.Facet == "weight" {
			n, _ = strconv.ParseFloat(strings.TrimSuffix(g.Facets["weight"], " kg"), 64)
		}
		if r.Min > 0 && n < r.Min || r.Max > 0 && n > r.Max {
			return false
		}
	}
	return !slices.ContainsFunc(u.Unwanted, has) && (!u.InStock || g.Stock > 0)
}

// judge compares an answer with all products, and says what is wrong with it.
func judge(u Understanding, goods []good, r Result) string {
	right := map[string]good{}
	for _, g := range goods {
		if meets(u, g) {
			right[g.Name] = g
		}
	}
	if u.Intent == CategoryStats {
		if r.Result.Stats == nil || r.Result.Stats.Total != int64(len(right)) {
			return fmt.Sprintf("counted %+v, want %d", r.Result.Stats, len(right))
		}
		return ""
	}
	if len(right) == 0 {
		if len(r.Relaxed) == 0 && len(r.Products) > 0 {
			return "found what there is not"
		}
		return ""
	}
	if len(r.Products) != min(20, len(right)) || len(r.Relaxed) > 0 {
		return fmt.Sprintf("%d products without %v, want %d of %d", len(r.Products), r.Relaxed, min(20, len(right)), len(right))
	}
	var prices, all []float64
	for i, hit := range r.Products {
		if before := r.Products[max(i-1, 0)]; u.Sort == "" && before.Score == hit.Score && *before.Stock > 0 == (*hit.Stock > 0) && before.Name > hit.Name {
			return fmt.Sprintf("%s before %s: both score %v", before.Name, hit.Name, hit.Score)
		}
		if _, ok := right[hit.Name]; !ok {
			return hit.Name + " is none that is wanted"
		}
		prices = append(prices, hit.Amount)
	}
	if u.Sort == "" {
		return ""
	}
	// What is sold out comes last.
	ordered := slices.SortedFunc(maps.Values(right), func(a, b good) int {
		if d := min(b.Stock, 1) - min(a.Stock, 1); d != 0 {
			return d
		}
		if u.Sort == PriceDown {
			a, b = b, a
		}
		return int(a.Price - b.Price)
	})
	for _, g := range ordered[:len(prices)] {
		all = append(all, g.Price)
	}
	if !slices.Equal(prices, all) {
		return fmt.Sprintf("prices %v, want %v", prices, all)
	}
	return ""
}

// shopOf returns a search of a shop with n products, whose vectors are random.
func shopOf(t *testing.T, w *emulate.World, n int) (*Pipeline, []good) {
	t.Helper()
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		t.Fatal(err)
	}
	goods, file := goodsOf(n), &bytes.Buffer{}
	for _, g := range goods {
		if err := json.NewEncoder(file).Encode(g); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(7, 8))
	vectors := func(_ context.Context, texts []string) ([][]float32, error) {
		all := make([][]float32, len(texts))
		for i := range all {
			all[i] = make([]float32, catalog.Dimensions)
			all[i][random.IntN(catalog.Dimensions)] = 1
		}
		return all, nil
	}
	p, err := New(Config{Gemini: model, Catalog: catalog.New(w.FirestoreClient(t)), Space: space, Shop: "goods", Model: "emulated-image"})
	if err != nil {
		t.Fatal(err)
	}
	done, err := catalog.Import{Catalog: p.Catalog, Shop: p.Shop, Space: space, Embed: vectors, EmbedDocuments: vectors}.Run(t.Context(), file)
	if err != nil || done.New != n {
		t.Fatalf("import = %+v, %v; want %d", done, err, n)
	}
	return p, goods
}
