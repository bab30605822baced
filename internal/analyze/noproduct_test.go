package analyze_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
)

// Of a receipt neither texts nor dates, codes and features are answered, in the result or in
// the events of the run, even if the model reports them.
func TestNoProductKeepsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.Gemini.Script(analysis(both(barcoded("8801234567893"), func(a *analyze.Analysis) {
		a.NotProduct, a.ProductsSeen, a.Description, a.Side = true, 0, "영수증", analyze.SideDocument
		a.VisibleText = append(a.VisibleText, analyze.Line{Text: "김보리 고객님", Clear: true})
	})))
	var told []any
	r, err := b.run(func(e *agent.Event) { told = append(told, e) })
	if err != nil || r.Error != analyze.NotAProduct || r.Description != "영수증" {
		t.Fatalf("Run = %+v, %v; want no product", r, err)
	}
	all, err := json.Marshal([]any{r, told})
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{"김보리", "보리차", "2027", "8801234567893", "초록 라벨"} {
		if strings.Contains(string(all), said) {
			t.Errorf("%q is answered: %s", said, all)
		}
	}
}
