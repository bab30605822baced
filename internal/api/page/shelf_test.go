package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo/barcode"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/search/index"
	"example.com/whatis/internal/session"
)

// shelved are the frames in the shop: five colours and six shapes.
func shelved() []samples.Frame {
	return slices.DeleteFunc(samples.Frames(), func(f samples.Frame) bool {
		return !slices.Contains([]string{"red", "black", "gold", "blue", "tortoise"}, f.Color) ||
			!slices.Contains([]string{"round", "square", "cat_eye", "aviator", "wayfarer", "polygon"}, f.Shape)
	})
}

// shelve imports frames into the shop test. Their pictures are in the bucket pictures.
func (w *whatis) shelve(t *testing.T) {
	t.Helper()
	if err := w.Storage.CreateBucket("pictures"); err != nil {
		t.Fatal(err)
	}
	pictures := map[string][]byte{}
	for _, f := range shelved() {
		pictures["gs://pictures/"+f.SKU+".png"] = f.PNG()
		w.Put(t, "pictures", f.SKU+".png", pictures["gs://pictures/"+f.SKU+".png"])
	}
	var file bytes.Buffer
	for line := range strings.Lines(string(samples.EyewearFile("gs://pictures/"))) {
		var record struct {
			URI string `json:"image_uri"`
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		if pictures[record.URI] != nil {
			file.WriteString(line)
		}
	}
	w.importFile(t, &file, pictures)
}

// importFile imports products with their vectors.
func (w *whatis) importFile(t *testing.T, file *bytes.Buffer, pictures map[string][]byte) {
	t.Helper()
	model, space := w.model(t)
	embed := func(ctx context.Context, texts []string) ([][]float32, error) {
		return model.Embed(ctx, gemini.EmbedRequest{Model: space.Model, Texts: texts})
	}
	done, err := catalog.Import{
		Catalog: catalog.New(w.FirestoreClient(t)), Shop: "test", Space: space, Country: "VN", Lang: "vi", Embed: embed, EmbedDocuments: embed,
		EmbedImages: func(ctx context.Context, of []*catalog.Picture) error {
			r := gemini.EmbedRequest{Model: space.Model}
			for _, one := range of {
				r.Images = append(r.Images, gemini.Blob("image/png", pictures[one.URI]))
			}
			vectors, err := model.Embed(ctx, r)
			for i, v := range vectors {
				of[i].Vector = v
			}
			return err
		},
	}.Run(t.Context(), file)
	if err != nil || done.New != len(pictures) {
		t.Fatalf("import = %v, %v; want %d products", done, err, len(pictures))
	}
}

// searchIn adds the search agent for the shop test to c.
func (w *whatis) searchIn(t *testing.T, c *api.Config) {
	t.Helper()
	model, space := w.model(t)
	db := w.FirestoreClient(t)
	sessions := session.New(db, session.Options{})
	c.Sessions = func(context.Context) (*session.Service, error) { return sessions, nil }
	p, err := search.New(search.Config{Gemini: model, Catalog: catalog.New(db), Indexes: &index.Shops{Catalog: catalog.New(db), Space: space.ID(), Freshness: time.Nanosecond}, Sessions: sessions, Space: space, Shop: "test", Model: "emulated-image", ReadCodes: barcode.WhenSeen, Memory: w.memory})
	if err != nil {
		t.Fatal(err)
	}
	objects := blob.New(emulate.StorageClient(t, w.World))
	c.Search = func(context.Context) (*search.Pipeline, error) { return p, nil }
	c.Pictures = api.Pictures{Objects: func(context.Context) (*blob.Store, error) { return objects, nil }, Buckets: []string{"pictures"}}
}
