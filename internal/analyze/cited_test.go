package analyze_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/gemini"
)

// Every citation is a page in the search's metadata: addresses that the model writes
// into its answer become neither citations nor evidence.
func TestCitationsAreGrounded(t *testing.T) {
	t.Parallel()
	const own, real = "https://nestora.example/gold", "https://shop.example/tea"
	invented := tea
	invented.Evidence = "see " + own + " and " + real
	invented.Supported = append(slices.Clone(tea.Supported), own)
	for _, oneCall := range []bool{false, true} {
		b := newBench(t, func(c *analyze.Config) { c.SearchWithSchema = oneCall })
		answer := grounded("It is 햇살마루 보리차 [1](" + own + "). Sources: " + own + ", www.nestora.example")
		script := []emulated.Answer{analysis(unclear), answer, finding(invented)}
		if oneCall {
			script = []emulated.Answer{analysis(unclear), {Kind: answers.KindStructure, JSON: invented, Grounding: answer.Grounding}}
		}
		b.Gemini.Script(script...)
		r, err := b.run(nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := []gemini.Citation{{Title: "shop.example", URI: real}}; !slices.Equal(r.Citations, want) {
			t.Errorf("in one call %v: citations = %v, want %v", oneCall, r.Citations, want)
		}
		if got := r.RAGConfidence.Evidence; strings.Contains(got, "nestora") || !strings.Contains(got, real) {
			t.Errorf("in one call %v: evidence = %q, want no address but %s", oneCall, got, real)
		}
		for _, p := range b.near() {
			if strings.Contains(fmt.Sprint(p), "nestora") {
				t.Errorf("in one call %v: learnt %+v, want nothing of %s", oneCall, p, own)
			}
		}
	}
}
