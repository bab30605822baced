package search_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo/barcode"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/search/index"
)

func asJPEG(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 80}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A picture of a frame that is not a file of the catalogue finds that frame: rotated,
// smaller, on another background, and as a GIF, which models do not accept.
func TestPictures(t *testing.T) {
	b := eyewear(t)
	frame := frameOf(t, "EW-1156") // pink, cat-eye
	view := frame.Picture(samples.View{Width: 420, Turn: 8, Scale: 0.9, Background: 0xDDE3D0, Shade: 0.2})
	var animated bytes.Buffer
	if err := gif.Encode(&animated, frame.Picture(samples.View{}), nil); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"JPEG": asJPEG(t, view), "GIF": animated.Bytes()} {
		r := b.search(search.Request{Image: data})
		if r.SearchType != search.ByImage || r.Count == 0 || r.Products[0].ProductID != b.id("EW-1156") || r.Products[0].Image == nil {
			t.Errorf("%s: %+v by %s, want EW-1156 first by its picture", name, r.Products[:min(1, r.Count)], r.SearchType)
		}
	}
}

// A picture without eyewear is not searched by; words beside it are.
func TestIrrelevantImages(t *testing.T) {
	b := eyewear(t)
	plain := image.NewRGBA(image.Rect(0, 0, 200, 150))
	draw.Draw(plain, plain.Rect, image.NewUniform(color.RGBA{200, 60, 40, 255}), image.Point{}, draw.Src)
	pictures := map[string][]byte{"plain": asJPEG(t, plain)}
	for _, s := range samples.All() {
		pictures[s.Truth.Name+s.Truth.Description] = s.Bytes()
	}
	for name, data := range pictures {
		r := b.search(search.Request{Image: data})
		if !slices.Contains(r.Warnings, search.WarnIrrelevantImage) || r.Count != 0 {
			t.Errorf("%s: warnings %q, %d found; want irrelevant_image and nothing", name, r.Warnings, r.Count)
		}
	}
	r := b.search(search.Request{Query: "kính râm", Image: pictures["plain"]})
	if !slices.Contains(r.Warnings, search.WarnIrrelevantImage) || r.SearchType != search.ByText || r.Count == 0 {
		t.Errorf("with words: warnings %q, %d found by %s; want the words to serve", r.Warnings, r.Count, r.SearchType)
	}
	for i, f := range samples.Frames() {
		if i%17 != 0 {
			continue
		}
		if r := b.search(search.Request{Image: f.PNG()}); slices.Contains(r.Warnings, search.WarnIrrelevantImage) {
			t.Errorf("%s is said to be irrelevant", f.SKU)
		}
	}
}

// A shop that sells what glasses are not sold with finds it by its picture, and by the code in one,
// also beside glasses: what is not sold is the vocabulary's, and counts where all that is sold is.
func TestPictureOfWhatIsSold(t *testing.T) {
	var pack *samples.Sample
	for _, s := range samples.All() {
		if s.Truth.Kind == samples.Product {
			pack = s
		}
	}
	const crackers = `{"product_name":"Crackers","brand":"C","category":"crackers","gtin":"8935049510086","image_uri":"gs://pictures/crackers.jpg","key_features":["crackers"]}`
	for name, file := range map[string]string{"a grocery": crackers, "a grocery with glasses": crackers + "\n" + `{"product_name":"Frame","brand":"F","category":"frames","key_features":["frame"],"facets":{"category":"frames"}}`} {
		b := newBench(t)
		v, err := b.model.Embed(t.Context(), gemini.EmbedRequest{Model: b.config.Space.Model, Images: []gemini.Part{gemini.Blob("image/jpeg", pack.Bytes())}})
		if err != nil {
			t.Fatal(err)
		}
		pictureVectors.Store("crackers.jpg", v[0])
		b.stock(b.config.Shop, []byte(file))
		for what, picture := range map[string][]byte{"the pack": pack.Bytes(), "its code": samples.Barcode("8935049510086", 20)} {
			if r := b.search(search.Request{Image: picture}); r.Count == 0 || r.Products[0].Name != "Crackers" || slices.Contains(r.Warnings, search.WarnIrrelevantImage) {
				t.Errorf("%s: %s finds %q, %q; want its crackers", name, what, namesOf(r), r.Warnings)
			}
		}
	}
}

