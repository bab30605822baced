// Package echo is the smallest agent there can be, and the pattern for others: it
// says again what it is told, and then says it louder. Nothing that is deployed has
// it; a test makes it an agent of the app.
package echo

import (
	"context"
	"fmt"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/agent/workflowagents/sequentialagent"
	"google.golang.org/genai"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/journal"
	"example.com/whatis/internal/room"
	"example.com/whatis/internal/skill"
)

// A Request is what is to be said again.
type Request struct {
	Text string `json:"text" jsonschema:"what to say again"`
}

// A Result is what was said.
type Result struct {
	Shout string `json:"shout"`
}

// Room returns the agent that asks the model of that name.
func Room(model string) room.Room[Request, Result] {
	return room.Room[Request, Result]{
		Card: skill.Card{
			ID: "echo", Name: "Say it again, louder",
			Description: "Says again what it is told, and then says it louder.",
			Examples:    []string{`{"text":"hello"}`},
		},
		Version: model,
		Agent: func(ctx context.Context, p room.Platform) (adk.Agent, error) {
			client, err := p.Gemini(ctx)
			if err != nil {
				return nil, err
			}
			return newAgent(client, model)
		},
	}
}

// newAgent is listener → shouter.
func newAgent(client *gemini.Client, model string) (adk.Agent, error) {
	listener, err := says(client, model, "listener", "Say again what you are told.", "echo")
	if err != nil {
		return nil, err
	}
	shouter, err := says(client, model, "shouter", "Say in capital letters what the listener said.", "shout")
	if err != nil {
		return nil, err
	}
	both, err := sequentialagent.New(sequentialagent.Config{AgentConfig: adk.Config{
		Name: "echo", Description: "says again what it is told, louder", SubAgents: []adk.Agent{listener, shouter},
	}})
	if err != nil {
		return nil, fmt.Errorf("echo: %w", err)
	}
	return agent.Guard(both), nil
}

// says is an agent that answers {"field": "…"}.
func says(client *gemini.Client, model, name, instruction, field string) (adk.Agent, error) {
	a, err := llmagent.New(llmagent.Config{
		Name: name, Description: instruction, Instruction: instruction, Mode: llmagent.ModeChat,
		Model: journal.LLM(client.LLM(model, gemini.Options{Thinking: gemini.ThinkMinimal})),
		OutputSchema: &genai.Schema{
			Type: genai.TypeObject, Required: []string{field},
			Properties: map[string]*genai.Schema{field: {Type: genai.TypeString}},
		},
		DisallowTransferToParent: true, DisallowTransferToPeers: true,
	})
	if err != nil {
		return nil, fmt.Errorf("echo: %s: %w", name, err)
	}
	return agent.Guard(a), nil
}
