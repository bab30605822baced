package search_test

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo/barcode"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/search/index"
	"example.com/whatis/internal/session"
)

func TestMain(m *testing.M) { emulate.Run(m) }

// bench is a pipeline over emulators with the sample frames in its catalogue.
type bench struct {
	*emulate.World
	t        *testing.T
	catalog  *catalog.Catalog
	model    *gemini.Client
	config   search.Config
	pipeline *search.Pipeline
	caller   string
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
	b.config = search.Config{
		Gemini: model, Catalog: b.catalog, Indexes: &index.Shops{Catalog: b.catalog, Space: space.ID(), Freshness: time.Nanosecond}, Space: space, Shop: samples.EyewearShop, Model: "emulated-image", ReadCodes: barcode.WhenSeen,
		Sessions: session.New(w.FirestoreClient(t), session.Options{}), Owner: func(context.Context) string { return b.caller },
	}
	b.open()
	return b
}

// open creates the pipeline of b's configuration.
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
		EmbedImages: func(ctx context.Context, pictures []*catalog.Picture) error {
			for _, one := range pictures {
				one.Vector = b.pictured(filepath.Base(one.URI))
			}
			return nil
		},
		Fault: func(f catalog.Fault) { b.t.Errorf("import: %+v", f) },
	}
	if _, err := im.Run(b.t.Context(), bytes.NewReader(file)); err != nil {
		b.t.Fatal(err)
	}
	b.Gemini.ResetCalls()
	return b
}

// pictureVectors are the vectors of the shop's pictures, by file. They are computed once
// for all tests, because the emulated embedder is slow.
var pictureVectors sync.Map

func (b *bench) pictured(file string) []float32 {
	b.t.Helper()
	if v, ok := pictureVectors.Load(file); ok {
		return v.([]float32)
	}
	frame := frameOf(b.t, strings.TrimSuffix(file, ".png"))
	v, err := b.model.Embed(b.t.Context(), gemini.EmbedRequest{Model: "emulated-embedding", Images: []gemini.Part{gemini.Blob("image/png", frame.PNG())}})
	if err != nil {
		b.t.Fatal(err)
	}
	pictureVectors.Store(file, v[0])
	return v[0]
}

// frameOf returns the frame with that SKU.
func frameOf(t *testing.T, sku string) samples.Frame {
	t.Helper()
	for _, f := range samples.Frames() {
		if f.SKU == sku {
			return f
		}
	}
	t.Fatalf("there is no frame %s", sku)
	return samples.Frame{}
}

// each is the ratio of the samples' frames to those in the tests' shop.
const each = 5

// eyewear returns a bench with the samples' shop, or part of it.
func eyewear(t *testing.T) *bench {
	t.Helper()
	lines := bytes.SplitAfter(samples.EyewearFile("gs://pictures/"), []byte("\n"))
	var file []byte
	for i := 0; i < len(lines); i += each {
		file = append(file, lines[i]...)
	}
	return newBench(t).stock(samples.EyewearShop, file)
}

func (b *bench) search(req search.Request) search.Result {
	b.t.Helper()
	r, err := b.pipeline.Run(b.t.Context(), req, nil)
	if err != nil {
		b.t.Fatalf("Run(%q) = %v", req.Query, err)
	}
	for _, code := range r.Warnings {
		if !slices.Contains(search.Warnings, code) && !slices.Contains(gemini.Warnings, code) {
			b.t.Errorf("Run(%q) warns of %q, which is not listed", req.Query, code)
		}
	}
	return r
}

// id returns the product ID for that SKU.
func (b *bench) id(sku string) string {
	b.t.Helper()
	found, err := b.catalog.Named(b.t.Context(), b.config.Shop, b.config.Space.ID(), sku)
	if err != nil || len(found) != 1 {
		b.t.Fatalf("Named(%s) = %d products, %v; want 1", sku, len(found), err)
	}
	return found[0].ID
}

// calls counts the model calls by kind since the last stock or ResetCalls.
func (b *bench) calls() map[emulated.Kind]int {
	n := map[emulated.Kind]int{}
	for _, c := range b.Gemini.Calls() {
		n[c.Kind]++
	}
	return n
}

// pipelineOf returns b's pipeline.
func (b *bench) pipelineOf(context.Context) (*search.Pipeline, error) { return b.pipeline, nil }
