package session_test

import (
	"fmt"
	"iter"
	"testing"

	adkagent "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/runner"
	adk "google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/session"
)

// An ADK agent continues a conversation of another process: it has the events and the
// state. ADK's runner creates the conversation with the given ID.
func TestRunner(t *testing.T) {
	db := database(t)
	a, err := adkagent.New(adkagent.Config{Name: app, Run: func(ctx adkagent.InvocationContext) iter.Seq2[*adk.Event, error] {
		return func(yield func(*adk.Event, error) bool) {
			city, _ := ctx.Session().State().Get("CITY")
			e := adk.NewEvent(ctx, ctx.InvocationID())
			e.Content = genai.NewContentFromText(fmt.Sprintf("%d before, CITY %v", ctx.Session().Events().Len(), city), genai.RoleModel)
			e.Actions.StateDelta["CITY"] = "Paris"
			yield(e, nil)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	id := session.NewID()
	for turn, want := range []string{"1 before, CITY <nil>", "3 before, CITY Paris", "5 before, CITY Paris"} {
		r, err := runner.New(runner.Config{AppName: app, Agent: a, SessionService: session.New(db, session.Options{}), AutoCreateSession: true})
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for e, err := range r.Run(t.Context(), user, id, genai.NewContentFromText("Weather?", genai.RoleUser), adkagent.RunConfig{}) {
			if err != nil {
				t.Fatal(err)
			}
			if text := agent.Text(e); text != "" {
				got = text
			}
		}
		if got != want {
			t.Errorf("turn %d: %q, want %q", turn, got, want)
		}
	}
}
