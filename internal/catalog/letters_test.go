package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	"golang.org/x/text/unicode/norm"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

// storeFormerly stores p as versions did that knew fewer letters: with their ID and keys.
func storeFormerly(t *testing.T, db *firestore.Client, p catalog.Product) string {
	t.Helper()
	p.NameKey, p.BrandKey, p.SKUKey = textfold.Former(p.ProductName), textfold.Former(p.Brand), textfold.Former(p.SKU)
	for _, alias := range p.Aliases {
		p.AliasKeys = append(p.AliasKeys, textfold.Former(alias))
	}
	parts := []string{p.Shop, p.Embedder, p.ProductName, p.Brand, p.Country, p.Lang}
	for i, s := range parts {
		parts[i] = strings.ToLower(strings.Join(strings.Fields(norm.NFC.String(s)), " "))
	}
	id := store.HashID(parts...)
	if _, err := db.Collection("products").Doc(id).Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return id
}

// openBoth returns a catalogue and its database.
func openBoth(t *testing.T) (*catalog.Catalog, *firestore.Client) {
	db := emulate.Start(t, emulate.Firestore).FirestoreClient(t)
	return catalog.New(db), db
}

// spellings are names as they may be stored, and as a pack has them in capitals or with
// other letters.
var spellings = []struct{ stored, read string }{
	{"Weißbier", "WEISSBIER"},
	{"Kırmızı Çay", "KIRMIZI ÇAY"},
	{"Œufs de Pâques", "OEUFS DE PÂQUES"},
	{"Rødgrød", "Rodgrod"},
	{"Łódź", "LODZ"},
	{"Οδος", "ΟΔΟΣ"},
	{"ﬁsh oil", "Fish Oil"},
	{"हल्दी", "हल्दी"},
	{"ガム", "ｶﾞﾑ"},
	{"چای\u200cسبز", "چایسبز"},
}

// A new record is found by every spelling of its name.
func TestNamesMeet(t *testing.T) {
	c, _ := openBoth(t)
	for _, one := range spellings {
		create(t, c, tea(one.stored, 0, func(p *catalog.Product) { p.Brand = one.stored }))
	}
	for _, one := range spellings {
		for _, name := range []string{one.stored, one.read} {
			wantFound(t, c, name, one.stored)
		}
	}
}

// wantFound checks that each look-up by a name finds the product called want.
func wantFound(t *testing.T, c *catalog.Catalog, name, want string) {
	t.Helper()
	s := space(t, "emulated-embedding")
	matches, err := c.Search(t.Context(), catalog.Query{Shop: "test", Lang: "ko", Space: s, Vector: at(0), Names: []string{name}, Limit: 1})
	found := func(p catalog.Product) bool { return p.ProductName == want }
	if err != nil || !slices.ContainsFunc(matches, func(m catalog.Match) bool { return found(m.Product) }) {
		t.Errorf("Search by name %q = %q, %v; want %q in it", name, names(matches), err, want)
	}
	named, err := c.Named(t.Context(), "test", s.ID(), name)
	if err != nil || len(named) != 1 || !found(named[0]) {
		t.Errorf("Named(%q) = %d records, %v; want %q", name, len(named), err, want)
	}
	for what, keys := range map[string]catalog.Keys{"name": {Shop: "test", Names: []string{name}}, "brand": {Shop: "test", Brands: []string{name}}} {
		known, err := c.Known(t.Context(), keys)
		if err != nil || len(known.Bearers) != 1 || !found(known.Bearers[0]) {
			t.Errorf("Known by %s %q = %d bearers, %v; want %q", what, name, len(known.Bearers), err, want)
		}
	}
	listed, err := c.Beginning(t.Context(), "test", name, 5)
	if err != nil || !slices.ContainsFunc(listed, found) {
		t.Errorf("Beginning(%q) = %d records, %v; want %q", name, len(listed), err, want)
	}
}

