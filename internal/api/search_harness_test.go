package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image/jpeg"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/search"
)

// shelved are the frames that tests search: three colours, four shapes, both categories.
var shelved = slices.DeleteFunc(samples.Frames(), func(f samples.Frame) bool {
	return !slices.Contains([]string{"red", "black", "gold"}, f.Color) || !slices.Contains([]string{"round", "square", "cat_eye", "aviator"}, f.Shape)
})

// shelve imports frames into the shop test. Their pictures are in the bucket pictures.
func (s *service) shelve() {
	s.t.Helper()
	if err := s.Storage.CreateBucket("pictures"); err != nil {
		s.t.Fatal(err)
	}
	var file bytes.Buffer
	pictures := map[string][]byte{}
	for line := range strings.Lines(string(samples.EyewearFile("gs://pictures/"))) {
		record := read[struct {
			SKU string
			URI string `json:"image_uri"`
		}](s.t, line)
		i := slices.IndexFunc(shelved, func(f samples.Frame) bool { return f.SKU == record.SKU })
		if i < 0 {
			continue
		}
		file.WriteString(line)
		pictures[record.URI] = shelved[i].PNG()
		s.Put(s.t, "pictures", record.SKU+".png", pictures[record.URI])
	}
	s.importFile(&file, pictures)
}

// importFile imports products with their vectors.
func (s *service) importFile(file *bytes.Buffer, pictures map[string][]byte) {
	s.t.Helper()
	model, err := gemini.Open(s.t.Context(), gemini.Config{BaseURL: s.Gemini.URL(), AllowEmulated: true})
	if err != nil {
		s.t.Fatal(err)
	}
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		s.t.Fatal(err)
	}
	embed := func(ctx context.Context, texts []string) ([][]float32, error) {
		return model.Embed(ctx, gemini.EmbedRequest{Model: space.Model, Texts: texts})
	}
	done, err := catalog.Import{
		Catalog: catalog.New(s.FirestoreClient(s.t)), Shop: "test", Space: space, Country: "VN", Lang: "vi", Embed: embed, EmbedDocuments: embed,
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
	}.Run(s.t.Context(), file)
	if err != nil || done.New != len(pictures) {
		s.t.Fatalf("import = %v, %v; want %d products", done, err, len(pictures))
	}
}

// frame returns the frame with that shape, colour and category.
func frame(t *testing.T, shape, color, category string) samples.Frame {
	t.Helper()
	i := slices.IndexFunc(shelved, func(f samples.Frame) bool { return f.Shape == shape && f.Color == color && f.Category == category })
	if i < 0 {
		t.Fatalf("no frame is %s, %s, %s", shape, color, category)
	}
	return shelved[i]
}

// photographed returns a picture of f as a photo would show it: rotated, scaled, on another
// background, compressed.
func photographed(t *testing.T, f samples.Frame) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, f.Picture(samples.View{Width: 420, Turn: 6, Scale: 0.8, Background: 0xE9DFC9}), &jpeg.Options{Quality: 75}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// searching returns the API over that shop, with A2A and MCP.
func searching(t *testing.T) *service {
	t.Helper()
	var s *service
	s = agents(t, search.Skill(func(context.Context) (*search.Pipeline, error) { return s.search, nil }))
	s.shelve()
	return s
}

// jsonOf returns v as JSON.
func jsonOf(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
