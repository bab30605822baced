package gemini

import (
	"net/http"
	"strings"
	"testing"

	emulator "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/goldens"
)

// Every kind of request as it is sent, including repairs and those that no agent makes,
// such as to Vertex AI and to other kinds of models.
func TestRequests(t *testing.T) {
	files := goldens.Open(t)
	s := startEmulator(t)
	tap := files.Tap(t, s.URL())
	c := open(t, Config{BaseURL: tap.URL})

	s.Script(emulator.Answer{Text: spoiltNumber}, emulator.Answer{Text: good})
	ask := Request{Model: judge, System: "You look.", Parts: []Part{Text("what is it?"), Blob("image/png", drawPhoto(t, 8))}}
	if _, _, err := Generate[verdict](t.Context(), c, ask, nil); err != nil {
		t.Fatal(err)
	}
	tap.Compare(t, "", "repair")

	ask.Search = true
	s.Script(emulator.Answer{Text: "It is a can."}, emulator.Answer{Text: good})
	if _, _, err := Generate[verdict](t.Context(), c, ask, nil); err != nil {
		t.Fatal(err)
	}
	tap.Compare(t, "", "repair_searched")

	everyKind(t, c, judge, "gemini-2.5-flash")
	tap.Compare(t, "generate", "generate_2_5", "embed", "speak", "speak_3_1")

	ask.Search = false
	s.SetFaults(emulator.Fault{Type: emulator.SchemaRefused})
	s.Script(emulator.Answer{Text: good})
	if _, _, err := Generate[verdict](t.Context(), c, ask, nil); err != nil {
		t.Fatal(err)
	}
	tap.Compare(t, "", "without_schema")
	s.SetFaults()

	flex := WithTier(t.Context(), Flex)
	if _, err := c.Generate(flex, question(lite)); err != nil {
		t.Fatal(err)
	}
	tap.Compare(t, "flex")

	vertexEnvironment(t, http.StatusOK)
	everyKind(t, openVertex(t, tap.URL), judge)
	tap.Compare(t, "vertex_generate", "vertex_embed", "vertex_speak", "vertex_speak_3_1")
	if _, err := openGlobal(t, tap.URL).Generate(flex, question(lite)); err != nil {
		t.Fatal(err)
	}
	tap.Compare(t, "vertex_flex")
}

// everyKind makes a request of each kind, with the given models.
func everyKind(t *testing.T, c *Client, models ...string) {
	t.Helper()
	for _, model := range models {
		r := Request{Model: model, System: "You look.\nYou say.", Parts: []Part{Text("what is it?")}, Thinking: ThinkLow, MediaResolution: ResolutionLow, MaxOutputTokens: 100, Search: true}
		if _, err := c.Generate(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Embed(t.Context(), EmbedRequest{Model: "gemini-embedding-2", Prefix: "task: sentence similarity | query: ", Texts: []string{"tea"}}); err != nil {
		t.Fatal(err)
	}
	for _, model := range []string{tts, "gemini-3.1-flash-tts-preview"} {
		if _, err := c.Speak(t.Context(), SpeakRequest{Model: model, Text: strings.Repeat("It is sunny. ", 2), Style: "Say in the warm tone"}); err != nil {
			t.Fatal(err)
		}
	}
}
