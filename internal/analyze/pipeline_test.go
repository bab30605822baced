package analyze_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/firestore"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/photo"
)

// The cost of each way to an answer, in calls and in photos sent: three photos take
// the calls of one, and are all sent in each call that sends the one.
func TestBudgets(t *testing.T) {
	const image, judge = "emulated-image", "emulated-judge"
	type kinds = map[emulated.Kind]int
	tests := []struct {
		name   string
		change func(*analyze.Config)
		stock  func(*bench)
		script []emulated.Answer
		row    int
		source analyze.Source
		calls  kinds
		photos map[string]int
	}{
		{name: "gtin",
			stock:  func(b *bench) { b.stock("보리차", "햇살마루", "08801234567893", catalog.Imported, features...) },
			script: []emulated.Answer{analysis(both(unclear, barcoded("8801234567893")))},
			row:    1, source: analyze.FromLocalDB, calls: kinds{"image": 1}, photos: map[string]int{image: 1}},
		{name: "no product",
			script: []emulated.Answer{analysis(func(a *analyze.Analysis) {
				*a = analyze.Analysis{NotProduct: true, Description: "풍경", KnownProduct: analyze.Unsure, Side: analyze.SideDocument}
			})},
			row: 2, calls: kinds{"image": 1}, photos: map[string]int{image: 1}},
		{name: "image",
			script: []emulated.Answer{analysis(nil)},
			row:    3, source: analyze.FromImage, calls: kinds{"image": 1}, photos: map[string]int{image: 1}},
		{name: "image in doubt",
			script: []emulated.Answer{analysis(func(a *analyze.Analysis) { a.BrandConfidence = 0.8 }), judgement(analyze.Judgement{Confirmed: true})},
			row:    3, source: analyze.FromImage, calls: kinds{"image": 1, "judge": 1}, photos: map[string]int{image: 1, judge: 1}},
		{name: "local_db",
			stock:  func(b *bench) { b.stock("보리차", "햇살마루", "", catalog.Unconfirmed, features...) },
			script: []emulated.Answer{analysis(unclear), judgement(analyze.Judgement{Pick: 1})},
			row:    4, source: analyze.FromLocalDB, calls: kinds{"image": 1, "embed": 1, "judge": 1}, photos: map[string]int{image: 1, judge: 1}},
		{name: "local_db after a second look that read better, and one that saw the candidates",
			stock: func(b *bench) { b.stock("보리차 골드", "햇살마루", "", catalog.Unconfirmed, features...) },
			script: []emulated.Answer{analysis(func(a *analyze.Analysis) { a.BrandConfidence = 0.8 }),
				judgement(analyze.Judgement{ProductName: "보리차 골드", Brand: "햇살마루"}), judgement(analyze.Judgement{Pick: 1})},
			row: 4, source: analyze.FromLocalDB, calls: kinds{"image": 1, "embed": 1, "judge": 2}, photos: map[string]int{image: 1, judge: 2}},
		{name: "google_search",
			script: []emulated.Answer{analysis(unclear), grounded("It is 햇살마루 보리차."), finding(tea)},
			row:    5, source: analyze.FromGoogleSearch, calls: kinds{"image": 1, "embed": 1, "search": 1, "structure": 1}, photos: map[string]int{image: 1, judge: 1}},
		{name: "google_search after a judgement that refused",
			stock:  func(b *bench) { b.stock("옥수수차", "다른곳", "", catalog.Unconfirmed, features...) },
			script: []emulated.Answer{analysis(unclear), judgement(analyze.Judgement{}), grounded("It is 햇살마루 보리차."), finding(tea)},
			row:    5, source: analyze.FromGoogleSearch, calls: kinds{"image": 1, "embed": 1, "judge": 1, "search": 1, "structure": 1}, photos: map[string]int{image: 1, judge: 1}},
		{name: "google_search at the second try",
			script: []emulated.Answer{analysis(unclear), ungrounded(), grounded("It is 햇살마루 보리차."), finding(tea)},
			row:    5, source: analyze.FromGoogleSearch, calls: kinds{"image": 1, "embed": 1, "search": 2, "structure": 1}, photos: map[string]int{image: 1, judge: 1}},
		{name: "google_search in one call",
			change: func(c *analyze.Config) { c.SearchWithSchema = true },
			script: []emulated.Answer{analysis(unclear), {Kind: answers.KindStructure, JSON: tea, Grounding: grounded("x").Grounding}},
			row:    5, source: analyze.FromGoogleSearch, calls: kinds{"image": 1, "embed": 1, "structure": 1}, photos: map[string]int{image: 1, judge: 1}},
		{name: "nothing",
			script: []emulated.Answer{analysis(unclear), ungrounded(), ungrounded()},
			row:    6, source: analyze.FromGoogleSearch, calls: kinds{"image": 1, "embed": 1, "search": 2}, photos: map[string]int{image: 1, judge: 1}},
		{name: "a bare logo is not believed, however sure the model is",
			script: []emulated.Answer{analysis(func(a *analyze.Analysis) {
				a.VisibleText = []analyze.Line{{Text: "LG 500", Clear: true}}
				a.KeyFeatures = []string{"LG", "500"}
			}), grounded("It is 햇살마루 보리차."), finding(tea)},
			row: 5, source: analyze.FromGoogleSearch, calls: kinds{"image": 1, "embed": 1, "search": 1, "structure": 1}, photos: map[string]int{image: 1, judge: 1}},
		{name: "fruit",
			script: []emulated.Answer{analysis(func(a *analyze.Analysis) { unclear(a); a.VisibleText, a.Brand = nil, "" })},
			row:    6, source: analyze.FromGoogleSearch, calls: kinds{"image": 1, "embed": 1}, photos: map[string]int{image: 1}},
	}
	for i := range 2 * len(tests) {
		test, several := tests[i/2], i%2 == 1
		t.Run(fmt.Sprintf("%s, several photos %v", test.name, several), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, test.change)
			if several {
				b.req.More = []*photo.Photo{stripes(t, 5), stripes(t, 3)}
			}
			if test.stock != nil {
				test.stock(b)
			}
			b.Gemini.Script(test.script...)
			r, err := b.run(nil)
			if err != nil {
				t.Fatalf("Run: %v", err)
			}
			if r.Decision.Row != test.row {
				t.Errorf("decision = row %d with %q, want row %d", r.Decision.Row, r.Decision.Suspicions, test.row)
			}
			if test.source != "" && r.Source != test.source {
				t.Errorf("source = %q, want %q", r.Source, test.source)
			}
			kinds, _ := b.calls()
			if !equal(kinds, test.calls) {
				t.Errorf("calls %v, want %v", kinds, test.calls)
			}
			for i, p := range b.req.Photos() {
				if photos := b.shown(p); !equal(photos, test.photos) {
					t.Errorf("photo %d was sent to %v, want %v", i, photos, test.photos)
				}
			}
			generate := kinds["image"] + kinds["judge"] + kinds["search"] + kinds["structure"]
			if r.ModelCalls.Generate != generate || r.ModelCalls.Embed != kinds["embed"] {
				t.Errorf("model_calls = %+v, want %d generate, %d embed", r.ModelCalls, generate, kinds["embed"])
			}
			if b.Gemini.Scripted() != 0 {
				t.Errorf("%d scripted answers were not asked for", b.Gemini.Scripted())
			}
		})
	}
}

