package discover

import (
	"context"
	"errors"
	"iter"
	"slices"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/workflowagents/loopagent"
	"google.golang.org/adk/v2/agent/workflowagents/sequentialagent"
	"google.golang.org/adk/v2/session"

	"example.com/whatis/internal/agent"
)

// sliced is the state that the agents of a context work on, and how many slices they may
// still do.
type sliced struct {
	state *AgentState
	left  int
}

type slicesKey struct{}

// A step is one agent: the phases that are its own, and what it does in one slice.
type step struct {
	name, does string
	phases     []Phase
	slice      func(*Pipeline, context.Context, *AgentState) error
}

var (
	planner = step{"planner", "plans what to search for", []Phase{planning}, (*Pipeline).plan}
	loop    = []step{
		{"researcher", "searches, and reads pages", []Phase{researching, fetching}, (*Pipeline).research},
		{"raw_reviewer", "chooses the pages that are worth extracting", []Phase{screening}, (*Pipeline).screenPages},
		{"extractor", "finds the datasets that pages publish", []Phase{extracting}, (*Pipeline).extract},
		{"reviewer", "judges what was found, and what to do next", []Phase{reviewing}, (*Pipeline).review},
		{"deep_diver", "looks further into sites", []Phase{diving}, (*Pipeline).dive},
	}
)

// newAgent is planner → (researcher → raw_reviewer → extractor → reviewer → deep_diver)*.
// An agent whose phase it is not does nothing, so that a task which enters the loop
// again is at once where the last one left it.
func (p *Pipeline) newAgent() (adk.Agent, error) {
	first, err := p.agentOf(planner)
	if err != nil {
		return nil, err
	}
	var inner []adk.Agent
	for _, s := range loop {
		a, err := p.agentOf(s)
		if err != nil {
			return nil, err
		}
		inner = append(inner, a)
	}
	rounds, err := loopagent.New(loopagent.Config{MaxIterations: uint(2 * ceiling.Iterations), AgentConfig: adk.Config{
		Name: "research_cycle", Description: "researches, extracts and reviews until enough is found", SubAgents: inner,
	}})
	if err != nil {
		return nil, err
	}
	all, err := sequentialagent.New(sequentialagent.Config{AgentConfig: adk.Config{
		Name: "discover", Description: "finds which data on greenhouse gas emissions a place publishes", SubAgents: []adk.Agent{first, agent.Guard(rounds)},
	}})
	if err != nil {
		return nil, err
	}
	return agent.Guard(all), nil
}

func (p *Pipeline) agentOf(s step) (adk.Agent, error) {
	return agent.New(adk.Config{Name: s.name, Description: s.does, Run: func(ctx adk.InvocationContext) iter.Seq2[*session.Event, error] {
		return func(yield func(*session.Event, error) bool) {
			w, ok := ctx.Value(slicesKey{}).(*sliced)
			if !ok {
				yield(nil, errors.New("there is no run: it has to be in the context"))
				return
			}
			for w.left > 0 && slices.Contains(s.phases, w.state.Phase) {
				if err := p.doSlice(ctx, w.state, s); err != nil {
					yield(nil, err)
					return
				}
				w.left--
			}
			if w.left == 0 || w.state.Phase == over {
				e := session.NewEvent(ctx, ctx.InvocationID())
				e.Actions.Escalate = true // ends the loop
				yield(e, nil)
			}
		}
	}})
}

// doSlice does a slice of a step, unless a limit was reached.
func (p *Pipeline) doSlice(ctx context.Context, s *AgentState, t step) error {
	switch {
	case s.Spent.Calls.Generate+s.Spent.Calls.Failed >= s.Limits.Calls:
		s.end(stopped, "the limit of model calls is reached: %d", s.Limits.Calls)
	case s.Spent.USD >= s.Limits.USD:
		s.end(stopped, "the models have cost %.2f USD, the limit is %.2f", s.Spent.USD, s.Limits.USD)
	default:
		return p.charged(ctx, s, func(ctx context.Context) error { return t.slice(p, ctx, s) })
	}
	return nil
}