// A record with the keys of an earlier version is found by its spelling, and is not stored
// again; a product with the same former key is not found.
func TestFormerKeysAreFound(t *testing.T) {
	c, db := openBoth(t)
	ids := map[string]string{}
	for _, one := range spellings {
		ids[one.stored] = storeFormerly(t, db, tea(one.stored, 0, func(p *catalog.Product) { p.Brand = one.stored }))
	}
	storeFormerly(t, db, tea("हलद", 0, func(p *catalog.Product) { p.Brand = "हलद" }))
	storeFormerly(t, db, tea("カム", 0, func(p *catalog.Product) { p.Brand = "カム" }))
	for _, one := range spellings {
		wantFound(t, c, one.stored, one.stored)
		again := tea(one.stored, 5, func(p *catalog.Product) { p.Brand = one.stored })
		if id, err := c.Create(t.Context(), again); id != ids[one.stored] || !errors.Is(err, catalog.ErrDuplicate) {
			t.Errorf("Create(%q) = %q, %v; want %q, a duplicate", one.stored, id, err, ids[one.stored])
		}
	}
}

// After Rekey every spelling finds the record, and none is stored twice.
func TestRekey(t *testing.T) {
	c, db := openBoth(t)
	for _, one := range spellings {
		storeFormerly(t, db, tea(one.stored, 0, func(p *catalog.Product) {
			p.Brand, p.Status, p.Facets = one.stored, catalog.Imported, map[string]string{"brand": textfold.Former(one.stored)}
		}))
	}
	storeFormerly(t, db, tea("Barley Tea", 0, func(p *catalog.Product) { p.Aliases = []string{"Weiße Gerste"} }))
	plain := storeFormerly(t, db, tea("Plain Tea", 0))
	done, err := c.Rekey(t.Context(), "test")
	if err != nil || done.Stayed != 0 || done.Moved != 5 || done.Changed != 11 {
		t.Errorf("Rekey = %+v, %v; want eleven changed, five of them moved", done, err)
	}
	for _, one := range spellings {
		for _, name := range []string{one.stored, one.read} {
			wantFound(t, c, name, one.stored)
		}
		p := tea(one.read, 5, func(p *catalog.Product) { p.Brand = one.read })
		_, err := c.Create(t.Context(), p)
		if same := textfold.Caseless(one.stored) == textfold.Caseless(one.read); errors.Is(err, catalog.ErrDuplicate) != same {
			t.Errorf("Create(%q) beside %q = %v; want a duplicate: %v", one.read, one.stored, err, same)
		}
	}
	if p, err := c.ByID(t.Context(), "test", plain); err != nil || p.ProductName != "Plain Tea" {
		t.Errorf("ByID of a record without such letters = %q, %v; want it unmoved", p.ProductName, err)
	}
	found, err := c.Search(t.Context(), catalog.Query{Shop: "test", Space: space(t, "emulated-embedding"), Vector: at(0), Names: []string{"WEISSE GERSTE"}, Limit: 1})
	if err != nil || !slices.ContainsFunc(found, func(m catalog.Match) bool { return m.ProductName == "Barley Tea" }) {
		t.Errorf("Search by an alias = %q, %v; want Barley Tea in it", names(found), err)
	}
	again, err := c.Rekey(t.Context(), "test")
	if err != nil || again.Changed+again.Stayed != 0 {
		t.Errorf("Rekey again = %+v, %v; want nothing to do", again, err)
	}
}

// A record that reviews refer to keeps its ID, and so does one whose place is taken. A
// tombstone under a former ID is not learnt again.
func TestRekeyLeaves(t *testing.T) {
	c, db := openBoth(t)
	reviewed := storeFormerly(t, db, tea("Weißbier", 0, func(p *catalog.Product) { p.Reviewed, p.Status, p.Brand = true, catalog.Confirmed, "Weißbier" }))
	taken := storeFormerly(t, db, tea("Süßes", 0))
	create(t, c, tea("SÜSSES", 0))
	rejected := storeFormerly(t, db, tea("Soße", 0))
	if _, err := db.Collection("products").Doc(rejected).Set(t.Context(), catalog.Product{Shop: "test", Status: catalog.Rejected, Reviewed: true}); err != nil {
		t.Fatal(err)
	}
	done, err := c.Rekey(t.Context(), "test")
	if err != nil || done.Stayed != 2 || done.Moved != 0 {
		t.Errorf("Rekey = %+v, %v; want two that stay", done, err)
	}
	for _, id := range []string{reviewed, taken} {
		if _, err := c.ByID(t.Context(), "test", id); err != nil {
			t.Errorf("ByID(%s): %v", id, err)
		}
	}
	wantFound(t, c, "Weissbier", "Weißbier")
	if id, err := c.Create(t.Context(), tea("Soße", 0)); id != rejected || !errors.Is(err, catalog.ErrDuplicate) {
		t.Errorf("Create of what was rejected = %q, %v; want %q, a duplicate", id, err, rejected)
	}
}

