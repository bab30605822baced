package app_test

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

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

// Real products are found among a thousand others by what is printed on a pack alone,
// and by its code alone. WHATIS_FOUND=50 draws fifty; eight are drawn otherwise. The
// export is no part of the project.
func TestImportedProductsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	files := realdata.Need(t, "catalogue/*.jsonl.gz")
	n := map[bool]int{true: 50, false: 8}[os.Getenv("WHATIS_FOUND") == "50"]
	var prints, codes []*samples.Sample
	products := packs(t, files[0], n)
	for _, e := range products {
		for _, way := range []struct {
			to    *[]*samples.Sample
			print samples.Print
		}{{&prints, samples.Print{Brand: e.brand(), Name: e.Name, Amount: e.Quantity}}, {&codes, samples.Print{GTIN: e.Code}}} {
			pack, err := samples.Pack(way.print)
			if err != nil {
				t.Fatal(err)
			}
			*way.to = append(*way.to, pack)
		}
	}
	w := emulate.Start(t, emulate.Firestore, emulate.Storage)
	model, err := answers.Start(emulated.Options{}, answers.Options{Tesseract: "off", Packs: prints})
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
	if _, err := a.Import(t.Context(), bytes.NewReader(read(t, files[0])), nil, nil); err != nil {
		t.Fatal(err)
	}
	in, err := a.Intake(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for i, e := range products {
		for way, pack := range map[string]*samples.Sample{"print": prints[i], "code": codes[i]} {
			r, err := in.Photo(t.Context(), intake.Photo{Data: pack.Bytes()}, nil)
			if err != nil {
				t.Fatal(err)
			}
			// An export may have one product under two codes: their prints are the same.
			if r.Source == "local_db" && textfold.String(r.ProductName+r.Brand) == textfold.String(e.Name+e.brand()) {
				found[way]++
				continue
			}
			t.Logf("%s %q of %q by its %s: %s %q of %q, probability %+v, decision %+v", e.Code, e.Name, e.brand(), way, r.Source, r.ProductName, r.Brand, r.RAGConfidence, r.Decision)
		}
	}
	t.Logf("of %d products %d are found by their print and %d by their code", n, found["print"], found["code"])
	if found["print"] < n || found["code"] < n {
		t.Errorf("of %d products %d are found by their print and %d by their code, want all", n, found["print"], found["code"])
	}
}