func equal[K comparable](a, b map[K]int) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if a[k] != b[k] {
			return false
		}
	}
	return true
}

// A model that refuses to judge or to search leaves the other ways open.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, refuses := range []emulated.FaultType{emulated.BlockedPrompt, emulated.BlockedAnswer, emulated.Truncated} {
		b := newBench(t, nil)
		b.stock("보리차", "햇살마루", "", catalog.Unconfirmed, features...)
		b.Gemini.Script(analysis(unclear))
		b.Gemini.SetFaults(emulated.Fault{Type: refuses, Kind: answers.KindJudge}, emulated.Fault{Type: refuses, Kind: answers.KindSearch})
		r, err := b.run(nil)
		if err != nil {
			t.Fatalf("%s: Run = %v", refuses, err)
		}
		for _, want := range []string{"second_look_failed", "search_refused", "unidentified"} {
			if !slices.Contains(r.Warnings, want) {
				t.Errorf("%s: warnings = %q, want %q among them", refuses, r.Warnings, want)
			}
		}
		if r.Decision.Row != 6 || r.RAGConfidence.Probability > 0.3 {
			t.Errorf("%s: row %d at %v, want row 6 at 0.3 at most", refuses, r.Decision.Row, r.RAGConfidence.Probability)
		}
	}
}

// Without the catalogue brands cannot be checked, so there is no answer.
func TestCatalogueFails(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.Gemini.Script(analysis(nil))
	b.Firestore.Fail(firestore.Fault{Method: "RunQuery", Code: codes.PermissionDenied, Times: 9})
	if r, err := b.run(nil); err == nil {
		t.Errorf("Run = %q, want the catalogue's error", r.ProductName)
	}
}

// Each agent and tool shows as events, in order.
func TestEvents(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.Gemini.Script(analysis(unclear), grounded("It is 햇살마루 보리차."), finding(tea))
	var got []string
	if _, err := b.run(func(e *agent.Event) {
		got = append(got, strings.TrimSpace(e.Author+" "+string(e.Kind)+" "+e.Tool))
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"product_analyzer started",
		"image_analyzer started", "image_analyzer usage", "image_analyzer finished",
		"rag_agent started",
		"rag_agent tool_call search_local_db", "rag_agent tool_result search_local_db",
		"rag_agent tool_call google_search", "rag_agent usage", "rag_agent tool_result google_search", "rag_agent usage",
		"rag_agent tool_call save_to_local_db", "rag_agent tool_result save_to_local_db",
		"rag_agent finished", "product_analyzer finished",
	}
	if !slices.Equal(got, want) {
		t.Errorf("events =\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A caller that cancels ends the run before the next paid call.
func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.Gemini.Script(analysis(unclear))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := b.pipeline.Run(ctx, b.req, func(e *agent.Event) {
		if e.Author == "image_analyzer" && e.Kind == agent.Finished {
			cancel()
		}
	})
	if kinds, _ := b.calls(); !errors.Is(err, context.Canceled) || kinds["judge"]+kinds["search"]+kinds["embed"] != 0 {
		t.Errorf("Run = %v after calls %v, want %v and no call but image_analyzer's", err, kinds, context.Canceled)
	}
}

// A model call is tried as often as the request says.
func TestAttempts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		attempts int
		fails    bool
	}{{0, true}, {1, true}, {2, false}}
	for _, test := range tests {
		b := newBench(t, nil)
		b.req.Attempts = test.attempts
		b.Gemini.Script(analysis(nil))
		b.Gemini.SetFaults(emulated.Fault{Type: emulated.Unavailable, Times: 1})
		if r, err := b.run(nil); (err != nil) != test.fails {
			t.Errorf("Run of a model that is not there once, at %d attempts = %q, %v; want an error %v", test.attempts, r.ProductName, err, test.fails)
		}
	}
}
