package catalog_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
)

const shelf = "product_name,brand,sku,gtin,price,currency\n"

// shelved returns an import into a catalogue that has a file, two records of other sources, and what
// people have said.
func shelved(t *testing.T) (catalog.Import, *emulate.World) {
	t.Helper()
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	im.From = "shelf-1.csv"
	if _, err := im.Run(t.Context(), strings.NewReader(shelf+"Tea,Lune,A1,,3,EUR\nCola,Lune,A2,,2,EUR\nMilk,Lune,A3,,1,EUR\nRice,Lune,A4,,1,EUR\nSalt,Lune,A5,,1,EUR\n")); err != nil {
		t.Fatal(err)
	}
	other := im
	other.From = "other.csv"
	if _, err := other.Run(t.Context(), strings.NewReader(shelf+"Soap,Lune,B1,,,\n")); err != nil {
		t.Fatal(err)
	}
	found, err := im.Catalog.Named(t.Context(), "test", im.Space.ID(), "A4")
	if err != nil || len(found) != 1 {
		t.Fatalf("Named(A4) = %v, %v", found, err)
	}
	if _, err := im.Catalog.Confirm(t.Context(), "test", found[0].ID, "Kim", true); err != nil {
		t.Fatal(err)
	}
	create(t, im.Catalog, tea("Oats", 0, func(p *catalog.Product) {
		p.Brand, p.Country, p.Lang, p.Status, p.Source = "Lune", "KR", "ko", catalog.Unconfirmed, "google_search"
	}))
	return im, w
}

// What an import would do is told before anything is written, and is what it does then.
func TestDiffer(t *testing.T) {
	im, w := shelved(t)
	if _, err := im.Run(t.Context(), strings.NewReader(shelf+"Bread,Lune,C1,,,\nBread,Lune,C2,,,\n")); err != nil {
		t.Fatal(err)
	}
	const file = shelf + "Green Tea,Lune,A1,,3,EUR\nCola,Lune,A2,8801234567893,2.5,EUR\nMilk,Lune,A3,,1,EUR\nBrown Rice,Lune,A4,,1,EUR\nOats,Lune,,,,\nBread,Lune,,,,\nBeer,Lune,A6,,,\n"
	before := records(t, im)
	w.Gemini.ResetCalls()
	var got []string
	compared := im
	compared.Differ = func(d catalog.Difference) {
		line := fmt.Sprint(d.What, " ", d.ProductName, " ", len(d.Records))
		for _, f := range d.Fields {
			line += fmt.Sprintf(", %s %s→%s", f.Name, f.Before, f.After)
		}
		got = append(got, strings.TrimSuffix(line+", "+d.Why, ", "))
	}
	would, err := compared.Run(t.Context(), strings.NewReader(file))
	want := []string{
		"new Beer 0",
		`renamed Green Tea 1, product_name "Tea"→"Green Tea", key_features ["Lune","Tea"]→["Lune","Green Tea"]`,
		`changed Cola 1, gtin null→"08801234567893", price 2→2.5`,
		"same Milk 1",
		"kept Oats 1, it was learnt, and the row has no sku and no gtin: --status confirmed changes it",
		"kept Brown Rice 1, it is confirmed: --status confirmed changes it",
		`undecided Bread 2, "Bread" may be any of the records`,
	}
	ok := len(got) == len(want)
	for i := range min(len(got), len(want)) {
		ok = ok && strings.HasPrefix(got[i], want[i])
	}
	if err != nil || !ok {
		t.Errorf("it would do\n%s\n%v, want\n%s", strings.Join(got, "\n"), err, strings.Join(want, "\n"))
	}
	if after := records(t, im); after != before || len(w.Gemini.Calls()) > 0 {
		t.Errorf("after it %q and %d calls of the model, want none and %q", after, len(w.Gemini.Calls()), before)
	}
	if done, err := im.Run(t.Context(), strings.NewReader(file)); err != nil || done != would {
		t.Errorf("Run = %v, %v; want what was told, %v", done, err, would)
	}
}

// What a newer file no longer has is found and removed: what people confirmed stays, what other files
// brought, what may be an undecided row's, and what has changed since it was found.
func TestPrune(t *testing.T) {
	im, _ := shelved(t)
	im.From = "shelf-2.csv"
	const file = shelf + "Green Tea,Lune,A1,,3,EUR\n" // A4 is confirmed
	if _, err := im.Run(t.Context(), strings.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	prune := catalog.Prune{Import: im, Of: []string{"shelf-*.csv"}}
	left, _, err := prune.Find(t.Context(), strings.NewReader(file))
	var got []string
	for _, one := range left {
		got = append(got, one.SKU+" "+one.Kept)
	}
	if err != nil || len(left) != 4 || !strings.Contains(strings.Join(got, ","), "A4 confirmed by Kim") {
		t.Fatalf("Find = %q, %v; want A2, A3, A5, and A4 kept", got, err)
	}
	im.From = "back.csv"
	if _, err := im.Run(t.Context(), strings.NewReader(shelf+"Milk,Lune,A3,,9,EUR\n")); err != nil {
		t.Fatal(err)
	}
	const after = "Green Tea/A1/ Milk/A3/ Oats// Rice/A4/ Soap/B1/"
	for _, n := range []int{2, 0} {
		if removed, err := prune.Remove(t.Context(), left); err != nil || removed != n {
			t.Errorf("Remove = %d, %v; want %d", removed, err, n)
		}
		if got := records(t, im); got != after {
			t.Errorf("left are %q, want %q", got, after)
		}
	}
	for name, file := range map[string]string{"an empty file": shelf, "no product": shelf + ",Lune,,,,\n", "no file": "oops"} {
		if left, _, err := prune.Find(t.Context(), strings.NewReader(file)); !errors.Is(err, catalog.ErrFile) || len(left) > 0 {
			t.Errorf("%s: Find = %v, %v; want ErrFile", name, left, err)
		}
	}
	prune.Of = []string{"["}
	if _, _, err := prune.Find(t.Context(), strings.NewReader(file)); err == nil {
		t.Error("Find of a wrong pattern = nil error")
	}
}

// The records that an undecided row may have are no leftovers.
func TestPruneSpares(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	im.From = "shelf.csv"
	if _, err := im.Run(t.Context(), strings.NewReader(shelf+"Tea,Lune,A1,,,\nTea,Lune,A2,,,\nCola,Lune,A3,,,\n")); err != nil {
		t.Fatal(err)
	}
	left, done, err := catalog.Prune{Import: im, Of: []string{"shelf.csv"}}.Find(t.Context(), strings.NewReader(shelf+"Tea,Lune,,,,\nMilk,Lune,A4,,,\n"))
	if err != nil || done != (catalog.Imports{New: 1, LeftOut: 1}) || len(left) != 1 || left[0].SKU != "A3" {
		t.Errorf("Find = %+v, %v, %v; want A3 alone", left, done, err)
	}
}
