package agent

import (
	"context"
	"fmt"
	"slices"
	"testing"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"
)

// What a tool is called with and answers, what a model call takes and what an agent
// has come to is told as JSON has it.
func TestData(t *testing.T) {
	type query struct {
		Text string `json:"text"`
	}
	search := Tool[query, []string]{Name: "search", Do: func(context.Context, query) ([]string, error) { return []string{"tea"}, nil }}
	a := does("searcher", func(ctx adk.InvocationContext) error {
		if _, err := search.Call(ctx, query{"green"}); err != nil {
			return err
		}
		EmitUsage(ctx, Usage{Model: "m", InputTokens: 3, OutputTokens: 2, TotalTokens: 5, USD: 0.25})
		Output(ctx, "found", query{"tea"})
		return nil
	})
	var got []string
	if err := watched(t.Context(), a, func(e *Event) {
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

// An agent's output is in the session's state for those after it, and what ADK
// keeps of a run is what its agents have said and done.
func TestSession(t *testing.T) {
	var greeting any
	reads := does("b", func(ctx adk.InvocationContext) (err error) {
		greeting, err = ctx.Session().State().Get("greeting")
		_, _ = double.Call(ctx, 2)
		return err
	})
	service := session.InMemoryService()
	r, err := runner.New(runner.Config{AppName: "test", Agent: sequence(greets("a"), reads), SessionService: service, AutoCreateSession: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range r.Run(t.Context(), "u", "s", nil, adk.RunConfig{}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if greeting != "hello from a" {
		t.Errorf("greeting = %v, want a's", greeting)
	}
	kept, err := service.Get(t.Context(), &session.GetRequest{AppName: "test", UserID: "u", SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	var authors []string
	for e := range kept.Session.Events().All() {
		authors = append(authors, e.Author)
	}
	if want := []string{"a", "b", "b"}; !slices.Equal(authors, want) {
		t.Errorf("the session keeps events of %q, want a's output, b's call and its response: %q", authors, want)
	}
}

// An event without an author, or with the role of the user, is its agent's.
func TestAuthor(t *testing.T) {
	a := yields("a", func(_ adk.InvocationContext, yield func(*session.Event, error) bool) {
		e := &session.Event{}
		e.Content = genai.NewContentFromFunctionResponse("double", map[string]any{"result": 4}, genai.RoleUser)
		yield(e, nil)
	})
	want := []string{"all started", "a started", "a tool_result", "a finished", "all finished"}
	if got := lines(t.Context(), sequence(a)); !slices.Equal(got, want) {
		t.Errorf("events = %q, want %q", got, want)
	}
}
