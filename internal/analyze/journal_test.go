package analyze_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
)

// A run that dies after any of its paid steps goes on behind it: the rest is
// paid, nothing twice, and the result says what all of it cost.
func TestGoesOnBehindWhatIsPaid(t *testing.T) {
	t.Parallel()
	steps := []struct {
		key    string
		answer emulated.Answer
	}{
		{"image_analyzer", analysis(unclear)},
		{"embedding", emulated.Answer{}},
		{"search_local_db", emulated.Answer{}},
		{"judgement", judgement(analyze.Judgement{})},
		{"google_search", ungrounded()},
		{"google_search_refined", grounded("It is 햇살마루 보리차.")},
		{"finding", finding(tea)},
	}
	errDied := errors.New("the instance died")
	for dies := range steps {
		t.Run(steps[dies].key, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			b.stock("옥수수차", "다른곳", "", catalog.Unconfirmed, features...)
			for _, s := range steps {
				if s.answer.Kind != "" {
					b.Gemini.Script(s.answer)
				}
			}
			kept := map[string]json.RawMessage{}
			keep := func(_ context.Context, key string, value json.RawMessage) error {
				if _, again := kept[key]; again {
					t.Errorf("%s is kept twice", key)
				}
				kept[key] = value
				if key == steps[dies].key && len(kept) == dies+1 {
					return errDied
				}
				return nil
			}
			run := func(died bool) (analyze.Result, error) {
				j := agent.Journal{Kept: kept, Keep: keep}
				if died { // what was kept by then
					j.Kept = map[string]json.RawMessage{}
				}
				b.req.Journal = j
				return b.run(nil)
			}
			if _, err := run(true); !errors.Is(err, errDied) {
				t.Fatalf("the first run = %v, want %v", err, errDied)
			}
			r, err := run(false)
			if err != nil || r.Source != analyze.FromGoogleSearch || r.ProductName != tea.ProductName {
				t.Fatalf("the second run = %+v, %v; want %q from google_search", r, err, tea.ProductName)
			}
			kinds, _ := b.calls()
			if want := "map[embed:1 image:1 judge:1 search:2 structure:1]"; fmt.Sprint(kinds) != want {
				t.Errorf("calls of both runs = %v, want %s", kinds, want)
			}
			if r.ModelCalls.Generate != 5 || r.ModelCalls.Embed != 1 || r.ModelCalls.GroundedQueries != 2 {
				t.Errorf("model_calls = %+v, want all 5 + 1 with 2 queries", r.ModelCalls)
			}
			if b.Gemini.Scripted() != 0 {
				t.Errorf("%d scripted answers were not asked for", b.Gemini.Scripted())
			}
		})
	}
}
