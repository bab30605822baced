package catalog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
)

// importer returns an import into a catalogue of its own, with the emulated model.
func importer(t *testing.T, w *emulate.World) catalog.Import {
	t.Helper()
	t.Setenv("GOOGLE_API_KEY", "emulated")
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true})
	if err != nil {
		t.Fatal(err)
	}
	im := importerOf(catalog.New(w.FirestoreClient(t)), model, space(t, "emulated-embedding"))
	im.EmbedImages = func(ctx context.Context, pictures []*catalog.Picture) error {
		for _, one := range pictures {
			if strings.Contains(one.URI, "gone") {
				one.Fault = errors.New("there is no such picture")
				continue
			}
			v, err := model.Embed(ctx, gemini.EmbedRequest{Model: im.Space.Model, Images: []gemini.Part{gemini.Blob("image/png", dot(t, one.URI))}})
			if err != nil {
				return err
			}
			one.Vector, one.Hash = v[0], one.URI
		}
		return nil
	}
	return im
}

// importerOf returns an import into the shop test, with text vectors.
func importerOf(c *catalog.Catalog, model *gemini.Client, s catalog.VectorSpace) catalog.Import {
	return catalog.Import{
		Catalog: c, Shop: "test", Space: s, Country: "KR", Lang: "ko",
		Embed: func(ctx context.Context, texts []string) ([][]float32, error) {
			return model.Embed(ctx, gemini.EmbedRequest{Model: s.Model, Prefix: s.Prefix, Texts: texts})
		},
		EmbedDocuments: func(ctx context.Context, texts []string) ([][]float32, error) {
			_, document := catalog.SearchPrefixes(s.Model)
			return model.Embed(ctx, gemini.EmbedRequest{Model: s.Model, Prefix: document, Texts: texts})
		},
	}
}

// dot returns a picture in a colour derived from name.
func dot(t *testing.T, name string) []byte {
	picture := image.NewGray(image.Rect(0, 0, 64, 64))
	draw.Draw(picture, picture.Rect, image.NewUniform(color.Gray{uint8(len(name) * 7)}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// file returns a products_db.json with n products.
func file(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `%s{"product_name":"Tea %d","brand":"Brand %d","category":"Beverage","key_features":["tea %d","green label","500 ml"]}`,
			map[bool]string{true: "", false: ","}[i == 0], i, i%97, i)
	}
	return `{"products":[` + b.String() + `]}`
}

// A thousand products are embedded a hundred at a time, and not at all the second time.
// With WHATIS_IMPORT=10000 that many must take less than ten seconds.
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
		writes int // of twenty each on a fast machine: the client sends batches that waited long even if they are half full
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
		writes := w.Firestore.Calls()["BatchWrite"]
		if err != nil || done != want.done || len(w.Gemini.Calls()) != want.embeds || writes < want.writes || writes > 2*want.writes {
			t.Errorf("round %d: Run = %v, %v with %d embedding calls and %d writes, want %v with %d and %d, or some more",
				round+1, done, err, len(w.Gemini.Calls()), writes, want.done, want.embeds, want.writes)
		}
		if os.Getenv("WHATIS_IMPORT") != "" && took > 10*time.Second {
			t.Errorf("round %d: %d products took %v, want less than 10 s", round+1, n, took)
		}
	}
}

// A repeated import continues after what was stored, and faults are reported with their
// place.
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

// A call that Firestore refuses ends the import, whatever becomes of the products written after it, and the next import
// stores those that were in it.
func TestImportOfARefusedWrite(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	w.Firestore.Fail(firestore.Fault{Method: "BatchWrite", Code: codes.PermissionDenied, Times: 1})
	done, err := im.Run(t.Context(), strings.NewReader(file(120)))
	if err == nil || done.New == 0 || done.New >= 120 {
		t.Errorf("Run = %v, %v; want an error, and some new products", done, err)
	}
	again, err := im.Run(t.Context(), strings.NewReader(file(120)))
	if want := (catalog.Imports{New: 120 - done.New, Known: done.New}); err != nil || again != want {
		t.Errorf("Run again = %v, %v; want %v", again, err, want)
	}
}

// The products before the place where a file is malformed are imported.
func TestImportOfABrokenFile(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	tests := []struct {
		name, text string
		want       catalog.Imports
		isFile     bool
	}{
		{"no JSON", strings.TrimSuffix(file(3), "]}") + ",oops", catalog.Imports{New: 3}, true},
		{"no products", `{"list":[]}`, catalog.Imports{}, true},
		{"whole", file(3), catalog.Imports{Known: 3}, false},
	}
	for _, test := range tests {
		done, err := importer(t, w).Run(t.Context(), iotest.HalfReader(strings.NewReader(test.text)))
		if done != test.want || errors.Is(err, catalog.ErrFile) != test.isFile || !test.isFile && err != nil {
			t.Errorf("%s: Run = %v, %v; want %v, and a wrong file: %v", test.name, done, err, test.want, test.isFile)
		}
	}
}

// A learnt product with the same identity is not changed.
func TestImportLeavesWhatIsThere(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	create(t, im.Catalog, tea("Tea 0", 0, func(p *catalog.Product) { p.Brand, p.Status = "Brand 0", catalog.Unconfirmed }))
	if done, err := im.Run(t.Context(), strings.NewReader(file(2))); err != nil || done != (catalog.Imports{New: 1, Known: 1}) {
		t.Errorf("Run = %v, %v; want one new and one known", done, err)
	}
}

// line returns a product for sale as a line of a file.
func line(name, rest string) string {
	return fmt.Sprintf(`{"product_name":%q,"brand":"Lune","key_features":["glasses"]%s}`+"\n", name, rest)
}

