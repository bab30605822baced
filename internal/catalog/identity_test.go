package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
)

// records returns the shop's records as name/SKU/GTIN, sorted.
func records(t *testing.T, im catalog.Import) string {
	t.Helper()
	var all []string
	for p, err := range im.Catalog.All(t.Context(), im.Shop, im.Space.ID()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s/%s/%s", p.ProductName, p.SKU, strings.TrimLeft(p.GTIN, "0")))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// A catalogue has one record a product, whatever the files call it: its SKU identifies it, else
// its GTIN, else its name.
func TestOneRecordAProduct(t *testing.T) {
	const head = "product_name,brand,sku,gtin\n"
	byName := func(name, sku, gtin string) catalog.Product {
		return tea(name, 0, func(p *catalog.Product) { p.Brand, p.SKU, p.GTIN, p.Country, p.Lang = "Lune", sku, gtin, "KR", "ko" })
	}
	learnt := func(p catalog.Product) catalog.Product {
		p.Status, p.Source = catalog.Unconfirmed, "google_search"
		return p
	}
	tests := []struct {
		name   string
		before []catalog.Product // stored by their names
		files  []string
		last   catalog.Imports
		want   string
		fault  string
	}{
		{"renamed, with a GTIN", nil, []string{"Tea,Lune,,8801234567893", "Green Tea,Lune,,8801234567893"}, catalog.Imports{Changed: 1}, "Green Tea//8801234567893", ""},
		{"renamed, with a SKU", nil, []string{"Tea,Lune,A-1,", "Green Tea,Lune,a-1,"}, catalog.Imports{Changed: 1}, "Green Tea/a-1/", ""},
		{"variants of one name", nil, []string{"Tea,Lune,A1,\nTea,Lune,A2,\nTea,Lune,A3,"}, catalog.Imports{New: 3}, "Tea/A1/ Tea/A2/ Tea/A3/", ""},
		{"one SKU twice", nil, []string{"Tea,Lune,A1,\nCola,Lune,A1,"}, catalog.Imports{New: 1, LeftOut: 1}, "Tea/A1/", "is also that of line 2"},
		{"renamed, with a GTIN that it got later", nil, []string{"Tea,Lune,,", "Tea,Lune,,8801234567893", "Green Tea,Lune,,8801234567893"}, catalog.Imports{Changed: 1}, "Green Tea//8801234567893", ""},
		{"renamed, with a SKU that it got later", nil, []string{"Tea,Lune,,", "Tea,Lune,A1,", "Green Tea,Lune,A1,"}, catalog.Imports{Changed: 1}, "Green Tea/A1/", ""},
		{"a name that gets three SKUs", []catalog.Product{byName("Tea", "", "")}, []string{"Tea,Lune,A1,\nTea,Lune,A2,\nTea,Lune,A3,"}, catalog.Imports{New: 2, Changed: 1}, "Tea/A1/ Tea/A2/ Tea/A3/", ""},
		{"a file that lost its GTIN", nil, []string{"Tea,Lune,,8801234567893", "Tea,Lune,,"}, catalog.Imports{Known: 1}, "Tea//8801234567893", ""},
		{"a file that got a GTIN", nil, []string{"Tea,Lune,,", "Tea,Lune,,8801234567893"}, catalog.Imports{Changed: 1}, "Tea//8801234567893", ""},
		{"a name of two SKUs", nil, []string{"Tea,Lune,A1,\nTea,Lune,A2,", "Tea,Lune,,"}, catalog.Imports{LeftOut: 1}, "Tea/A1/ Tea/A2/", "may be any of the records"},
		{"a number that identifies no product, in a directory of products", nil, []string{`{"code":"2012345678903","product_name":"Tea"}`, `{"code":"2012345678903","product_name":"Cola"}`}, catalog.Imports{New: 1}, "Cola//2012345678903 Tea//2012345678903", ""},
		{"the ISSN of two periodicals' issues", nil, []string{"Week 1,Lune,,9771234567003", "Week 2,Lune,,9771234567003"}, catalog.Imports{New: 1}, "Week 1//9771234567003 Week 2//9771234567003", ""},
		{"a GTIN that a shop gave", nil, []string{"Tea,Lune,,2012345678903", "Cola,Lune,,2012345678903"}, catalog.Imports{New: 1}, "Cola//2012345678903 Tea//2012345678903", ""},
		{"a file without SKUs", nil, []string{"Tea,Lune,A1,8801234567893", "Green Tea,Lune,,8801234567893"}, catalog.Imports{Changed: 1}, "Green Tea/A1/8801234567893", ""},
		{"learnt, without a code", []catalog.Product{learnt(byName("Tea", "", ""))}, []string{"Tea,Lune,,8801234567893"}, catalog.Imports{Changed: 1}, "Tea//8801234567893", ""},
		{"learnt, and a name alone", []catalog.Product{learnt(byName("Tea", "", "08801234567893"))}, []string{"Tea,Lune,,"}, catalog.Imports{Known: 1}, "Tea//8801234567893", ""},
		{"learnt with another code", []catalog.Product{learnt(byName("Tea", "", "08801234567893"))}, []string{"Tea,Lune,,4006381333931"}, catalog.Imports{New: 1}, "Tea//4006381333931 Tea//8801234567893", ""},
		{"a GTIN with another SKU", nil, []string{"Tea,Lune,A1,8801234567893", "Tea box,Lune,A2,8801234567893"}, catalog.Imports{New: 1}, "Tea box/A2/8801234567893 Tea/A1/8801234567893", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
			im := importer(t, w)
			var faults []string
			im.Fault = func(f catalog.Fault) { faults = append(faults, f.Why) }
			create(t, im.Catalog, test.before...)
			run := func(file string) catalog.Imports {
				if !strings.HasPrefix(file, "{") {
					file = head + file
				}
				done, err := im.Run(t.Context(), strings.NewReader(file+"\n"))
				if err != nil {
					t.Fatal(err)
				}
				return done
			}
			var done catalog.Imports
			for _, file := range test.files {
				done = run(file)
			}
			if again := run(test.files[len(test.files)-1]); again.New+again.Changed > 0 {
				t.Errorf("the last file again: %v; want nothing new", again)
			}
			if got := records(t, im); done != test.last || got != test.want || !strings.Contains(strings.Join(faults, "\n"), test.fault) {
				t.Errorf("Run = %v, then %q, faults %q; want %v, %q, %q", done, got, faults, test.last, test.want, test.fault)
			}
		})
	}
}

// What people rejected or corrected stays so, when a file has its name; one with a code of its own is
// no wrong guess.
func TestImportLeavesReviewed(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	create(t, im.Catalog,
		tea("Wrong", 0, func(p *catalog.Product) {
			p.Country, p.Lang, p.Status = "KR", "ko", catalog.Unconfirmed
			p.Source = "google_search"
		}),
		tea("Right", 0, func(p *catalog.Product) { p.GTIN, p.Reviewed, p.Status = "08801234567893", true, catalog.Confirmed }),
	)
	wrong := tea("Wrong", 0, func(p *catalog.Product) { p.Country, p.Lang = "KR", "ko" })
	if done, err := im.Catalog.Delete(t.Context(), "test", wrong.Identify()); err != nil || !done.Tombstone {
		t.Fatalf("Delete = %v, %v; want a tombstone", done, err)
	}
	done, err := im.Run(t.Context(), strings.NewReader("product_name,brand,gtin\nWrong,"+wrong.Brand+",\nRenamed,Haetsal,8801234567893\n"))
	if got := records(t, im); err != nil || done != (catalog.Imports{Known: 2}) || got != "Right//8801234567893" {
		t.Errorf("Run = %v, %v, then %q; want what was reviewed and no more", done, err, got)
	}
	done, err = im.Run(t.Context(), strings.NewReader("product_name,brand,gtin\nWrong,"+wrong.Brand+",4006381333931\n"))
	if got := records(t, im); err != nil || done != (catalog.Imports{New: 1}) || got != "Right//8801234567893 Wrong//4006381333931" {
		t.Errorf("Run = %v, %v, then %q; want the product with its code", done, err, got)
	}
}

// Of two trusted records of a GTIN that which was imported last is known, and the other is told.
func TestNewerImportOfAGTIN(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	for _, row := range []string{"Tea,A1,8801234567893", "Tea box,A2,8801234567893", "Tea can,A1,8801234567893"} {
		if _, err := im.Run(t.Context(), strings.NewReader("product_name,sku,gtin\n"+row+"\n")); err != nil {
			t.Fatal(err)
		}
		got, err := im.Catalog.Known(t.Context(), catalog.Keys{Shop: "test", GTIN: "08801234567893", Country: "KR"})
		name, _, _ := strings.Cut(row, ",")
		if err != nil || got.Record == nil || got.Record.ProductName != name || (got.Rival != nil) != (name != "Tea") {
			t.Errorf("Known after %s = %+v, %v; want it, and the other as its rival", row, got, err)
		}
	}
}

// Products that are known by their own code cost a read each, others a read for 30 in each look-up.
func TestReadsOfAnImport(t *testing.T) {
	if testing.Short() {
		t.Skip("counts calls, which is long under the race detector")
	}
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	var b strings.Builder
	b.WriteString("product_name,brand,sku\n")
	const n = 600
	for i := range n {
		fmt.Fprintf(&b, "Tea %d,Lune,S%d\n", i, i)
	}
	for _, most := range []int{3 * n / 30, n / 30} {
		w.Firestore.ResetCalls()
		if _, err := im.Run(t.Context(), strings.NewReader(b.String())); err != nil {
			t.Fatal(err)
		}
		if got := w.Firestore.Calls()["RunQuery"]; got > most {
			t.Errorf("%d queries for %d products, want %d at most", got, n, most)
		}
	}
}

// A file without SKUs changes a record of the shop, and leaves what is for sale; one with its SKU
// says all.
func TestImportKeepsSale(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	const own = `{"product_name":"Tea","sku":"A1","gtin":"8801234567893","price":3,"currency":"EUR","stock":2,"key_features":["green"],"facets":{"color":"green"}}`
	for _, test := range []struct {
		file, want string
		done       catalog.Imports
	}{
		{own, "Tea A1 3 EUR 2 green", catalog.Imports{New: 1}},
		{`{"code":"8801234567893","product_name":"Green Tea"}`, "Green Tea A1 3 EUR 2 green", catalog.Imports{Changed: 1}},
		{`{"code":"8801234567893","product_name":"Green Tea"}`, "Green Tea A1 3 EUR 2 green", catalog.Imports{Known: 1}},
		{own, "Tea A1 3 EUR 2 green", catalog.Imports{Changed: 1}},
		{`{"product_name":"Tea","sku":"A1","stock":0,"key_features":["green"]}`, "Tea A1 0  0 ", catalog.Imports{Changed: 1}},
	} {
		done, err := im.Run(t.Context(), strings.NewReader(test.file))
		for p, err := range im.Catalog.All(t.Context(), im.Shop, im.Space.ID()) {
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(p.ProductName, " ", p.SKU, " ", p.Amount, " ", p.Currency, " ", *p.Stock, " ", p.Facets["color"]); got != test.want {
				t.Errorf("after %s the record is %q, want %q", test.file, got, test.want)
			}
		}
		if err != nil || done != test.done {
			t.Errorf("Run(%s) = %v, %v; want %v", test.file, done, err, test.done)
		}
	}
}
