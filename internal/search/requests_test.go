package search_test

import (
	"bytes"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/goldens"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/search/index"
)

// Every request of the agent, as sent to the default models.
func TestRequests(t *testing.T) {
	b := newBench(t)
	tap := goldens.Open(t).Tap(t, b.Gemini.URL())
	var err error
	if b.config.Gemini, err = gemini.Open(t.Context(), gemini.Config{BaseURL: tap.URL, AllowEmulated: true, Backoff: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if b.config.Space, err = catalog.VectorSpaceOf("gemini-embedding-2"); err != nil {
		t.Fatal(err)
	}
	b.config.Indexes = &index.Shops{Catalog: b.catalog, Space: b.config.Space.ID(), Freshness: time.Nanosecond}
	b.config.Model = "gemini-3.5-flash-lite"
	lines := bytes.SplitAfter(samples.EyewearFile("gs://pictures/"), []byte("\n"))
	b.stock(samples.EyewearShop, bytes.Join(lines[:3], nil)).open()
	b.Gemini.Script(emulated.Answer{Kind: answers.KindIntent, JSON: whole(search.Understanding{
		Wanted:   []search.Statement{{Facet: "frameMaterial", Value: "titanium"}},
		Unwanted: []search.Statement{{Facet: "color", Value: "black"}},
	})})
	b.search(search.Request{Query: "round titanium glasses, not black"})
	tap.Compare(t, "intent", "embed_query")
	shown := b.search(search.Request{Query: "round titanium glasses, not black", Session: search.NewSession}) // its reading is cached
	b.search(search.Request{Query: "compare the first two", Session: shown.Session})
	tap.Compare(t, "intent_before")
	b.search(search.Request{Image: samples.Frames()[0].PNG()})
	tap.Compare(t, "embed_picture")
}