// numbered is a product with a GTIN.
const numbered = `{"product_name":"Numbered","brand":"N","category":"frames","gtin":"8935049510086","key_features":["frame"],"facets":{"category":"frames"}}`

// A number in the picture finds its product without a model, even if the embedding model
// only supports texts.
func TestBarcode(t *testing.T) {
	b := eyewear(t).stock(samples.EyewearShop, []byte(numbered))
	r := b.search(search.Request{Image: samples.Barcode("8935049510086", 20)})
	if r.Count != 1 || r.Products[0].Name != "Numbered" {
		t.Errorf("found %+v, want the product of that number", r.Products)
	}
	r = b.search(search.Request{Query: "kính râm", Image: samples.Barcode("8935049510086", 20)})
	if r.Count < 2 || r.Products[0].Name != "Numbered" {
		t.Errorf("found %+v, want the product of that number first", r.Products)
	}
}

// A number that identifies no product finds none by a picture.
func TestRestrictedBarcode(t *testing.T) {
	b := eyewear(t).stock(samples.EyewearShop, []byte(strings.ReplaceAll(numbered, "8935049510086", "2012345678903")))
	if r := b.search(search.Request{Image: samples.Barcode("2012345678903", 20)}); r.Count != 0 {
		t.Errorf("found %+v by a shop's own number, want nothing", r.Products)
	}
}

