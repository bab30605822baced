// Package slogan writes slogans for products.
//
//	product → slogan_writer → slogan
package slogan

import (
	"context"
	_ "embed"

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
	return agent.NewSkill(card, func(ctx context.Context, req Request, emit func(*agent.Event)) (Result, error) {
		client, err := open(ctx)
		if err != nil {
			return Result{}, err
		}
		slogans, err := agent.NewPrompt[Result](client, model, instruction, nil, agent.PromptOptions{})
		if err != nil {
			return Result{}, err
		}
		writer := agent.Step[Result]{Name: "slogan_writer", Description: "writes a slogan", Do: func(ctx context.Context, r *Result) error {
			answer, err := slogans.Ask(ctx, agent.Call{Key: "slogan", Parts: []gemini.Part{gemini.Text(req.Product)}})
			*r = answer.Value
			return err
		}, Output: func(r *Result) any { return *r }}
		var result Result
		err = writer.Run(gemini.WithAccount(ctx, &gemini.Account{Attempts: gemini.CallerAttempts}), &result, emit)
		return result, err
	})
}
