package app_test

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"example.com/whatis/docs"
	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/realdata"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/textfold"
)

// An exported is a product of a real export.
type exported struct {
	Code     string `json:"code"`
	Name     string `json:"product_name"`
	Brands   string `json:"brands"`
	Quantity string `json:"quantity"`
}

func (e exported) brand() string {
	brand, _, _ := strings.Cut(e.Brands, ",")
	return strings.TrimSpace(brand)
}

// packs are what is measured: the first n products by code that have a name, a brand
// and a code that names a product anywhere, in Latin script.
func packs(t *testing.T, file string, n int) (chosen []exported) {
	t.Helper()
	unpacked, err := gzip.NewReader(bytes.NewReader(read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 10<<20)
	for lines.Scan() {
		var e exported
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		e.Name = strings.Join(strings.Fields(e.Name), " ")
		gtin, ok := gs1.GTIN(e.Code)
		other := strings.ContainsFunc(e.Name+e.brand(), func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) })
		if ok && !gs1.Restricted(gtin) && !other && e.Name != "" && e.brand() != "" {
			chosen = append(chosen, e)
		}
	}
	if lines.Err() != nil || len(chosen) < n {
		t.Fatalf("%s has %d products to draw, %v; want %d", file, len(chosen), lines.Err(), n)
	}
	slices.SortFunc(chosen, func(a, b exported) int { return cmp.Compare(a.Code, b.Code) })
	return chosen[:n]
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// An imported product is drawn as two packs: what is printed on one, and only its code on the other.
type drawnPacks struct {
	exported
	print, code *samples.Sample
}

// drawn returns the packs of n products of an export.
func drawn(t *testing.T, file string, n int) (list []drawnPacks) {
	t.Helper()
	for _, e := range packs(t, file, n) {
		print, err := samples.Pack(samples.Print{Brand: e.brand(), Name: e.Name, Amount: e.Quantity})
		if err != nil {
			t.Fatal(err)
		}
		code, err := samples.Pack(samples.Print{GTIN: e.Code})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, drawnPacks{e, print, code})
	}
	return list
}

// found says of how many packs a catalogue of all products of the export has the answer, with a
// model.
type found struct{ print, code, named int }

// foundWith asks an app that has imported the export about each pack. Named are the packs whose
// print alone led to the right product, whether the catalogue or the model named it.
func foundWith(t *testing.T, m answers.Model, file string, products []drawnPacks) (n found) {
	t.Helper()
	w := emulate.Start(t, emulate.Firestore, emulate.Storage)
	known := answers.Options{Tesseract: "off", Model: m}
	for _, p := range products {
		known.Packs = append(known.Packs, p.print)
	}
	model, err := answers.Start(emulated.Options{}, known)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	point(t, w, "GOOGLE_GEMINI_BASE_URL="+model.URL(), "GOOGLE_API_KEY=emulated", "LANGUAGE_TAG=fr", "COUNTRY=FR")
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(c)
	if _, err := a.Import(t.Context(), bytes.NewReader(read(t, file)), nil, nil); err != nil {
		t.Fatal(err)
	}
	in, err := a.Intake(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ask := func(p drawnPacks, pack *samples.Sample) (right, local int) {
		r, err := in.Photo(t.Context(), intake.Photo{Data: pack.Bytes()}, nil)
		// An export may have one product under two codes: their prints are the same.
		if err != nil || r.Identification == nil || textfold.String(r.ProductName+r.Brand) != textfold.String(p.Name+p.brand()) {
			t.Logf("%s %q of %q, model %q: %v, decision %+v", p.Code, p.Name, p.brand(), m, err, r.Decision)
			return 0, 0
		}
		if r.Source != "local_db" {
			return 1, 0
		}
		return 1, 1
	}
	for _, p := range products {
		right, local := ask(p, p.print)
		n.named, n.print = n.named+right, n.print+local
		_, local = ask(p, p.code)
		n.code += local
	}
	return n
}

// Real products are found among a thousand others by what is printed on a pack alone,
// and by its code alone. WHATIS_FOUND=50 draws fifty, with all three models, and holds
// docs/evidence.md to what they find; otherwise eight are drawn. The export is no part of
// the project.
func TestDocsImportedProducts(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	file := realdata.Need(t, "catalogue/*.jsonl.gz")[0]
	if os.Getenv("WHATIS_FOUND") != "50" {
		const n = 8
		if got := foundWith(t, answers.Emulated, file, drawn(t, file, n)); got != (found{n, n, n}) {
			t.Errorf("of %d products %+v are found, want all", n, got)
		}
		return
	}
	const n = 50
	products := drawn(t, file, n)
	none, perfect, asEmulated := foundWith(t, answers.None, file, products), foundWith(t, answers.Perfect, file, products), foundWith(t, answers.Emulated, file, products)
	if want := (found{n, n, n}); asEmulated != want {
		t.Errorf("of %d products %+v are found, want all", n, asEmulated)
	}
	table := "| of 50 imported products | none | perfect | emulated | a figure of |\n| --- | --- | --- | --- | --- |\n"
	for _, row := range []struct {
		name string
		of   func(found) int
	}{
		{"named right by their print alone", func(f found) int { return f.named }},
		{"of these by the catalogue (row 4)", func(f found) int { return f.print }},
		{"found by their code alone (row 1)", func(f found) int { return f.code }},
	} {
		whose := "the model"
		if row.of(none) == row.of(perfect) && row.of(none) == row.of(asEmulated) {
			whose = "the code"
		}
		table += fmt.Sprintf("| %s | %d | %d | %d | %s |\n", row.name, row.of(none), row.of(perfect), row.of(asEmulated), whose)
	}
	docs.Section(t, "evidence.md", "imported", table)
}
