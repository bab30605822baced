package catalog_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
)

// pair returns a product for sale with text and picture vectors at those angles.
func pair(name string, text, picture float64, category, color string, edit ...func(*catalog.Product)) catalog.Product {
	p := tea(name, 0, func(p *catalog.Product) {
		p.Shop, p.Vectors.SearchEmbedding, p.Vectors.ImageEmbedding = "eyewear", at(text), at(picture)
		p.Facets = map[string]string{"category": category, "color": color}
	})
	for _, e := range edit {
		e(&p)
	}
	return p
}

// spaceID returns the ID of the vector space of tea's products.
func spaceID(t *testing.T) string { return space(t, "emulated-embedding").ID() }

func without(field string) func(*catalog.Product) {
	return func(p *catalog.Product) {
		if field == catalog.SearchVector {
			p.Vectors.SearchEmbedding = nil
		} else {
			p.Vectors.ImageEmbedding = nil
		}
	}
}

func TestNearestBy(t *testing.T) {
	c := open(t)
	create(t, c,
		pair("a", 10, 80, "sunglasses", "black"), pair("b", 20, 70, "frames", "black"), pair("c", 30, 60, "sunglasses", "red"),
		pair("far", 120, 150, "frames", "red"),
		pair("no picture", 15, 0, "frames", "red", without(catalog.ImageVector)),
		pair("no text", 0, 75, "frames", "red", without(catalog.SearchVector)),
		pair("elsewhere", 0, 90, "frames", "red", func(p *catalog.Product) { p.Shop = "other" }),
		pair("other space", 0, 90, "frames", "red", func(p *catalog.Product) { p.Vectors.Embedder = "other" }),
		tea("learnt", 0, func(p *catalog.Product) { p.Shop = "eyewear" }),
	)
	tests := []struct {
		name, field, want string
		limit             int
	}{
		{"by text, however far", catalog.SearchVector, "a no picture b c far", 1000},
		{"by text, the first", catalog.SearchVector, "a no picture", 2},
		{"by picture", catalog.ImageVector, "c b no text a far", 9},
	}
	for _, test := range tests {
		q := catalog.VectorQuery{Shop: "eyewear", Space: spaceID(t), Field: test.field, Vector: at(0), Limit: test.limit}
		got, err := c.NearestBy(t.Context(), q)
		if named := nameEach(t, c, got); err != nil || names(named) != test.want {
			t.Errorf("%s: NearestBy = %q, %v; want %q", test.name, names(named), err, test.want)
		}
	}
}

// nameEach returns matches with the names of their products.
func nameEach(t *testing.T, c *catalog.Catalog, matches []catalog.Match) []catalog.Match {
	t.Helper()
	for i, m := range matches {
		var err error
		if matches[i].Product, err = c.Record(t.Context(), "", m.ID); err != nil {
			t.Fatal(err)
		}
	}
	return matches
}

func TestNearestByRefuses(t *testing.T) {
	c := open(t)
	tests := []struct {
		want string
		edit func(*catalog.VectorQuery)
	}{
		{"a shop", func(q *catalog.VectorQuery) { q.Shop = "" }},
		{"a space", func(q *catalog.VectorQuery) { q.Space = "" }},
		{"search_embedding or", func(q *catalog.VectorQuery) { q.Field = "embedding" }},
		{"767 dimensions", func(q *catalog.VectorQuery) { q.Vector = q.Vector[1:] }},
		{"limit is 0", func(q *catalog.VectorQuery) { q.Limit = 0 }},
		{"limit is 1001", func(q *catalog.VectorQuery) { q.Limit = 1001 }},
	}
	for _, test := range tests {
		q := catalog.VectorQuery{Shop: "s", Space: "e", Field: catalog.SearchVector, Vector: at(0), Limit: 1}
		test.edit(&q)
		if _, err := c.NearestBy(t.Context(), q); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("NearestBy(%s) = %v, want an error with %q", test.want, err, test.want)
		}
	}
}

// However a product is found, it has all its fields for sale, and no vectors.
func TestFoundWhole(t *testing.T) {
	c := open(t)
	stock := 0
	whole := pair("Luna", 0, 0, "frames", "black", func(p *catalog.Product) {
		p.SKU, p.Description, p.Amount, p.Currency, p.Stock, p.ImageURI = "LN-01", "light", 1290000, "VND", &stock, "gs://b/luna.png"
		p.CreatedAt = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	})
	id, err := c.Create(t.Context(), whole)
	if err != nil {
		t.Fatal(err)
	}
	whole = whole.WithoutVectors()
	whole.ID, whole.NameKey, whole.BrandKey, whole.SKUKey, whole.Availability = id, "luna", "haetsal", "ln01", catalog.OutOfStock
	named, err := c.Named(t.Context(), "eyewear", spaceID(t), "ln 01")
	if err != nil || len(named) != 1 {
		t.Fatalf("Named = %v, %v; want one", named, err)
	}
	byID, err := c.ByID(t.Context(), "eyewear", id)
	if err != nil {
		t.Fatal(err)
	}
	for by, got := range map[string]catalog.Product{"Named": named[0], "ByID": byID} {
		if !reflect.DeepEqual(got, whole) {
			t.Errorf("%s = %+v, want %+v", by, got, whole)
		}
	}
}

