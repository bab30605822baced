package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
)

// importer is an import into a catalogue of its own, over the emulated model.
func importer(t *testing.T, w *emulate.World) catalog.Import {
	t.Helper()
	t.Setenv("GOOGLE_API_KEY", "emulated")
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true})
	if err != nil {
		t.Fatal(err)
	}
	s := space(t, "emulated-embedding")
	return catalog.Import{
		Catalog: catalog.New(w.FirestoreClient(t)), Shop: "test", Space: s, Country: "KR", Lang: "ko",
		Embed: func(ctx context.Context, texts []string) ([][]float32, error) {
			return model.Embed(ctx, gemini.EmbedRequest{Model: s.Model, Prefix: s.Prefix, Texts: texts})
		},
	}
}

// file is a products_db.json of n products.
func file(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `%s{"product_name":"Tea %d","brand":"Brand %d","category":"Beverage","key_features":["tea %d","green label","500 ml"]}`,
			map[bool]string{true: "", false: ","}[i == 0], i, i%97, i)
	}
	return `{"products":[` + b.String() + `]}`
}

// A thousand products are embedded a hundred at a time, and a second time not at
// all. WHATIS_IMPORT=10000 imports as many, which must take less than ten seconds.
func TestImport(t *testing.T) {
	n := 1000
	if many, err := strconv.Atoi(os.Getenv("WHATIS_IMPORT")); err == nil {
		n = many
	}
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	text := file(n)
	for round, want := range []struct {
		done   catalog.Imports
		embeds int
		writes int // of twenty each
	}{
		{catalog.Imports{New: n}, (n + 99) / 100, n / 20},
		{catalog.Imports{Known: n}, 0, 0},
	} {
		w.Gemini.ResetCalls()
		w.Firestore.ResetCalls()
		start := time.Now()
		done, err := im.Run(t.Context(), strings.NewReader(text))
		took := time.Since(start)
		t.Logf("round %d: %d products in %v: %v, %d embedding calls, Firestore %v", round+1, n, took, done, len(w.Gemini.Calls()), w.Firestore.Calls())
		if err != nil || done != want.done || len(w.Gemini.Calls()) != want.embeds || w.Firestore.Calls()["BatchWrite"] != want.writes {
			t.Errorf("round %d: Run = %v, %v with %d embedding calls and %d writes, want %v with %d and %d",
				round+1, done, err, len(w.Gemini.Calls()), w.Firestore.Calls()["BatchWrite"], want.done, want.embeds, want.writes)
		}
		if os.Getenv("WHATIS_IMPORT") != "" && took > 10*time.Second {
			t.Errorf("round %d: %d products took %v, want less than 10 s", round+1, n, took)
		}
	}
}

// An import that breaks off goes on behind what is there, and what is wrong is told
// with its place.
func TestImportGoesOn(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	embed, calls := im.Embed, atomic.Int64{}
	im.Embed = func(ctx context.Context, texts []string) ([][]float32, error) {
		if calls.Add(1) == 2 {
			return nil, errors.New("the model is out")
		}
		return embed(ctx, texts)
	}
	text := strings.Replace(file(1000), `{"product_name":"Tea 3",`, `{"product_name":3,`, 1)
	var faults []catalog.Fault
	var told []catalog.Imports
	im.Fault, im.Progress = func(f catalog.Fault) { faults = append(faults, f) }, func(i catalog.Imports) { told = append(told, i) }
	done, err := im.Run(t.Context(), strings.NewReader(text))
	if err == nil || done.New != 800 || done.LeftOut != 1 || len(told) != 2 || told[1] != done {
		t.Errorf("Run that breaks off = %v, %v, told %v; want the first 800, and an error", done, err, told)
	}
	if len(faults) != 1 || faults[0].Record != "products[3]" || !strings.Contains(faults[0].Why, "product_name is of type number") || !faults[0].LeftOut {
		t.Errorf("faults = %+v, want products[3], whose name is a number", faults)
	}
	done, err = im.Run(t.Context(), strings.NewReader(text))
	if want := (catalog.Imports{New: 199, Known: 800, LeftOut: 1}); err != nil || done != want {
		t.Errorf("Run again = %v, %v; want %v", done, err, want)
	}
}

// What comes before the place where a file breaks is imported.
func TestImportOfABrokenFile(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	tests := []struct {
		name, text string
		want       catalog.Imports
		isFile     bool
	}{
		{"no JSON", strings.TrimSuffix(file(3), "]}") + ",oops", catalog.Imports{New: 3}, true},
		{"no products", `{"items":[]}`, catalog.Imports{}, true},
		{"whole", file(3), catalog.Imports{Known: 3}, false},
	}
	for _, test := range tests {
		done, err := importer(t, w).Run(t.Context(), iotest.HalfReader(strings.NewReader(test.text)))
		if done != test.want || errors.Is(err, catalog.ErrFile) != test.isFile || !test.isFile && err != nil {
			t.Errorf("%s: Run = %v, %v; want %v, and a wrong file: %v", test.name, done, err, test.want, test.isFile)
		}
	}
}

// A product that was learnt under the same identity stays as it is.
func TestImportLeavesWhatIsThere(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	create(t, im.Catalog, tea("Tea 0", 0, func(p *catalog.Product) { p.Brand, p.Status = "Brand 0", catalog.Unconfirmed }))
	if done, err := im.Run(t.Context(), strings.NewReader(file(2))); err != nil || done != (catalog.Imports{New: 1, Known: 1}) {
		t.Errorf("Run = %v, %v; want one new and one known", done, err)
	}
}
