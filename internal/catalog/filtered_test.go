package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/money"
	"example.com/whatis/internal/textfold"
)

// sold are products for sale with random values, the same in every run.
func sold(n int) []catalog.Product {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(values ...string) string { return values[random.IntN(len(values))] }
	var all []catalog.Product
	for i := range n {
		stock := random.IntN(3)
		all = append(all, pair("p"+strconv.Itoa(i), 0, 0, "", "", func(p *catalog.Product) {
			p.SKU, p.Brand, p.Category, p.Stock = p.ProductName, pick("Lune", "Sol & Co", "Étoile"), pick("Tents", "Sleeping Bags"), &stock
			p.Amount, p.Currency = float64(10+random.IntN(100_000))/pick2(random), pick("USD", "USD", "VND")
			p.Facets = map[string]string{"color": pick("Navy Blue", "moss", "Red|Navy Blue"), "size": pick("S", "M", "L")}
		}))
	}
	return all
}

func pick2(random *rand.Rand) float64 { return []float64{1, 10, 100}[random.IntN(3)] }

// Filters and counts select what a comparison of all products does, for any combination.
func TestFiltered(t *testing.T) {
	c, all := open(t), sold(120)
	create(t, c, all...)
	random := rand.New(rand.NewPCG(3, 4))
	lists := [][]catalog.Key{
		{{Facet: "color", Value: "navyblue"}}, {{Facet: "color", Value: "red"}, {Facet: "color", Value: "moss"}}, {{Facet: "size", Value: "m"}},
		{{Facet: "brand", Value: "solco"}}, {{Facet: "category", Value: "tents"}}, {{Facet: "brand", Value: "nobody"}},
	}
	for range 60 {
		q := catalog.FilterQuery{Shop: "eyewear", Space: spaceID(t), Limit: 500, InStock: random.IntN(3) == 0}
		for _, list := range lists {
			if random.IntN(4) == 0 {
				q.Any = append(q.Any, list)
			}
		}
		if q.Priced = random.IntN(2) == 0; q.Priced {
			low := float64(1 + random.IntN(3000))
			q.Prices = []money.Range{{Currency: "USD", Min: low, Max: low * float64(1+random.IntN(9))}}
		}
		var want []string
		for _, p := range all {
			if selects(q, p) {
				want = append(want, p.ProductName)
			}
		}
		n, err := c.CountFiltered(t.Context(), q)
		edges, failed := c.Edges(t.Context(), q)
		for _, p := range edges {
			if selects(q, p) {
				n++
			}
		}
		if err != nil || failed != nil || !q.Countable() || n != int64(len(want)) {
			t.Errorf("CountFiltered(%+v) = %d, %v; want %d", q, n, err, len(want))
		}
		found, err := c.Filtered(t.Context(), q)
		got := 0
		for _, p := range found {
			if selects(q, p) {
				got++
			} else if !selects(catalog.FilterQuery{Any: q.Any, InStock: q.InStock}, p) {
				t.Errorf("Filtered(%+v) has %+v", q, p)
			}
		}
		if err != nil || got != len(want) {
			t.Errorf("Filtered(%+v) has %d of %d, %v", q, got, len(want), err)
		}
	}
}

// selects reports whether q selects a product, by comparison.
func selects(q catalog.FilterQuery, p catalog.Product) bool {
	for _, keys := range q.Any {
		if !slices.ContainsFunc(keys, func(k catalog.Key) bool {
			return slices.ContainsFunc(p.Values()[k.Facet], func(value string) bool { return textfold.String(value) == k.Value })
		}) {
			return false
		}
	}
	if q.Priced && !slices.ContainsFunc(q.Prices, func(r money.Range) bool { return r.Holds(p.Price) }) {
		return false
	}
	return !q.InStock || p.Stock != nil && *p.Stock > 0
}

// That a product has several categories is noted by its import.
func TestSeveralCategories(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	noted := func(want bool) {
		t.Helper()
		if of, err := im.Catalog.ShopValues(t.Context(), im.Shop); err != nil || of.Several != want {
			t.Errorf("ShopValues.Several = %v, %v; want %v", of.Several, err, want)
		}
	}
	for _, categories := range []string{"Tents", "Tents|Sale"} {
		file := line("Fjell "+categories, fmt.Sprintf(`,"sku":%q,"facets":{"category":%[1]q}`, categories))
		if _, err := im.Run(t.Context(), strings.NewReader(file)); err != nil {
			t.Fatal(err)
		}
		noted(categories != "Tents")
	}
}