// No empty field is stored with a learnt product.
func TestNothingEmptyIsStored(t *testing.T) {
	db := emulate.Start(t, emulate.Firestore).FirestoreClient(t)
	id, err := catalog.New(db).Create(t.Context(), tea("a", 0))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := db.Collection("products").Doc(id).Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"sku", "sku_key", "description", "price", "currency", "stock", "image_uri", "facets", "search_embedding", "image_embedding"} {
		if value, err := stored.DataAt(field); err == nil {
			t.Errorf("a product that was learnt is stored with %s = %v, want none", field, value)
		}
	}
}

func TestByID(t *testing.T) {
	c := open(t)
	id, err := c.Create(t.Context(), tea("a", 0))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		shop, id string
		want     error
	}{
		{"test", id, nil},
		{"other", id, catalog.ErrNotFound},
		{"test", id + "0", catalog.ErrNotFound},
		{"test", "", catalog.ErrNotFound},
		{"test", "a/b", catalog.ErrNotFound},
		{"test", "../" + id, catalog.ErrNotFound},
		{"test", "..", catalog.ErrNotFound},
		{"test", "__x__", catalog.ErrNotFound},
		{"test", strings.Repeat("x", 2000), catalog.ErrNotFound},
		{"test", "\xff", catalog.ErrNotFound}, // an ID that Firestore's client would retry for ever
	}
	for _, test := range tests {
		if p, err := c.ByID(t.Context(), test.shop, test.id); !errors.Is(err, test.want) || err == nil && p.ProductName != "a" {
			t.Errorf("ByID(%q, %.40q) = %q, %v; want %v", test.shop, test.id, p.ProductName, err, test.want)
		}
	}
}

func TestNamed(t *testing.T) {
	c := open(t)
	const gtin = "08801234567893"
	create(t, c,
		pair("Luna 01", 0, 0, "frames", "black", func(p *catalog.Product) { p.SKU = "LN-01/B" }),
		pair("Sol", 0, 0, "frames", "black", func(p *catalog.Product) { p.GTIN = gtin }),
		pair("Kính Mắt Mèo", 0, 0, "frames", "black"),
		pair("Luna 01", 0, 0, "frames", "black", func(p *catalog.Product) { p.Shop = "other" }),
		pair("Luna 01", 0, 0, "frames", "black", func(p *catalog.Product) { p.Vectors.Embedder, p.Country = "other", "US" }),
	)
	for i := range 7 {
		create(t, c, pair("Many", 0, 0, "frames", "black", func(p *catalog.Product) { p.Brand = fmt.Sprint(i) }))
	}
	tests := []struct {
		by, want string
		n        int
	}{
		{"luna-01", "Luna 01", 1},
		{"ln01b", "Luna 01", 1},
		{"8801234567893", "Sol", 1},
		{"kinh mat meo", "Kính Mắt Mèo", 1},
		{"many", "Many", 5},
		{"Luna", "", 0},
		{"", "", 0},
		{"?!", "", 0},
	}
	for _, test := range tests {
		got, err := c.Named(t.Context(), "eyewear", spaceID(t), test.by)
		if err != nil || len(got) != test.n || test.n > 0 && got[0].ProductName != test.want {
			t.Errorf("Named(%q) = %d products, %v; want %d of %q", test.by, len(got), err, test.n, test.want)
		}
	}
}

// A search vector of the wrong length is refused, because it would never be found.
func TestCreateRefusesOddSearchVectors(t *testing.T) {
	c := open(t)
	for _, p := range []catalog.Product{
		pair("a", 0, 0, "", "", func(p *catalog.Product) { p.Vectors.SearchEmbedding = firestore.Vector32{1} }),
		pair("b", 0, 0, "", "", func(p *catalog.Product) { p.Vectors.ImageEmbedding = firestore.Vector32{1} }),
	} {
		if _, err := c.Create(t.Context(), p); err == nil || !strings.Contains(err.Error(), "1 dimensions") {
			t.Errorf("Create = %v, want an error with 1 dimensions", err)
		}
	}
}
