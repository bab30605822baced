package analyze_test

import (
	"testing"
	"time"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/goldens"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
)

// tapped returns a bench whose pipeline uses the default models, with its requests
// recorded.
func tapped(t *testing.T, files *goldens.Files, change func(*analyze.Config)) (*bench, *goldens.Tap) {
	t.Helper()
	b := newBench(t, nil)
	tap := files.Tap(t, b.Gemini.URL())
	var err error
	if b.config.Gemini, err = gemini.Open(t.Context(), gemini.Config{BaseURL: tap.URL, AllowEmulated: true, Backoff: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if b.space, err = catalog.VectorSpaceOf("gemini-embedding-2"); err != nil {
		t.Fatal(err)
	}
	b.config.Space = b.space
	b.config.Models = analyze.Models{
		Image: "gemini-3.5-flash-lite", Judge: "gemini-3.6-flash",
		ToRead: agent.PromptOptions{Thinking: gemini.ThinkMinimal}, ToJudge: agent.PromptOptions{Thinking: gemini.ThinkLow}, ToSearch: agent.PromptOptions{Thinking: gemini.ThinkLow},
	}
	if change != nil {
		change(&b.config)
	}
	b.build()
	return b, tap
}

// Every request of the agent, as it is sent.
func TestRequests(t *testing.T) {
	files := goldens.Open(t)
	doubtful := func(a *analyze.Analysis) { a.BrandConfidence = 0.8 }
	oneCall := func(c *analyze.Config) { c.SearchWithSchema = true }
	repeated := func(b *bench) { b.stock("보리차 골드", "햇살마루", "", catalog.Confirmed, features...) }
	several := func(b *bench) { b.req.More = []*photo.Photo{stripes(t, 5)} }
	structured := finding(tea)
	structured.Grounding = grounded("x").Grounding
	tests := []struct {
		change  func(*analyze.Config)
		prepare func(*bench)
		script  []emulated.Answer
		files   []string
	}{
		{nil, nil, []emulated.Answer{analysis(doubtful), judgement(analyze.Judgement{Confirmed: true})},
			[]string{"image_analyzer", "judgement"}},
		{nil, several, []emulated.Answer{analysis(doubtful), judgement(analyze.Judgement{Confirmed: true})},
			[]string{"image_analyzer_several", "judgement_several"}},
		{nil, repeated, []emulated.Answer{analysis(unclear), judgement(analyze.Judgement{Pick: 1})},
			[]string{"", "search_local_db", "judgement_candidates"}},
		{nil, nil, []emulated.Answer{analysis(unclear), ungrounded(), grounded("It is 햇살마루 보리차."), finding(tea)},
			[]string{"", "", "google_search", "google_search_refined", "finding"}},
		{nil, several, []emulated.Answer{analysis(unclear), grounded("It is 햇살마루 보리차."), finding(tea)},
			[]string{"", "", "google_search_several", ""}},
		{oneCall, nil, []emulated.Answer{analysis(unclear), structured},
			[]string{"", "", "google_search_schema"}},
	}
	for _, test := range tests {
		b, tap := tapped(t, files, test.change)
		if test.prepare != nil {
			test.prepare(b)
		}
		b.Gemini.Script(test.script...)
		if _, err := b.run(nil); err != nil {
			t.Fatalf("%q: %v", test.files, err)
		}
		tap.Compare(t, test.files...)
	}
}