// What a shop sells is counted after an import, and a value or a price that is gone is removed.
func TestCountShop(t *testing.T) {
	im := importer(t, emulate.Start(t, emulate.Firestore, emulate.Gemini))
	bring := func(lines ...string) {
		t.Helper()
		if _, err := im.Run(t.Context(), strings.NewReader(strings.Join(lines, "\n"))); err != nil {
			t.Fatal(err)
		}
	}
	bring(`{"product_name":"A","sku":"1","brand":"Lune","category":"Tents","key_features":["a"],"price":5,"currency":"USD","facets":{"color":["Moss","Red"],"persons":2}}`,
		`{"product_name":"B","sku":"2","brand":"Lune","category":"Tents","key_features":["b"],"price":50,"currency":"USD","facets":{"color":"moss"}}`)
	bring(`{"product_name":"A","sku":"1","brand":"Lune","category":"Tarps","key_features":["a"],"price":6,"currency":"USD","facets":{"color":"Moss","persons":3}}`)
	if err := im.Catalog.CountShop(t.Context(), im.Shop, im.Space.ID()); err != nil {
		t.Fatal(err)
	}
	got, err := im.Catalog.ShopValues(t.Context(), im.Shop)
	if want := "map[brand:map[lune:{Lune 2}] category:map[tarps:{Tarps 1} tents:{Tents 1}] color:map[moss:{Moss 2}] persons:map[3:{3 1}]] map[USD:{6 50 USD}]"; err != nil ||
		fmt.Sprint(got.Values, got.Prices) != want || got.CountedAt.IsZero() {
		t.Errorf("ShopValues = %v %v, %v; want %s", got.Values, got.Prices, err, want)
	}
	bring(`{"product_name":"A","sku":"1","brand":"Lune","category":"Tents","key_features":["a"],"price":600,"currency":"VND"}`,
		`{"product_name":"B","sku":"2","brand":"Lune","category":"Tents","key_features":["b"],"price":5000,"currency":"VND","stock":0}`)
	if err := im.Catalog.CountShop(t.Context(), im.Shop, im.Space.ID()); err != nil {
		t.Fatal(err)
	}
	got, err = im.Catalog.ShopValues(t.Context(), im.Shop)
	if want := "map[VND:{600 5000 VND}]"; err != nil || fmt.Sprint(got.Prices) != want {
		t.Errorf("Prices = %v, %v; want %s, as the currency was corrected", got.Prices, err, want)
	}
}

