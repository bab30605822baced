// Package slogan writes slogans for products.
//
//	product → slogan_writer → slogan
package slogan

import (
	"context"
	_ "embed"
	"iter"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/session"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
)

//go:embed slogan.md
var instruction string

// A Request is what can be asked.
type Request struct {
	Product string `json:"product" jsonschema:"what the slogan is for"`
}

// A Result is the answer, and what the model is asked for.
type Result struct {
	Slogan string `json:"slogan"`
}

// Skill is what the agent can do, by that model of the client that open returns.
func Skill(open func(context.Context) (*gemini.Client, error), model string) agent.Skill {
	card := agent.Card{
		ID: "slogan", Name: "Write a slogan", Description: "Writes a slogan for a product.",
		Examples: []string{`{"product":"instant noodles"}`},
	}
	return agent.NewSkill(card, func(ctx context.Context, req Request, emit func(agent.SkillEvent)) (result Result, err error) {
		client, err := open(ctx)
		if err != nil {
			return result, err
		}
		writer, err := newWriter(client, model, req, &result)
		if err != nil {
			return result, err
		}
		ctx = gemini.WithAccount(ctx, &gemini.Account{Attempts: gemini.CallerAttempts})
		for event, err := range agent.Run(ctx, writer) {
			if err != nil {
				return result, err
			}
			agent.Translate(event, func(e *agent.Event) { emit(agent.SkillEvent{Time: e.Time, Data: e}) })
		}
		return result, nil
	})
}

// newWriter returns the agent that answers req in result.
func newWriter(client *gemini.Client, model string, req Request, result *Result) (adk.Agent, error) {
	slogans, err := agent.NewPrompt[Result](client, model, instruction, nil, agent.PromptOptions{})
	if err != nil {
		return nil, err
	}
	run := func(ctx adk.InvocationContext) iter.Seq2[*session.Event, error] {
		return func(yield func(*session.Event, error) bool) {
			answer, err := slogans.Ask(ctx, agent.Call{Key: "slogan", Parts: []gemini.Part{gemini.Text(req.Product)}})
			if err != nil {
				yield(nil, err)
				return
			}
			*result = answer.Value
			agent.Output(ctx, "slogan", answer.Value)
		}
	}
	return agent.New(adk.Config{Name: "slogan_writer", Description: "writes a slogan", Run: run})
}
