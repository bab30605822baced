package search_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/search"
)

func TestMain(m *testing.M) {
	os.Setenv("GOOGLE_API_KEY", "emulated")
	os.Exit(m.Run())
}

// bench is a pipeline over emulators, whose catalogue has the frames of the samples.
type bench struct {
	*emulate.World
	t        *testing.T
	catalog  *catalog.Catalog
	model    *gemini.Client
	config   search.Config
	pipeline *search.Pipeline
}

func newBench(t *testing.T) *bench {
	t.Helper()
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{World: w, t: t, catalog: catalog.New(w.FirestoreClient(t)), model: model}
	b.config = search.Config{Gemini: model, Catalog: b.catalog, Space: space, Shop: samples.EyewearShop, Model: "emulated-image"}
	b.open()
	return b
}

// open makes the pipeline of b's configuration.
func (b *bench) open() {
	b.t.Helper()
	var err error
	if b.pipeline, err = search.New(b.config); err != nil {
		b.t.Fatal(err)
	}
}

// stock imports a file of products into a shop, with both vectors.
func (b *bench) stock(shop string, file []byte) *bench {
	b.t.Helper()
	query := func(prefix string) func(context.Context, []string) ([][]float32, error) {
		return func(ctx context.Context, texts []string) ([][]float32, error) {
			return b.model.Embed(ctx, gemini.EmbedRequest{Model: b.config.Space.Model, Prefix: prefix, Texts: texts})
		}
	}
	_, document := catalog.SearchPrefixes(b.config.Space.Model)
	im := catalog.Import{
		Catalog: b.catalog, Shop: shop, Space: b.config.Space, Embed: query(b.config.Space.Prefix), EmbedDocuments: query(document),
		EmbedImages: func(ctx context.Context, uris []string) (vectors [][]float32, faults []error, err error) {
			var parts []gemini.Part
			for _, uri := range uris {
				parts = append(parts, gemini.Blob("image/png", pngOf(filepath.Base(uri))))
			}
			vectors, err = b.model.Embed(ctx, gemini.EmbedRequest{Model: b.config.Space.Model, Images: parts})
			return vectors, make([]error, len(uris)), err
		},
		Fault: func(f catalog.Fault) { b.t.Errorf("import: %+v", f) },
	}
	if _, err := im.Run(b.t.Context(), bytes.NewReader(file)); err != nil {
		b.t.Fatal(err)
	}
	b.Gemini.ResetCalls()
	return b
}

// eyewear has the shop of the samples.
func eyewear(t *testing.T) *bench {
	t.Helper()
	return newBench(t).stock(samples.EyewearShop, samples.EyewearFile("gs://pictures/"))
}

// pngOf is the shop's picture of the frame whose SKU a file's name begins with.
func pngOf(name string) []byte {
	for _, f := range samples.Frames() {
		if f.SKU+".png" == name {
			return f.PNG()
		}
	}
	return nil
}

func (b *bench) search(req search.Request) search.Result {
	b.t.Helper()
	r, err := b.pipeline.Run(b.t.Context(), req, nil)
	if err != nil {
		b.t.Fatalf("Run(%q) = %v", req.Query, err)
	}
	return r
}
