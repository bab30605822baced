package search

import (
	"testing"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
)

// What is kept of a query's words is used again for the same words, and for nothing else where
// any of the things that it depends on is another.
func TestKeptOfAQuery(t *testing.T) {
	t.Parallel()
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true})
	if err != nil {
		t.Fatal(err)
	}
	open := func(embedder string) *Pipeline {
		t.Helper()
		space, err := catalog.VectorSpaceOf(embedder)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(Config{Gemini: model, Catalog: catalog.New(w.FirestoreClient(t)), Space: space, Shop: "a", Model: "emulated-image"})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := open("emulated-embedding")
	of := func(values ...string) *shop { return p.shopWith(t, map[string][]string{"color": values}) }
	const words = "something for the beach"
	asked := func(name, shop, query string, known *shop, last *talk, want int) {
		t.Helper()
		w.Gemini.ResetCalls()
		s := &state{Request: Request{Shop: shop}, query: query, pipeline: p, shop: known, talk: last}
		if _, err := p.understand(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n := len(w.Gemini.Calls()); n != want {
			t.Errorf("%s: the reading takes %d calls, want %d", name, n, want)
		}
	}
	blue := of("blue")
	before := &talk{before: true, memory: turn{Query: "glasses", Asked: []string{"glasses"}, Reading: Understanding{Intent: SearchProduct}}}
	asked("at first", "a", words, blue, nil, 1)
	asked("again", "a", " Something  for the beach", blue, nil, 0)
	asked("the same shop made anew", "a", words, of("blue"), nil, 0)
	asked("other words", "a", words+" now", blue, nil, 1)
	asked("another shop", "b", words, blue, nil, 1)
	asked("another colour is sold", "a", words, of("blue", "moss"), nil, 1)
	asked("behind another search", "a", words, blue, before, 1)
	asked("behind the same search", "a", words, blue, before, 0)

	embedded := func(name string, p *Pipeline, prefix, text string, want int) {
		t.Helper()
		w.Gemini.ResetCalls()
		if _, err := p.vectors(t.Context(), prefix, text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		calls := w.Gemini.Calls()
		if len(calls) != want || want > 0 && (calls[0].Kind != emulated.KindEmbed || calls[0].Model != p.Space.Model) {
			t.Errorf("%s: the vector takes the calls %+v, want %d of %s", name, calls, want, p.Space.Model)
		}
	}
	embedded("at first", p, "query: ", words, 1)
	embedded("again", p, "query: ", words, 0)
	embedded("for another task", p, "title: none | text: ", words, 1)
	embedded("other words", p, "query: ", words+" now", 1)
	embedded("by another model", open("gemini-embedding-001"), "query: ", words, 1)
}