// Products for sale are imported with a text and a picture vector; unchanged ones are
// neither embedded nor written again, and a changed price does not cause embedding.
func TestImportOfASale(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	im.Country, im.Lang = "VN", "vi"
	var faults []string
	im.Fault = func(f catalog.Fault) { faults = append(faults, fmt.Sprint(f.Record, " ", f.Why)) }
	im.Format.KnownFacet = func(facet, value string) bool { return value != "squircle" }
	const sale = `,"sku":"LN-1","description":"light","price":1290000,"currency":"vnd","stock":3,"image_uri":"a.png","facets":{"category":"frames","color":"black"}`
	a, b, c := line("A", sale), line("B", `,"sku":17,"facets":{"frameShape":"squircle"}`), line("C", `,"image_uri":"gone.png"`)
	plain := line("D", "")
	tests := []struct {
		name, file string
		want       catalog.Imports
		embedded   int // texts and pictures
		fault      string
	}{
		{"at first", a + b + c + plain, catalog.Imports{New: 4}, 4 + 3 + 1, `squircle" is not in the vocabulary`},
		{"again, but for the picture that was gone", a + b + c + plain, catalog.Imports{Known: 3, Changed: 1}, 2, "gone.png"},
		{"another price and stock", strings.Replace(strings.Replace(a, "1290000", "990000", 1), `"stock":3`, `"stock":0`, 1), catalog.Imports{Changed: 1}, 0, ""},
		{"the same again", strings.Replace(strings.Replace(a, "1290000", "990000", 1), `"stock":3`, `"stock":0`, 1), catalog.Imports{Known: 1}, 0, ""},
		{"another picture", strings.Replace(a, "a.png", "another.png", 1), catalog.Imports{Changed: 1}, 3, ""},
		{"no price and no picture", line("A", `,"sku":"LN-1"`), catalog.Imports{Changed: 1}, 2, ""},
	}
	for _, test := range tests {
		w.Gemini.ResetCalls()
		faults = nil
		done, err := im.Run(t.Context(), strings.NewReader(test.file))
		embedded := 0
		for _, call := range w.Gemini.Calls() {
			embedded += max(len(call.Texts), 1)
		}
		if err != nil || done != test.want || embedded != test.embedded || !strings.Contains(strings.Join(faults, "\n"), test.fault) || test.fault == "" && len(faults) > 0 {
			t.Errorf("%s: Run = %v, %v with %d embedded, faults %q; want %v with %d and %q", test.name, done, err, embedded, faults, test.want, test.embedded, test.fault)
		}
	}
	got, err := im.Catalog.Named(t.Context(), "test", im.Space.ID(), "ln1")
	if err != nil || len(got) != 1 || got[0].ProductName != "A" || got[0].Amount != 0 || got[0].Stock != nil || got[0].ImageURI != "" || got[0].Facets != nil {
		t.Errorf("Named(ln1) = %+v, %v; want A, without what the file says no longer", got, err)
	}
}

// Imported products are found by text, picture and facets.
func TestImportedSaleIsFound(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	file := line("Moon", `,"description":"gọng tròn màu đen","image_uri":"moon.png","facets":{"category":"frames"}`) +
		line("Sun", `,"description":"kính vuông màu đỏ","image_uri":"a longer name of a picture.png","facets":{"category":"sunglasses"}`)
	if done, err := im.Run(t.Context(), strings.NewReader(file)); err != nil || done.New != 2 {
		t.Fatalf("Run = %v, %v; want two new", done, err)
	}
	query, _ := catalog.SearchPrefixes(im.Space.Model)
	if query == "" {
		t.Fatal("SearchPrefixes has none for queries")
	}
	words, err := im.Embed(t.Context(), []string{"kính vuông đỏ"})
	if err != nil {
		t.Fatal(err)
	}
	moon := catalog.Picture{URI: "moon.png"}
	if err := im.EmbedImages(t.Context(), []*catalog.Picture{&moon}); err != nil {
		t.Fatal(err)
	}
	for field, test := range map[string]struct {
		vector []float32
		want   string
	}{catalog.SearchVector: {words[0], "Sun Moon"}, catalog.ImageVector: {moon.Vector, "Moon Sun"}} {
		got, err := im.Catalog.NearestBy(t.Context(), catalog.VectorQuery{Shop: "test", Space: im.Space.ID(), Field: field, Vector: test.vector, Limit: 9})
		if named := nameEach(t, im.Catalog, got); err != nil || names(named) != test.want {
			t.Errorf("NearestBy(%s) = %q, %v; want %q", field, names(named), err, test.want)
		}
	}
}

// A picture on the web is kept by its address and not read: it is no fault, and an import of the
// same file changes nothing.
func TestPictureOnTheWeb(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	im := importer(t, w)
	im.EmbedImages = func(_ context.Context, pictures []*catalog.Picture) error {
		t.Errorf("EmbedImages is called with %q", pictures[0].URI)
		return nil
	}
	im.Fault = func(f catalog.Fault) { t.Errorf("fault %+v", f) }
	feed, err := os.ReadFile("testdata/merchant/atom.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []catalog.Imports{{New: 2}, {Known: 2}} {
		if done, err := im.Run(t.Context(), bytes.NewReader(feed)); err != nil || done != want {
			t.Errorf("Run = %v, %v; want %v", done, err, want)
		}
	}
	found, err := im.Catalog.Named(t.Context(), "test", im.Space.ID(), "T-2")
	if err != nil || len(found) != 1 || found[0].ImageURI != "https://camp.example/t-2.jpg" || found[0].Provenance[0] != "https://camp.example/t-2" {
		t.Errorf("Named(T-2) = %+v, %v", found, err)
	}
}
