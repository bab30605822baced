package relevance

import (
	"bytes"
	"image"
	_ "image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/textfold"
)

func known(t *testing.T) []Query {
	t.Helper()
	all, err := Queries()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// There are as many queries as are promised, of every kind, and none is there twice.
func TestQueries(t *testing.T) {
	groups := map[string]int{}
	seen := map[string]bool{}
	for _, q := range known(t) {
		groups[q.Group]++
		if seen[q.String()] {
			t.Errorf("%s stands there twice", q)
		}
		seen[q.String()] = true
	}
	for group, least := range map[string]int{
		"vietnamese": 20, "english": 20, "no diacritics": 15, "misspelt": 15, "negated": 15, "prices": 10, "brands": 10, "names": 10,
		"pictures": 20, "combined": 10, "faces": 5, "nothing fits": 5, UnknownWords: 50,
		"money in words": 10, "numbers that are no price": 8, "one of several": 10, "other languages": 15, "in stock": 5, "faces in words": 6, "follow-ups": 28, "ranges in words": 10, "negated in words": 10,
		"comparisons": 8, "sizes": 10, "shop facts": 8, "off topic": 8, "badly misspelt": 10, "the cheapest": 5, "counts": 18, "outdoor shop": 25, "grocery shop": 25,
	} {
		if groups[group] < least {
			t.Errorf("%d queries of the group %q, want %d at least", groups[group], group, least)
		}
	}
	if n := len(known(t)) - groups[UnknownWords]; n < 160 {
		t.Errorf("%d queries beside those in unknown words, want 160 at least", n)
	}
}

// Every code that a query names is one that a product has, but of what is counted and missing.
func TestQueriesNameCodesThatThereAre(t *testing.T) {
	for _, q := range known(t) {
		for _, wanted := range []map[string]Codes{q.Want, q.Not, q.Prefer, q.Compared} {
			for facet, codes := range wanted {
				for _, code := range codes {
					has := slices.ContainsFunc(q.products(), func(p Product) bool { return p.has(facet, []string{code}) })
					if missing := q.counts() && len(q.Grades()) == 0; !has && !missing {
						t.Errorf("%s: no product has the %s %q", q, facet, code)
					}
				}
			}
		}
	}
}

// What is given up has to be: no frame meets more.
func TestGivenUpIsNoMoreThanNeeded(t *testing.T) {
	for _, q := range known(t) {
		for i := range q.GiveUp {
			more := q
			more.GiveUp = q.GiveUp[:i]
			if len(more.Grades()) > 0 {
				t.Errorf("%s: some product is right when only %q is given up, want none", q, more.GiveUp)
			}
		}
	}
}

// The unknown words are in the queries, and nowhere in the vocabulary, in the search
// with its prompt, or in the emulated model.
func TestUnknownWordsAreUnknown(t *testing.T) {
	v, err := search.Eyewear()
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{}
	for _, pattern := range []string{"../../../internal/search/*.*", "../../../internal/search/query/*.go", "../../../emulators/answers/*.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: nothing is there (%v)", pattern, err)
		}
		for _, path := range paths {
			if text, err := os.ReadFile(path); err != nil {
				t.Fatal(err)
			} else if !strings.HasSuffix(path, "_test.go") {
				sources[path] = words(string(text))
			}
		}
	}
	for _, q := range known(t) {
		if (q.Group == UnknownWords) != (len(q.Words) > 0) {
			t.Errorf("%s is of the group %q with the unknown words %q", q, q.Group, q.Words)
		}
		for _, word := range q.Words {
			if !strings.Contains(words(q.Query), words(word)) {
				t.Errorf("%s does not say %q", q, word)
			}
			for where, text := range sources {
				if strings.Contains(text, words(word)) {
					t.Errorf("%s: %q stands in %s", q, word, where)
				}
			}
			for _, f := range v.Facets {
				if code, ok := v.Code(f.Name, word); ok {
					t.Errorf("%s: %q is the %s %s", q, word, f.Name, code)
				}
			}
		}
	}
}

// words returns a text as whole words between spaces, folded as the vocabulary is.
func words(text string) string {
	return " " + strings.Join(textfold.Words(strings.NewReplacer("đ", "d", "Đ", "d").Replace(text)), " ") + " "
}

