package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/genai"

	"example.com/whatis/internal/gemini"
)

// LLM returns inner with the journal of the run that asks it: an answer that is kept
// is yielded whole, without pieces before, and its cost charged again; one that is
// not is asked of inner and kept before the agent sees it. An error is not kept.
//
//	llmagent.Config{Model: journal.LLM(client.LLM("gemini-3.6-flash", gemini.Options{}))}
//
// Calls of functions without an ID get one that is the same in every run: answers
// that are kept, and what is kept of the tools they call, fit together.
func LLM(inner model.LLM) model.LLM { return &journaled{inner} }

type journaled struct{ model.LLM }

// GetGoogleLLMVariant tells ADK whose wire the inner model is.
func (m *journaled) GetGoogleLLMVariant() genai.Backend {
	if inner, ok := m.LLM.(interface{ GetGoogleLLMVariant() genai.Backend }); ok {
		return inner.GetGoogleLLMVariant()
	}
	return genai.BackendUnspecified
}

// GenerateContent yields the answer to this round of the agent that asks.
func (m *journaled) GenerateContent(ctx context.Context, r *model.LLMRequest, stream bool) iter.Seq2[*model.LLMResponse, error] {
	j := Of(ctx)
	if j.run == nil {
		return m.LLM.GenerateContent(ctx, r, stream)
	}
	return func(yield func(*model.LLMResponse, error) bool) {
		if fault := j.run.err(); fault != nil {
			yield(nil, fault)
			return
		}
		key, release := j.run.nextKey(asking(ctx))
		answers, left, err := m.answers(ctx, j, key, r, stream, yield)
		if err != nil || left {
			release()
		}
		if err != nil && !left {
			yield(nil, err)
		}
		if err != nil || left {
			return
		}
		for _, answer := range answers {
			if !yield(answer, nil) {
				return
			}
		}
	}
}

// asking is the step of the agent that calls its model.
func asking(ctx context.Context) string {
	asker, ok := ctx.(agent.InvocationContext)
	if !ok {
		return step(ctx, "", "")
	}
	return step(ctx, asker.Branch(), asker.Agent().Name())
}

// answers are those that are kept under key, or inner's, which are kept. Pieces of
// inner's go to yield; left says that it wants no more of them.
func (m *journaled) answers(ctx context.Context, j Journal, key string, r *model.LLMRequest, stream bool, yield func(*model.LLMResponse, error) bool) (answers []*model.LLMResponse, left bool, err error) {
	found, err := j.load(ctx, key, &answers)
	if err != nil {
		j.run.setFault(ctx, err)
	}
	if found || err != nil {
		return answers, false, err
	}
	split, charge := gemini.Split(ctx)
	answers, left, err = m.ask(within(ctx, split), r, stream, yield)
	spent := charge()
	if err != nil || left {
		return nil, left, err
	}
	identify(key, answers)
	if err := j.store(ctx, key, answers, spent); err != nil {
		j.run.setFault(ctx, err)
		return nil, false, err
	}
	return answers, false, nil
}

// within is outer's invocation with inner, which is made from outer.
func within(outer, inner context.Context) context.Context {
	if i, ok := outer.(agent.InvocationContext); ok {
		return i.WithContext(inner)
	}
	return inner
}

func (m *journaled) ask(ctx context.Context, r *model.LLMRequest, stream bool, yield func(*model.LLMResponse, error) bool) (answers []*model.LLMResponse, left bool, err error) {
	for answer, err := range m.LLM.GenerateContent(ctx, r, stream) {
		switch {
		case err != nil:
			return nil, false, err
		case !answer.Partial:
			answers = append(answers, answer)
		case !yield(answer, nil):
			return nil, true, nil
		}
	}
	return answers, false, nil
}

// identify gives calls of functions an ID where they have none. It begins as those
// that ADK makes up, which are not sent to the service.
func identify(key string, answers []*model.LLMResponse) {
	n := 0
	for _, answer := range answers {
		if answer.Content == nil {
			continue
		}
		for _, part := range answer.Content.Parts {
			if part.FunctionCall != nil && part.FunctionCall.ID == "" {
				n++
				sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", key, n))
				part.FunctionCall.ID = "adk-" + hex.EncodeToString(sum[:12])
			}
		}
	}
}
