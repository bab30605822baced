package forecast

import (
	"context"
	_ "embed"
	"fmt"
	"iter"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/session"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
)

//go:embed weather_agent.md
var rootText string

const agentName = "weather_agent"

// Agent returns weather_agent. Its team is a tool: a transfer would not come back.
func (p *Pipeline) Agent() (adk.Agent, error) {
	all, err := tools()
	if err != nil {
		return nil, fmt.Errorf("forecast: %w", err)
	}
	root, err := llmagent.New(llmagent.Config{
		Name: agentName, Description: "says the weather of any place, now or in the next five days", Tools: all,
		Model:                    p.Gemini.LLM(p.Model, gemini.Options{Thinking: p.Thinking, Key: agentName}),
		Instruction:              rootText,
		DisallowTransferToParent: true, DisallowTransferToPeers: true, Mode: llmagent.ModeChat,
		BeforeModelCallbacks: []llmagent.BeforeModelCallback{func(ctx adk.Context, r *model.LLMRequest) (*model.LLMResponse, error) {
			return turnOf(ctx).beforeModel(ctx, r)
		}},
		AfterModelCallbacks: []llmagent.AfterModelCallback{func(ctx adk.Context, r *model.LLMResponse, err error) (*model.LLMResponse, error) {
			return turnOf(ctx).afterModel(ctx, r, err)
		}},
	})
	if err != nil {
		return nil, fmt.Errorf("forecast: %w", err)
	}
	return taking{agent.Guard(root), p}, nil
}

// taking starts a turn for each message from programs that run ADK agents by messages.
type taking struct {
	adk.Agent
	p *Pipeline
}

func (a taking) Run(ctx adk.InvocationContext) iter.Seq2[*session.Event, error] {
	if turnOf(ctx) == nil { // not called by a Conversation
		ctx = ctx.WithContext(context.WithValue(ctx, turnKey{}, a.p.newTurn()))
	}
	return a.Agent.Run(ctx)
}
