package catalog_test

import (
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
)

// What its owner hides is found by no search, whatever the next file says of it, until it is shown again; what
// the owner says it is stays, and its price follows the file.
func TestEditsStay(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	run := func(price string) {
		t.Helper()
		if _, err := im.Run(t.Context(), strings.NewReader(`[{"product_name":"Tea","brand":"Lune","sku":"A1","price":`+price+`,"currency":"EUR","facets":{"color":"red"}}]`)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when, name string, hidden bool, price float64) {
		t.Helper()
		found, err := im.Catalog.Named(t.Context(), "test", im.Space.ID(), "A1")
		if err != nil || len(found) != 1 || found[0].ProductName != name || found[0].Hidden != hidden || found[0].NotForSale != hidden || found[0].Amount != price {
			t.Errorf("%s: %+v, %v; want %s, hidden %v, for %v", when, found, err, name, hidden, price)
		}
	}
	run("3")
	check("imported", "Tea", false, 3)
	found, err := im.Catalog.Named(t.Context(), "test", im.Space.ID(), "A1")
	if err != nil {
		t.Fatal(err)
	}
	edit := func(e catalog.Edit) {
		t.Helper()
		if _, err := im.Catalog.Edit(t.Context(), "test", found[0].ID, e, "kim", true); err != nil {
			t.Fatal(err)
		}
	}
	yes, no, name := true, false, "Green Tea"
	edit(catalog.Edit{Hidden: &yes})
	check("hidden", "Tea", true, 3)
	run("4")
	check("hidden and imported", "Tea", true, 4)
	edit(catalog.Edit{Hidden: &no})
	check("shown", "Tea", false, 4)
	edit(catalog.Edit{ProductName: &name})
	run("5")
	check("renamed and imported", "Green Tea", false, 5)
	again, err := im.Catalog.Named(t.Context(), "test", im.Space.ID(), "A1")
	if err != nil || again[0].Status != catalog.Confirmed || again[0].ConfirmedBy != "kim" {
		t.Errorf("%+v, %v; want it confirmed by kim", again, err)
	}
}
