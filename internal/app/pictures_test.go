package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/catalog"
)

// Pictures are read beside the file and from the buckets for them; one that is not there, is no
// picture or lies elsewhere, as a photo that somebody has uploaded, is told, and its product imported
// without.
func TestImportPictures(t *testing.T) {
	w := emulate.Start(t)
	point(t, w, "PICTURE_BUCKETS=pictures")
	frame := samples.Frames()[0]
	for _, bucket := range []string{"pictures", "private"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
		w.Put(t, bucket, "a.png", frame.PNG())
	}
	outer := t.TempDir()
	folder := filepath.Join(outer, "shop")
	for path, data := range map[string][]byte{"outside.png": frame.PNG(), "shop/b.png": frame.PNG(), "shop/text.png": []byte("no picture")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(outer, path), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var file strings.Builder
	uris := []string{"gs://pictures/a.png", "b.png", "gs://private/a.png", "gs://pictures/gone.png", "gs://pictures", "gone.png", "text.png", "../outside.png", "."}
	for _, uri := range uris {
		file.WriteString(`{"product_name":"` + uri + `","key_features":["x"],"image_uri":"` + uri + "\"}\n")
	}
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	faults := 0
	done, err := app.New(c).ImportFile(t.Context(), app.CatalogFile{Reader: strings.NewReader(file.String()), Shop: "shop", Folder: folder,
		Fault: func(f catalog.Fault) { faults++; t.Log(f.Record, f.Why) }})
	if err != nil || done.New != len(uris) || faults != len(uris)-2 {
		t.Fatalf("ImportFile = %v, %v with %d faults; want all of %d, with faults of all but two", done, err, faults, len(uris))
	}
	space, err := catalog.VectorSpaceOf(c.Catalog.EmbeddingModel)
	if err != nil {
		t.Fatal(err)
	}
	vector := make([]float32, catalog.Dimensions)
	vector[0] = 1
	near, err := catalog.New(w.FirestoreClient(t)).NearestBy(t.Context(), catalog.VectorQuery{
		Shop: "shop", Space: space.ID(), Field: catalog.ImageVector, Vector: vector, Limit: 9})
	if err != nil || len(near) != 2 {
		t.Errorf("%d products have a vector of their picture, %v; want 2", len(near), err)
	}
}
