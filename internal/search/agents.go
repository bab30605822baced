package search

import (
	"context"
	"errors"
	"fmt"
	"iter"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/workflowagents/sequentialagent"
	"google.golang.org/adk/v2/session"

	"example.com/whatis/internal/agent"
)

// A step is one agent: what it does to the state, and what its event shows of that.
type step struct {
	name, does string
	run        func(*Pipeline, context.Context, *state) error
	key        string // of the session's state; "" is none
	shows      func(*state) any
}

// steps are the agents in their order. No event, and so no session, shows a picture, a
// vector or anything of a face analysis.
var steps = []step{
	{"intent_classifier", "says what a query means", (*Pipeline).classify, "", func(s *state) any { return map[string]any{"intent": s.intent} }},
	{"intent_router", "decides what is done for an intent", (*Pipeline).route, "intent", func(s *state) any { return s.intent }},
	{"attribute_extractor", "says what products must be", (*Pipeline).extract, "extracted_attributes", func(s *state) any { return s.attributes() }},
	{"embed_query", "makes vectors of words and picture", (*Pipeline).embed, "search_type", func(s *state) any { return s.searchType() }},
	{"semantic_search", "finds products", (*Pipeline).find, "search_results", func(s *state) any { return s.foundIDs() }},
	{"format_response", "writes the answer", (*Pipeline).format, "final_response", func(s *state) any {
		return map[string]any{"count": s.response.Count, "summary": s.response.Summary}
	}},
}

type stateKey struct{}

// searchAgent returns the agents of p, one after the other. They work on the state
// that their context has.
func (p *Pipeline) searchAgent() (adk.Agent, error) {
	var all []adk.Agent
	for _, s := range steps {
		a, err := agent.New(adk.Config{Name: s.name, Description: s.does, Run: s.of(p)})
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	a, err := sequentialagent.New(sequentialagent.Config{AgentConfig: adk.Config{
		Name: "search_agent", Description: "finds products of a shop by words, by picture or by both", SubAgents: all,
	}})
	if err != nil {
		return nil, fmt.Errorf("search_agent: %w", err)
	}
	return agent.Guard(a), nil
}

// of is the run of the step in p.
func (t step) of(p *Pipeline) func(adk.InvocationContext) iter.Seq2[*session.Event, error] {
	return func(ctx adk.InvocationContext) iter.Seq2[*session.Event, error] {
		return func(yield func(*session.Event, error) bool) {
			s, ok := ctx.Value(stateKey{}).(*state)
			if !ok {
				yield(nil, errors.New("there is no request: it has to be in the context"))
				return
			}
			if err := t.run(p, ctx, s); err != nil {
				yield(nil, err)
				return
			}
			agent.Output(ctx, t.key, t.shows(s))
		}
	}
}
