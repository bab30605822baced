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
		"money in words": 10, "numbers that are no price": 8, "one of several": 10, "other languages": 15, "in stock": 5, "faces in words": 6, "follow-ups": 28,
	} {
		if groups[group] < least {
			t.Errorf("%d queries of the group %q, want %d at least", groups[group], group, least)
		}
	}
	if n := len(known(t)) - groups[UnknownWords]; n < 160 {
		t.Errorf("%d queries beside those in unknown words, want 160 at least", n)
	}
}

// Every code that a query names is one that a frame has.
func TestQueriesNameCodesThatThereAre(t *testing.T) {
	for _, q := range known(t) {
		for _, wanted := range []map[string]Codes{q.Want, q.Not, q.Prefer} {
			for facet, codes := range wanted {
				for _, code := range codes {
					if !slices.ContainsFunc(frames(), func(f samples.Frame) bool { return Facet(f, facet) == code }) {
						t.Errorf("%s: no frame has the %s %q", q, facet, code)
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
			if slices.Max(more.grades()) > 0 {
				t.Errorf("%s: some frame is right when only %q is given up, want none", q, more.GiveUp)
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
		{`{"group":"a","query":"b","want":{"color":"rust"}}`, "no frame of eyewear is a right answer"},
		{`{"group":"a","query":"b","want":{"colour":"red"}}`, `the facet "colour" is unknown: want category, gender`},
		{`{"group":"a","picture":{"sku":"EW-1","view":"turned"}}`, `picture.sku "EW-1" is none of eyewear`},
		{`{"group":"a","picture":{"sku":"EW-1001","view":""}}`, `picture.view "": want shaded, small, turned`},
	}
	for _, test := range tests {
		if _, err := Read(strings.NewReader(test.line)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Read(%q) = %v, want %q", test.line, err, test.want)
		}
	}
}
