package catalog_test

import (
	"math"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
)

// scored returns a product in a language whose embedding has that cosine to at(0). The space
// has a floor of 0.3 and accepts from 0.5.
func scored(name, lang string, score float64, edit ...func(*catalog.Product)) catalog.Product {
	return tea(name, math.Acos(score)*180/math.Pi, append(edit, func(p *catalog.Product) { p.Lang = lang })...)
}

// The language narrows a search only if it has an acceptable product.
func TestLanguages(t *testing.T) {
	const gtin = "08801234567893"
	coded := func(p *catalog.Product) { p.GTIN = gtin }
	own := func(p *catalog.Product) { p.Brand = "Own" }
	tests := []struct {
		name    string
		stock   []catalog.Product
		edit    func(*catalog.Query)
		want    string
		queries int // of Firestore, with the look-up by names
	}{
		{"an acceptable one in another language", []catalog.Product{scored("korean", "ko", 0.4), scored("english", "en", 0.95)}, nil, "english korean", 2},
		{"just accepted beside just not", []catalog.Product{scored("korean", "ko", 0.499), scored("english", "en", 0.501)}, nil, "english korean", 2},
		{"the own language fills the limit", []catalog.Product{
			scored("a", "ko", 0.45), scored("b", "ko", 0.44), scored("c", "ko", 0.43), scored("english", "en", 0.7), scored("japanese", "ja", 0.6),
		}, nil, "english japanese a", 2},
		{"a record without a language", []catalog.Product{scored("korean", "ko", 0.31), scored("plain", "", 0.9)}, nil, "plain korean", 2},
		{"a region of the language", []catalog.Product{scored("korean", "ko", 0.35), scored("regional", "ko-KR", 0.9)}, nil, "regional korean", 2},
		{"after the brand in vain", []catalog.Product{scored("own", "ko", 0.2, own), scored("korean", "ko", 0.4), scored("english", "en", 0.8)},
			func(q *catalog.Query) { q.Brand = "own" }, "english korean", 3},
		{"the brand in another language", []catalog.Product{scored("own", "en", 0.8, own), scored("korean", "ko", 0.6)},
			func(q *catalog.Query) { q.Brand = "OWN" }, "own", 1},
		{"accepted in the own language", []catalog.Product{scored("korean", "ko", 0.5), scored("english", "en", 0.95)}, nil, "korean", 1},
		{"a printed name in another language", []catalog.Product{scored("korean", "ko", 0.6), scored("Weißbier", "en", 0.4)},
			func(q *catalog.Query) { q.Names = []string{"WEISSBIER"} }, "korean Weißbier", 2},
		{"a GTIN in another language", []catalog.Product{scored("korean", "ko", 0.6), scored("coded", "en", 0.35, coded)},
			func(q *catalog.Query) { q.GTINs = []string{gtin} }, "korean coded", 2},
		{"a name, a GTIN and a neighbour in other languages", []catalog.Product{
			scored("korean", "ko", 0.4), scored("named", "en", 0.45), scored("coded", "ja", 0.35, coded), scored("french", "fr", 0.9), scored("near", "fr", 0.6),
		}, func(q *catalog.Query) { q.Names, q.GTINs = []string{"Named"}, []string{gtin} }, "french near named coded", 3},
		{"none acceptable in any", []catalog.Product{scored("korean", "ko", 0.4), scored("english", "en", 0.45)}, nil, "english korean", 2},
		{"nothing in the language", []catalog.Product{scored("english", "en", 0.8)}, nil, "english", 2},
		{"nothing", nil, nil, "", 2},
		{"any language", []catalog.Product{scored("korean", "ko", 0.4), scored("english", "en", 0.8)}, func(q *catalog.Query) { q.Lang = "" }, "english korean", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := emulate.Start(t, emulate.Firestore)
			c := catalog.New(w.FirestoreClient(t))
			create(t, c, test.stock...)
			q := catalog.Query{Shop: "test", Lang: "ko", Space: space(t, "emulated-embedding"), Vector: at(0), Limit: 3}
			if test.edit != nil {
				test.edit(&q)
			}
			w.Firestore.ResetCalls()
			got, err := c.Search(t.Context(), q)
			if n := w.Firestore.Calls()["RunQuery"]; err != nil || names(got) != test.want || n != test.queries {
				t.Errorf("Search = %q, %v with %d queries; want %q with %d", names(got), err, n, test.want, test.queries)
			}
		})
	}
}