// A file that is imported again finds the records that it made under their former IDs, and
// changes them there.
func TestImportFindsFormerIDs(t *testing.T) {
	c, db := openBoth(t)
	s := space(t, "emulated-embedding")
	im := catalog.Import{Catalog: c, Shop: "test", Space: s, Country: "DE", Lang: "de", Embed: func(_ context.Context, texts []string) ([][]float32, error) {
		return slices.Repeat([][]float32{at(0)}, len(texts)), nil
	}}
	id := storeFormerly(t, db, tea("Weißbier", 0, func(p *catalog.Product) { p.Country, p.Lang, p.Brand = "DE", "de", "Groß" }))
	file := `{"product_name":"Weißbier","brand":"Groß","category":"Beer","key_features":["5,4 %"]}`
	done, err := im.Run(t.Context(), strings.NewReader(file))
	if want := (catalog.Imports{Changed: 1}); err != nil || done != want {
		t.Errorf("Run = %v, %v; want %v", done, err, want)
	}
	if p, err := c.ByID(t.Context(), "test", id); err != nil || p.Category != "Beer" || p.NameKey != "weissbier" {
		t.Errorf("ByID = %q with key %q, %v; want a beer with key weissbier", p.Category, p.NameKey, err)
	}
	done, err = im.Run(t.Context(), strings.NewReader(file))
	if want := (catalog.Imports{Known: 1}); err != nil || done != want {
		t.Errorf("Run again = %v, %v; want %v", done, err, want)
	}
}

// The brands of a shop have one code each after Rekey.
func TestRekeyBrands(t *testing.T) {
	c, db := openBoth(t)
	brands := map[string]any{"groß": "Groß", "haetsal": "Haetsal", "own code": "Weiß"}
	if _, err := db.Collection("shops").Doc(store.HashID("test")).Set(t.Context(), map[string]any{"brands": brands}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Rekey(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	of, err := c.ShopValues(t.Context(), "test")
	got := of.Brands
	if err != nil || len(got) != 3 || got["gross"] != "Groß" || got["haetsal"] != "Haetsal" || got["own code"] != "Weiß" {
		t.Errorf("Brands = %v, %v; want Groß as gross, and the others as they were", got, err)
	}
}

// A value of which an earlier version read no decimals is found, and stays listed, after Rekey; and
// so does a price that had no key.
func TestRekeyValues(t *testing.T) {
	c, db := openBoth(t)
	id, err := c.Create(t.Context(), tea("Fjell", 0, func(p *catalog.Product) {
		p.Facets, p.Price, p.Currency = map[string]string{"weight": "1,5 kg"}, 5, "USD"
	}))
	if err != nil {
		t.Fatal(err)
	}
	former := []firestore.Update{{FieldPath: firestore.FieldPath{"has", "weight"}, Value: map[string]bool{"15kg": true}}, {Path: "offer_key", Value: firestore.Delete}}
	if _, err := db.Collection("products").Doc(id).Update(t.Context(), former); err != nil {
		t.Fatal(err)
	}
	listed := map[string]any{"values": map[string]any{"weight": map[string]any{"15kg": map[string]any{"name": "1,5 kg", "count": 1}}}}
	if _, err := db.Collection("shops").Doc(store.HashID("test")).Set(t.Context(), listed); err != nil {
		t.Fatal(err)
	}
	done, err := c.Rekey(t.Context(), "test")
	if err != nil || done.Changed != 1 {
		t.Errorf("Rekey = %+v, %v; want one that changes", done, err)
	}
	if of, err := c.ShopValues(t.Context(), "test"); err != nil || of.Prices["USD"] != (catalog.Span{Least: 5, Most: 5}) {
		t.Errorf("the shop has the prices %v, %v; want 5 USD", of.Prices, err)
	}
	if err := c.CountShop(t.Context(), "test", spaceID(t)); err != nil {
		t.Fatal(err)
	}
	of, err := c.ShopValues(t.Context(), "test")
	if want := "map[1.5kg:{1,5 kg 1}]"; err != nil || fmt.Sprint(of.Values["weight"]) != want {
		t.Errorf("the shop lists %v, %v; want %s", of.Values["weight"], err, want)
	}
}