// A value that another import brings back while a shop is counted stays listed.
func TestCountBesideAnImport(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	bring := func(color string) {
		t.Helper()
		if _, err := im.Run(t.Context(), strings.NewReader(line("A", fmt.Sprintf(`,"sku":"1","facets":{"color":%q}`, color)))); err != nil {
			t.Fatal(err)
		}
	}
	bring("red")
	bring("moss")
	back := sync.OnceFunc(func() { bring("red") })
	conn, err := grpc.NewClient(w.Firestore.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithUnaryInterceptor(func(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker, options ...grpc.CallOption) error {
			if strings.HasSuffix(method, "/Commit") {
				back()
			}
			return call(ctx, method, request, reply, conn, options...)
		}))
	if err != nil {
		t.Fatal(err)
	}
	db, err := firestore.NewClient(t.Context(), w.Project, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for range 2 { // the import counts when it is done
		if err := catalog.New(db).CountShop(t.Context(), im.Shop, im.Space.ID()); err != nil {
			t.Fatal(err)
		}
	}
	of, err := im.Catalog.ShopValues(t.Context(), im.Shop)
	if want := "map[red:{red 1}]"; err != nil || fmt.Sprint(of.Values["color"]) != want {
		t.Errorf("the shop lists %v, %v; want %s", of.Values["color"], err, want)
	}
}

// soups imports 300 products, with these facets of each.
func soups(t *testing.T, facets func(i int) map[string]string) catalog.Import {
	t.Helper()
	im := importer(t, emulate.Start(t, emulate.Firestore, emulate.Gemini))
	var file strings.Builder
	for i := range 300 {
		data, err := json.Marshal(facets(i))
		if err != nil {
			t.Fatal(err)
		}
		file.WriteString(line(fmt.Sprint("Soup ", i), fmt.Sprintf(`,"sku":"S-%d","facets":%s`, i, data)))
	}
	if done, err := im.Run(t.Context(), strings.NewReader(file.String())); err != nil || done.New != 300 {
		t.Fatalf("Run = %v, %v; want 300 new", done, err)
	}
	return im
}

// Texts as long as a description are no values that a shop lists: it imports whatever its facets
// hold.
func TestLongFacets(t *testing.T) {
	if testing.Short() {
		t.Skip("its documents are large, and under the race detector too slow")
	}
	im := soups(t, func(i int) map[string]string {
		facets := map[string]string{"color": "black"}
		for _, facet := range []string{"ingredients", "directions", "warnings", "origin"} {
			facets[facet] = fmt.Sprint(facet, i, " ", strings.Repeat("of water and salt ", 28))
		}
		return facets
	})
	of, err := im.Catalog.ShopValues(t.Context(), im.Shop)
	if err != nil || len(of.Values["color"]) != 1 || len(of.Values["ingredients"]) != 0 {
		t.Errorf("the shop lists %d colours and %d ingredients, %v; want the colour", len(of.Values["color"]), len(of.Values["ingredients"]), err)
	}
}

// A shop lists as many long values as fit in a document of Firestore and all numbers, and imports
// whatever there is.
func TestLongValues(t *testing.T) {
	if testing.Short() {
		t.Skip("its documents are large, and under the race detector too slow")
	}
	im := soups(t, func(i int) map[string]string {
		facets := map[string]string{"weight": fmt.Sprint(i, " g")}
		for j := range 12 {
			facets[fmt.Sprint("facet", j)] = fmt.Sprintf("%s %d", strings.Repeat("가", 90), i)
		}
		return facets
	})
	if err := im.Catalog.CountShop(t.Context(), im.Shop, im.Space.ID()); err != nil {
		t.Fatal(err)
	}
	of, err := im.Catalog.ShopValues(t.Context(), im.Shop)
	listed := 0
	for j := range 12 {
		listed += len(of.Values[fmt.Sprint("facet", j)])
	}
	if err != nil || listed < 500 || listed > 560 || len(of.Values["weight"]) != 300 { // long ones have 550 bytes
		t.Errorf("the shop lists %d long values and %d weights, %v; want about 540 and 300", listed, len(of.Values["weight"]), err)
	}
	last := []catalog.Key{{Facet: "facet11", Value: strings.Repeat("가", 90) + "299"}}
	if n, err := im.Catalog.CountFiltered(t.Context(), catalog.FilterQuery{Shop: im.Shop, Space: im.Space.ID(), Any: [][]catalog.Key{last}}); err != nil || n != 1 {
		t.Errorf("%d products have a value that is not listed, %v; want 1", n, err)
	}
}

// A column of a name that Firestore refuses, or that is a filter of this package's own, is told, and
// the file is imported without it.
func TestReservedFacets(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	var faults []string
	im.Fault = func(f catalog.Fault) { faults = append(faults, f.Field) }
	done, err := im.Run(t.Context(), strings.NewReader("product_name,facets.__id__,facets._stock,facets.color\nTea,7,in,green\n"))
	if want := "facets.__id__ facets._stock"; err != nil || done != (catalog.Imports{New: 1}) || strings.Join(faults, " ") != want {
		t.Errorf("Run = %v, %v, faults in %q; want one new, and %q", done, err, faults, want)
	}
	for facet, want := range map[string]int64{"color": 1, "_stock": 0} {
		if n, err := im.Catalog.Count(t.Context(), im.Shop, im.Space.ID(), map[string]string{facet: map[string]string{"color": "green", "_stock": "in"}[facet]}); err != nil || n != want {
			t.Errorf("products by %s: %d, %v; want %d", facet, n, err, want)
		}
	}
}
