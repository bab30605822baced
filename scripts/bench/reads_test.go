//go:build linux

package main

import (
	"os"
	"testing"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/firestore"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/search"
)

// fewProducts are enough for a vector search that does not see all of them.
const fewProducts = 1200

// Each kind of search reads no more of Firestore than it has to: documents, and a
// hundredth of the vectors that are compared. Words that no vocabulary knows cost a query for
// the products that have them in their names, which is a read where there are none. Times say
// less, as machines differ.
func TestReadsOfSearches(t *testing.T) {
	os.Setenv("GOOGLE_API_KEY", "emulated")
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	p := searchOf(t, w)
	picture := encoded(samples.Frames()[0].Picture(samples.View{Width: 640, Turn: 5, Scale: 0.8}), 80)
	limit := 10
	tests := []struct {
		name string
		ask  search.Request
		most emulated.Reads
	}{
		{"the first, which reads the shop", search.Request{Query: "glasses"}, emulated.Reads{Documents: 1202}},
		{"words", search.Request{Query: "nice glasses"}, emulated.Reads{}},
		{"the same words again", search.Request{Query: "nice glasses"}, emulated.Reads{}},
		{"words with a category", search.Request{Query: "sunglasses"}, emulated.Reads{}},
		{"words with a colour", search.Request{Query: "something in black"}, emulated.Reads{}},
		{"words with filters", search.Request{Query: "round black sunglasses for men under 2m"}, emulated.Reads{}},
		{"words that nothing meets", search.Request{Query: "round black wooden sunglasses for women"}, emulated.Reads{}},
		{"a picture", search.Request{Image: picture}, emulated.Reads{}},
		{"words and a picture", search.Request{Query: "like this", Image: picture}, emulated.Reads{}},
		{"words with filters and a picture", search.Request{Query: "like this in red, not plastic", Image: picture}, emulated.Reads{}},
		{"a face", search.Request{Query: "sunglasses", Analysis: &search.FaceAnalysis{FaceDetected: true, RecommendedFrameShapes: []string{"round", "oval"}}}, emulated.Reads{}},
		{"a SKU", search.Request{Query: "L-00017"}, emulated.Reads{}},
		{"in stock", search.Request{Query: "is L-00017 in stock?"}, emulated.Reads{}},
		{"two side by side", search.Request{Query: "compare L-00017 and L-00018"}, emulated.Reads{}},
		{"a material", search.Request{Query: "what is TR90?"}, emulated.Reads{}},
		{"how many", search.Request{Query: "how many sunglasses do you have by colour?"}, emulated.Reads{}},
	}
	for _, test := range tests {
		w.Firestore.ResetCalls()
		test.ask.Limit = &limit
		r, err := p.Run(t.Context(), test.ask, nil)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		got := w.Firestore.Reads()
		t.Logf("%s: %d products, %+v, calls %v", test.name, r.Count, got, w.Firestore.Calls())
		if got.Documents > test.most.Documents || got.Vectors > test.most.Vectors || got.Counts > test.most.Counts {
			t.Errorf("%s reads %+v, want %+v at most", test.name, got, test.most)
		}
	}
}

// A page of an order reads no product, wherever it is and however rare they are: the index has them. A look
// for changes, every ten seconds, is two queries.
func TestReadsOfPages(t *testing.T) {
	os.Setenv("GOOGLE_API_KEY", "emulated")
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	p := searchOf(t, w)
	limit := 10
	if _, err := p.Filters(t.Context(), ""); err != nil { // reads the shop
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		ask  search.Request
	}{
		{"the cheapest", search.Request{Sort: search.PriceUp}},
		{"the dearest", search.Request{Sort: search.PriceDown}},
		{"the newest", search.Request{Sort: search.Newest}},
		{"the cheapest up to a price", search.Request{Sort: search.PriceUp, Price: &search.PriceRange{Max: 1_000_000}}},
		{"of two categories", search.Request{Filters: map[string]search.Choices{"category": {"frames|sunglasses"}}}},
		{"of a colour", search.Request{Filters: map[string]search.Choices{"color": {"black"}}}},
		{"the cheapest of a colour", search.Request{Sort: search.PriceUp, Filters: map[string]search.Choices{"color": {"black"}}}},
		{"the dearest of four filters", search.Request{Sort: search.PriceDown, Filters: map[string]search.Choices{"color": {"black"}, "category": {"sunglasses"}, "gender": {"men"}, "frameShape": {"round"}}}},
	} {
		test.ask.Limit = &limit
		for page := 1; page <= 6 && (page == 1 || test.ask.After != ""); page++ {
			w.Firestore.ResetCalls()
			r, err := p.Run(t.Context(), test.ask, nil)
			if err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
			got := w.Firestore.Reads()
			t.Logf("%s, page %d: %d products, %+v", test.name, page, r.Count, got)
			if got.Documents > 2 || got.Vectors+got.Counts > 0 {
				t.Errorf("%s: page %d reads %+v, want no documents", test.name, page, got)
			}
			test.ask.After = r.Next
		}
	}
}

// searchOf returns a search of a shop with few products, over w.
func searchOf(t *testing.T, w *emulate.World) *search.Pipeline {
	t.Helper()
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true})
	if err != nil {
		t.Fatal(err)
	}
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		t.Fatal(err)
	}
	products := catalog.New(w.FirestoreClient(t))
	if err := fillShop(t.Context(), products, space, largeShop, frames(fewProducts)); err != nil {
		t.Fatal(err)
	}
	p, err := search.New(search.Config{Gemini: model, Catalog: products, Space: space, Shop: largeShop, Model: "emulated-image"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
