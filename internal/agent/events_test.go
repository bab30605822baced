package agent

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"example.com/whatis/internal/gemini"
)

// The JSON of events has the arguments and results of tools, the usage of model calls and
// the output of agents.
func TestData(t *testing.T) {
	type query struct {
		Text string `json:"text"`
	}
	search := Tool[query, []string]{Name: "search", Do: func(context.Context, query) ([]string, error) { return []string{"tea"}, nil }}
	a := step{Name: "searcher", Output: func(*int) any { return query{"tea"} }, Do: func(ctx context.Context, _ *int) error {
		if _, err := search.Call(ctx, query{"green"}); err != nil {
			return err
		}
		emitUsage(ctx, &gemini.Response{Model: "m", Usage: gemini.Usage{Input: 3, Output: 2, Total: 5}, USD: 0.25})
		return nil
	}}
	var got []string
	if err := a.Run(t.Context(), new(int), func(e *Event) {
		if e.Usage != nil {
			got = append(got, fmt.Sprintf("%+v", *e.Usage))
		}
		got = append(got, fmt.Sprintf("%s %v %v", e.Tool, e.Data, !e.Time.IsZero()))
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{" <nil> true", "search map[text:green] true", "search map[result:[tea]] true",
		"{Model:m InputTokens:3 OutputTokens:2 TotalTokens:5 USD:0.25}", " <nil> true", " {tea} true"}
	if !slices.Equal(got, want) {
		t.Errorf("events = %q, want %q", got, want)
	}
}