// A picture of what is sold is not decoded for the codes on it, unless they are always read.
func TestReadCodes(t *testing.T) {
	b := eyewear(t).stock(samples.EyewearShop, []byte(numbered))
	bars, err := png.Decode(bytes.NewReader(samples.Barcode("8935049510086", 20)))
	if err != nil {
		t.Fatal(err)
	}
	view := frameOf(t, "EW-1156").Picture(samples.View{Width: 1200})
	both := image.NewRGBA(image.Rect(0, 0, 1200, view.Bounds().Dy()+bars.Bounds().Dy()))
	draw.Draw(both, both.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(both, view.Bounds(), view, view.Bounds().Min, draw.Src)
	draw.Draw(both, bars.Bounds().Add(image.Pt(100, view.Bounds().Dy())), bars, bars.Bounds().Min, draw.Src)
	frame, barsAlone := asJPEG(t, both), samples.Barcode("8935049510086", 20)
	for _, test := range []struct {
		when           barcode.When
		onFrame, alone bool
	}{{barcode.Always, true, true}, {barcode.WhenSeen, false, true}, {barcode.Never, false, false}} {
		b.config.ReadCodes = test.when
		b.open()
		first := func(picture []byte) bool {
			r := b.search(search.Request{Image: picture})
			return r.Count > 0 && r.Products[0].Name == "Numbered"
		}
		if onFrame, alone := first(frame), first(barsAlone); onFrame != test.onFrame || alone != test.alone {
			t.Errorf("%s: found by the code on a picture of a frame %v, by bars alone %v; want %v, %v", test.when, onFrame, alone, test.onFrame, test.alone)
		}
	}
}

// With an embedding model for texts only, pictures are refused with the reason; words
// beside them are searched.
func TestTextOnlyEmbedder(t *testing.T) {
	b := newBench(t)
	space, err := catalog.VectorSpaceOf("gemini-embedding-001")
	if err != nil {
		t.Fatal(err)
	}
	b.config.Space = space
	if _, err := search.New(b.config); err == nil || !strings.Contains(err.Error(), "Indexes.Space") {
		t.Errorf("New with an index of another model = %v, want an error on Indexes.Space", err)
	}
	b.config.Indexes = &index.Shops{Catalog: b.catalog, Space: space.ID(), Freshness: time.Nanosecond}
	b.open()
	b.stock(b.config.Shop, []byte(numbered))
	frame := frameOf(t, "EW-1001").PNG()
	var input *search.InputError
	if _, err := b.pipeline.Run(t.Context(), search.Request{Image: frame}, nil); !errors.As(err, &input) || input.Field != "image" {
		t.Errorf("a picture alone = %v, want an InputError on image", err)
	}
	r := b.search(search.Request{Query: "frame", Image: frame})
	if r.Count != 1 || !slices.Contains(r.Warnings, search.WarnNoImageSpace) {
		t.Errorf("with words: %d found, warnings %q", r.Count, r.Warnings)
	}
	if r := b.search(search.Request{Image: samples.Barcode("8935049510086", 20)}); r.Count != 1 {
		t.Errorf("with a barcode: %d found, want its product", r.Count)
	}
}

// If either words or picture cannot be embedded, the other is used, and so is code if the
// query cannot be read; both together are an error if no condition is left.
func TestOneFails(t *testing.T) {
	b := eyewear(t)
	frame := frameOf(t, "EW-1001").PNG()
	b.search(search.Request{Image: frame}) // the labels are embedded with the first picture
	tests := []struct {
		name    string
		req     search.Request
		fault   emulated.Fault
		warning string
	}{
		{"the intent", search.Request{Query: "kính râm đỏ rực"}, emulated.Fault{Type: emulated.BlockedPrompt, Kind: answers.KindIntent}, search.WarnNoModel},
		{"all of the model", search.Request{Query: "kính râm đỏ chói"}, emulated.Fault{Type: emulated.Forbidden, Model: "emulated-image"}, search.WarnNoModel},
	}
	for _, test := range tests {
		b.Gemini.SetFaults(test.fault)
		if r := b.search(test.req); r.Count == 0 || !slices.Contains(r.Warnings, test.warning) || r.Products[0].FrameColor != "red" {
			t.Errorf("%s fails: %d found, warnings %q; want some red ones and %s", test.name, r.Count, r.Warnings, test.warning)
		}
	}
	b.Gemini.SetFaults()
	b.search(search.Request{Query: "kính râm vàng"}) // its vector is cached
	b.Gemini.SetFaults(emulated.Fault{Type: emulated.Forbidden, Kind: emulated.KindEmbed})
	r := b.search(search.Request{Query: "kính râm vàng", Image: frame})
	if r.SearchType != search.ByText || r.Count == 0 || !slices.Contains(r.Warnings, search.WarnNoImage) {
		t.Errorf("the picture fails: by %s, %d found, warnings %q", r.SearchType, r.Count, r.Warnings)
	}
	if r := b.search(search.Request{Query: "kính râm tím", Like: b.id("EW-1001")}); r.SearchType != search.ByImage || !slices.Contains(r.Warnings, search.WarnNoText) {
		t.Errorf("the words fail: by %s, warnings %q", r.SearchType, r.Warnings)
	}
	if r, err := b.pipeline.Run(t.Context(), search.Request{Query: "iridescent", Image: frame}, nil); err == nil {
		t.Errorf("both fail: %d found, want an error", r.Count)
	}
}

// Without vectors the conditions still find products, of the query or chosen, with
// semantic_off; words that set none are an error.
func TestNothingEmbedded(t *testing.T) {
	t.Parallel() // it waits
	b := eyewear(t)
	b.Gemini.SetFaults(emulated.Fault{Type: emulated.Forbidden, Kind: emulated.KindEmbed})
	red := map[string]search.Choices{"color": {"red"}}
	for name, req := range map[string]search.Request{
		"the query's": {Query: "kính râm đỏ"}, "chosen": {Query: "iridescent", Filters: red}, "of a picture": {Image: frameOf(t, "EW-1001").PNG(), Filters: red},
	} {
		r := b.search(req)
		if r.Count == 0 || r.SearchType != search.ByNothing || !slices.Contains(r.Warnings, search.WarnNoSemantics) {
			t.Errorf("%s: by %q, %d found, warnings %q; want some and %s", name, r.SearchType, r.Count, r.Warnings, search.WarnNoSemantics)
		}
		for _, h := range r.Products {
			if h.FrameColor != "red" {
				t.Errorf("%s: found %s, which is %s", name, h.Name, h.FrameColor)
			}
		}
	}
	b.Gemini.SetFaults(emulated.Fault{Type: emulated.Latency, Kind: emulated.KindEmbed, Delay: time.Minute})
	hurried, cancel := context.WithTimeout(t.Context(), 10*time.Second) // half of it for the vectors
	defer cancel()
	if r, err := b.pipeline.Run(hurried, search.Request{Query: "kính râm vàng"}, nil); err != nil || r.Count == 0 || !slices.Contains(r.Warnings, search.WarnNoSemantics) {
		t.Errorf("an embedder that hangs: %d found, warnings %q, %v; want some and %s", r.Count, r.Warnings, err, search.WarnNoSemantics)
	}
	b.Gemini.SetFaults(emulated.Fault{Type: emulated.Forbidden, Kind: emulated.KindEmbed})
	foreign := search.Request{Query: "iridescent under 50 USD"}
	if r, err := b.pipeline.Run(t.Context(), foreign, nil); err == nil {
		t.Errorf("a price that is dropped: %d found, want an error", r.Count)
	}
}

// Shapes that suit the face count if the query names none.
func TestFaceAnalysis(t *testing.T) {
	b := eyewear(t)
	face := &search.FaceAnalysis{FaceDetected: true, FaceShape: "oval", RecommendedFrameShapes: []string{"Mắt mèo", "butterfly", "starfish"}}
	shape := func(h search.Hit) string {
		d, err := b.pipeline.Product(t.Context(), "", h.ProductID)
		if err != nil {
			t.Fatal(err)
		}
		return d.Facets["frameShape"]
	}
	r := b.search(search.Request{Query: "kính râm", Analysis: face})
	if !slices.Equal(r.RecommendedShapes, []string{"cat_eye", "butterfly"}) || len(r.IgnoredFilters) != 1 || r.Count == 0 {
		t.Errorf("recommended %q, ignored %+v, %d found", r.RecommendedShapes, r.IgnoredFilters, r.Count)
	}
	for _, h := range r.Products {
		if s := shape(h); s != "cat_eye" && s != "butterfly" {
			t.Errorf("found %s of the shape %s", h.Name, s)
		}
	}
	worn := *face
	worn.GlassesObserved, worn.Summary = "thin silver rims", "an oval face"
	with := b.search(search.Request{Query: "kính râm", Analysis: &worn})
	unused := []search.IgnoredFilter{{Facet: "recommended_frame_shapes", Value: "starfish"}, {Facet: "glasses_observed"}, {Facet: "summary"}}
	if !slices.Equal(with.IgnoredFilters, unused) || with.Count != r.Count {
		t.Errorf("worn glasses: ignored %+v, %d found; want %+v, %d", with.IgnoredFilters, with.Count, unused, r.Count)
	}
	for _, h := range b.search(search.Request{Query: "kính râm tròn", Analysis: face}).Products {
		if s := shape(h); s != "round" {
			t.Errorf("a query for round ones found %s of the shape %s", h.Name, s)
		}
	}
	selfie := image.NewRGBA(image.Rect(0, 0, 200, 150))
	draw.Draw(selfie, selfie.Rect, image.NewUniform(color.RGBA{220, 180, 150, 255}), image.Point{}, draw.Src)
	r = b.search(search.Request{Image: asJPEG(t, selfie), Analysis: face})
	if r.Count == 0 || !slices.Contains(r.Warnings, search.WarnIrrelevantImage) {
		t.Errorf("a face without glasses: %d found, warnings %q; want the shapes that go with it", r.Count, r.Warnings)
	}
}
