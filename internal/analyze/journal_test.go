package analyze_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/jobs"
)

// A run that dies after a paid step continues after it: no step is paid twice, and
// the result has the cost of all.
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
				if strings.HasPrefix(key, steps[dies].key+" ") && len(kept) == dies+1 {
					return errDied
				}
				return nil
			}
			run := func(died bool) (analyze.Result, error) {
				j := jobs.Checkpoints{Kept: kept, Keep: keep}
				if died { // what was saved by then
					j.Kept = map[string]json.RawMessage{}
				}
				b.journal = j
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

// A run on an attacked photo that dies after either reading continues after it:
// neither is paid twice, and the result is the same.
func TestGoesOnBehindAMaskedPhoto(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	t.Parallel()
	attack := samples.Attacks()[0]
	errDied := errors.New("the instance died")
	for _, dies := range []string{"image_analyzer", "image_analyzer_masked", "judgement"} {
		b := attacked(t, answers.MarksPlaced)
		b.req.Photo, b.req.SecondLook = prepared(t, attack.Bytes()), analyze.Always
		kept := map[string]json.RawMessage{}
		b.journal.Keep = func(_ context.Context, key string, value json.RawMessage) error {
			kept[key] = value
			if strings.HasPrefix(key, dies+" ") && b.journal.Kept == nil {
				return errDied
			}
			return nil
		}
		if _, err := b.run(nil); !errors.Is(err, errDied) {
			t.Fatalf("the first run = %v, want %v", err, errDied)
		}
		b.journal.Kept = kept
		r, err := b.run(nil)
		if err != nil || r.Brand != attack.Truth.Brand || r.Decision.Row != 3 || len(r.VisibleText) != len(attack.Truth.Lines) {
			t.Errorf("died after %s: %+v, %v; want %s", dies, r.Identification, err, attack.Truth.Brand)
		}
		if kinds, _ := b.calls(); fmt.Sprint(kinds) != "map[image:2 judge:1]" || r.ModelCalls.Generate != 3 {
			t.Errorf("died after %s: calls of both runs = %v, charged %d; want each paid once", dies, kinds, r.ModelCalls.Generate)
		}
	}
}
