package a2a_test

import (
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/goldens"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/gemini"
)

// skills are cards of two skills, as they are deployed.
var skills = []agent.Card{
	{ID: "analyze", Name: "Identify the product in a photo", Description: "Reads the photo of a product and names it."},
	{ID: "search", Name: "Search the products of a shop", Description: "Finds products of a shop by words, by a picture, or by both."},
}

// The request as it is sent to the default model.
func TestRequests(t *testing.T) {
	files, w := goldens.Open(t), emulate.Start(t, emulate.Gemini)
	tap := files.Tap(t, w.Gemini.URL())
	client, err := gemini.Open(t.Context(), gemini.Config{BaseURL: tap.URL, AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	r, err := a2a.NewRouter(client, "gemini-3.5-flash-lite")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Route(t.Context(), "find something like this in black", skills); err != nil {
		t.Fatal(err)
	}
	tap.Compare(t, "route")
}

// Labelled words are routed as their labels say, the same words once; what is not labelled, or
// is for another skill, has none.
func TestRoute(t *testing.T) {
	w := emulate.Start(t, emulate.Gemini)
	client, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := a2a.NewRouter(client, "emulated-image")
	if err != nil {
		t.Fatal(err)
	}
	route := func(words string, among []agent.Card) a2a.Routed {
		t.Helper()
		got, err := r.Route(t.Context(), words, among)
		if err != nil {
			t.Errorf("Route(%q) = %v", words, err)
		}
		return got
	}
	for _, m := range samples.Messages() {
		if got := route(m.Words, skills); got.Skill != m.Skill {
			t.Errorf("Route(%q) = %q, want %s", m.Words, got.Skill, m.Skill)
		}
	}
	calls := len(w.Gemini.Calls())
	if got := route("WHAT is  this?", skills); got.Skill != "analyze" || got.Usage.TotalTokens != 0 || len(w.Gemini.Calls()) != calls {
		t.Errorf("the same words again = %+v after %d calls, want the cached skill", got, len(w.Gemini.Calls())-calls)
	}
	for words, among := range map[string][]agent.Card{"xyzzy": skills, "what is this?": {skills[1], {ID: "draw", Name: "Draw"}}} {
		if got := route(words, among); got.Skill != "" || got.Usage.TotalTokens == 0 {
			t.Errorf("Route(%q) = %+v, want no skill, and what that used", words, got)
		}
	}
}