// An answer that is no list of products is right or wrong: a number, facts, sides, nothing.
func TestScoresOfOtherAnswers(t *testing.T) {
	hits := func(names ...string) (all []search.Hit) {
		for _, name := range names {
			all = append(all, search.Hit{Name: name})
		}
		return all
	}
	count := Query{Shop: samples.OutdoorShop, Intent: search.CategoryStats, Want: map[string]Codes{"category": {"Tents"}}}
	sides := Query{Intent: search.CompareProducts, Compared: map[string]Codes{"brand": {"lunavelle", "orvando"}}}
	facts := Query{About: []string{"tr90", "ultem"}}
	quoted := search.Answer{FAQ: &search.FAQ{Source: "facts#ultem"}, Facts: []search.FAQ{{Source: "facts#tr90"}}}
	for _, test := range []struct {
		name  string
		query Query
		r     search.Result
		right bool
	}{
		{"the number", count, search.Result{Result: search.Answer{Stats: &search.Stats{Total: 32}}}, true},
		{"another number", count, search.Result{Result: search.Answer{Stats: &search.Stats{Total: 31}}}, false},
		{"products for a number", count, search.Result{Products: hits("Fjell 1")}, false},
		{"both sides", sides, search.Result{Products: hits(ofBrand("lunavelle"), ofBrand("orvando"))}, true},
		{"a third side", sides, search.Result{Products: hits(ofBrand("lunavelle"), ofBrand("orvando"), ofBrand("nebula"))}, false},
		{"one side", sides, search.Result{Products: hits("Aria 100")}, false},
		{"both facts", facts, search.Result{Result: quoted}, true},
		{"one fact", facts, search.Result{Result: search.Answer{FAQ: quoted.FAQ}}, false},
		{"nothing", Query{Nothing: true}, search.Result{}, true},
		{"something", Query{Nothing: true}, search.Result{Products: hits("Aria 100")}, false},
	} {
		if got := test.query.Score(test.r); got.NDCG == 1 != test.right {
			t.Errorf("%s: Score = %v, want it right: %v", test.name, got, test.right)
		}
	}
}

// ofBrand returns the name of a frame of a brand.
func ofBrand(brand string) string {
	all := frames()
	return all[slices.IndexFunc(all, func(f samples.Frame) bool { return Facet(f, "brand") == brand })].Name
}

// Of a product that is sought by its price, the first ten are right, what is sold out behind.
func TestCheapest(t *testing.T) {
	q := Query{Shop: samples.OutdoorShop, Want: map[string]Codes{"category": {"Tents"}}, Sort: search.PriceUp}
	right := q.Grades()
	for _, p := range q.products() {
		if p.has("category", []string{"Tents"}) && right[p.Name] > 0 && p.Stock == 0 {
			t.Errorf("%s is sold out, and among the ten cheapest of %d", p.Name, len(right))
		}
	}
	if len(right) != Depth {
		t.Errorf("%d are right, want %d", len(right), Depth)
	}
}

// A picture is none of the catalogue's: other bytes, another size, other pixels.
func TestPicturesAreNotTheCatalogues(t *testing.T) {
	for _, q := range known(t) {
		if q.Picture == nil {
			continue
		}
		shown, kind, err := image.Decode(bytes.NewReader(q.Request().Image))
		if err != nil || kind != "jpeg" {
			t.Fatalf("%s is a %s (%v), want a jpeg", q, kind, err)
		}
		if own := q.Picture.frame().Picture(samples.View{}); shown.Bounds() == own.Bounds() || shown.At(1, 1) == own.At(1, 1) {
			t.Errorf("%s: %v with %v in its corner, as the catalogue's", q, shown.Bounds(), shown.At(1, 1))
		}
	}
}

func TestReadRefuses(t *testing.T) {
	tests := []struct{ line, want string }{
		{"", "no query: want lines as"},
		{"{", "line 1: "},
		{`{"group":"a","query":"b","wants":{}}`, `unknown field "wants"`},
		{`{"query":"b","want":{"color":"red"}}`, "group is empty"},
		{`{"group":"a","want":{"color":"red"}}`, "it asks nothing"},
		{`{"group":"a","query":"b"}`, "nothing is right"},
		{`{"group":"a","query":"b","want":{"color":"rust"}}`, "no product of eyewear is a right answer"},
		{`{"group":"a","query":"b","want":{"colour":"red"}}`, `the facet "colour" is unknown: want category, gender`},
		{`{"group":"a","shop":"b","query":"c","nothing":true}`, `the shop "b" is unknown: want eyewear, grocery, outdoor`},
		{`{"group":"a","picture":{"sku":"EW-1","view":"turned"}}`, `picture.sku "EW-1" is none of eyewear`},
		{`{"group":"a","picture":{"sku":"EW-1001","view":""}}`, `picture.view "": want shaded, small, turned`},
	}
	for _, test := range tests {
		if _, err := Read(strings.NewReader(test.line)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Read(%q) = %v, want %q", test.line, err, test.want)
		}
	}
}
