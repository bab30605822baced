package answers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini/geminitest"
)

// labelledPart is a data part of a request.
func labelledPart(t testing.TB, label string, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return label + ":\n" + string(text)
}

func TestJudge(t *testing.T) {
	type names struct{ name, brand string }
	latte := names{"Cold Brew Oat Latte", "Ostrawell"}
	for _, tt := range []struct {
		name       string
		seen       *observation
		analysis   names
		candidates []candidateProduct
		confirmed  bool
		pick       int
	}{
		{"agrees", seenOf(t, "crackers"), names{"Sea salt oat crackers", "BRINDLEMOOR"}, nil, true, 0},
		{"brand in the name", seenOf(t, "crackers"), names{"Brindlemoor Sea Salt Oat Crackers", "Brindlemoor"}, nil, true, 0},
		{"another name", seenOf(t, "crackers"), names{"Rye Crackers", "Brindlemoor"}, nil, false, 0},
		{"another brand", seenOf(t, "crackers"), names{"Sea Salt Oat Crackers", "Brindle"}, nil, false, 0},
		{"nothing claimed", seenOf(t, "crackers"), names{}, nil, false, 0},
		{"Korean", seenOf(t, "ginseng"), names{"홍삼 대추청", "온새뜨락"}, nil, true, 0},
		{"picks the same product", seenOf(t, "05-"), names{}, []candidateProduct{
			{1, "유자청", "달여울"}, {2, "유자 보리차", "달여울"}, {3, "유자 보리차", "또바기"}}, false, 2},
		{"picks by what is not hidden", seenOf(t, "latte-again"), names{"Cold Brew Oat", "Ostrawell"},
			[]candidateProduct{{4, latte.name, latte.brand}}, true, 4},
		{"picks by a name whose end is hidden", seenOf(t, "rice-chips"), names{},
			[]candidateProduct{{1, "현미 누룽지칩", "볕고을"}, {2, "현미 튀밥", "볕고을"}}, false, 1},
		{"not by one word", seenOf(t, "latte-again"), names{},
			[]candidateProduct{{4, "Cold Chai", "Ostrawell"}, {5, "Oat", "Ostrawell"}}, false, 0},
		{"unreadable", seenOf(t, "too-dark"), latte, []candidateProduct{{1, latte.name, latte.brand}}, false, 0},
		{"read, but without a label", &observation{lines: []seenLine{{text: "VELMORROW"}, {text: "Pistachio Spread"}}, words: wordsOf("VELMORROW", "Pistachio Spread")},
			names{"Pistachio Spread", "Velmorrow"}, []candidateProduct{{1, "Hazelnut Spread", "Velmorrow"}, {3, "Pistachio Spread", "Velmorrow"}}, false, 0},
		{"a blank photo", &observation{}, latte, []candidateProduct{{1, latte.name, latte.brand}}, false, 0},
	} {
		g := given{analysis: analysis{Name: tt.analysis.name, Brand: tt.analysis.brand}, candidates: tt.candidates}
		if got := new(analyze).judge(tt.seen, g); got.Confirmed != tt.confirmed || got.Pick != tt.pick {
			t.Errorf("%s: %+v, want confirmed %v, pick %d", tt.name, got, tt.confirmed, tt.pick)
		}
	}
}

// lookUp makes the two calls of a google_search and returns both answers.
func lookUp(t *testing.T, client *genai.Client, analysis any) (string, *genai.GroundingMetadata, structured) {
	t.Helper()
	data := labelledPart(t, "image_analysis", analysis)
	found := geminitest.MustAsk(t, client, geminitest.Searching(), nil, `request:`+"\n"+`{"country":"US","lang":"en"}`, data)
	g := found.Candidates[0].GroundingMetadata
	sources := []source{}
	for _, c := range g.GroundingChunks {
		sources = append(sources, source{Title: c.Web.Title, URI: c.Web.URI})
	}
	text := geminitest.MustAsk(t, client, geminitest.Wanting("found", "probability"), nil, data,
		"answer:\n"+found.Text(), labelledPart(t, "sources", sources)).Text()
	var s structured
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("structure %s: %v", text, err)
	}
	return found.Text(), g, s
}

func TestSearchFindsTheSamplesMeantForIt(t *testing.T) {
	client := geminitest.API(t, start(t, Options{}))
	for _, tt := range []struct{ file, name, brand string }{
		{"03-oat-latte", "Cold Brew Oat Latte", "Ostrawell"},
		{"ginseng", "홍삼 대추청", "온새뜨락"},
	} {
		d := new(analyze).describe(seenOf(t, tt.file))
		text, g, s := lookUp(t, client, d)
		if !s.Found || s.Name != tt.name || s.Brand != tt.brand || s.Category == "" || s.Probability < 0.5 || s.Probability > 0.95 {
			t.Errorf("%s: structure = %+v, want %s by %s with probability 0.5–0.95", tt.file, s, tt.name, tt.brand)
		}
		if n := len(g.WebSearchQueries); n < 1 || n > 2 {
			t.Errorf("%s: queries %q, want one or two", tt.file, g.WebSearchQueries)
		}
		if len(g.GroundingChunks) < 2 || g.SearchEntryPoint == nil || !strings.Contains(g.SearchEntryPoint.RenderedContent, "href=") {
			t.Errorf("%s: grounding %+v, want two chunks and suggestions", tt.file, g)
		}
		for _, support := range g.GroundingSupports {
			if got := text[support.Segment.StartIndex:support.Segment.EndIndex]; got != support.Segment.Text {
				t.Errorf("%s: segment %q stands at %q", tt.file, support.Segment.Text, got)
			}
			for _, i := range support.GroundingChunkIndices {
				if int(i) >= len(g.GroundingChunks) {
					t.Errorf("%s: support of chunk %d of %d", tt.file, i, len(g.GroundingChunks))
				}
			}
		}
		if len(g.GroundingSupports) < 4 {
			t.Errorf("%s: %d supports, want every line of the answer supported", tt.file, len(g.GroundingSupports))
		}
	}
}

func TestStructureReadsTheAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		sources      string
		want         string
	}{
		{"three of four", "Product: Oat Bar\nBrand: Fenn\nFeatures: oats; honey\nAn oat bar of 40 g.", `[{"number":1}]`, "true Oat Bar Fenn 3 0.75"},
		{"no product", "No page about this product was found.", `[]`, "false   0 0.1"},
		{"no sources", "Product: Oat Bar\nBrand: Fenn", `[]`, "false   0 0.1"},
		{"later lines do not count", "Product: Oat Bar\nProduct: Rye Bar", `[{"number":1}]`, "true Oat Bar  1 0.25"},
	} {
		s := structure(readGiven([]string{
			`image_analysis:` + "\n" + `{"key_features":["oat bar","honey","40 g","blue wrapper","OAT BAR"]}`,
			"answer:\n" + tt.answer, "sources:\n" + tt.sources}))
		if got := fmt.Sprint(s.Found, " ", s.Name, " ", s.Brand, " ", len(s.Supported), " ", s.Probability); got != tt.want {
			t.Errorf("%s: found, name, brand, supported, probability = %s, want %s", tt.name, got, tt.want)
		}
	}
}
