package analyze

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"
)

// Agent returns product_analyzer for programs that run agents by messages, as ADK's
// own page does: it is asked about the photos of the message, which read makes a
// request, and its last event is the result. Use it for one message at a time or
// for many, from any number of goroutines.
func (p *Pipeline) Agent(read func(photos [][]byte) (Request, error)) adk.Agent {
	return &byMessage{p.agent, read}
}

type byMessage struct {
	adk.Agent
	read func(photos [][]byte) (Request, error)
}

func (a *byMessage) Run(ctx adk.InvocationContext) iter.Seq2[*session.Event, error] {
	return func(yield func(*session.Event, error) bool) {
		req, err := a.requestOf(ctx.UserContent())
		if err != nil {
			yield(nil, fmt.Errorf("analyze: %w", err))
			return
		}
		run, inner := newRun(ctx, req)
		for e, err := range a.Agent.Run(ctx.WithContext(inner)) {
			if !yield(e, err) || err != nil {
				return
			}
		}
		yield(a.resultEvent(ctx, run.finished()))
	}
}

// requestOf is the request that a message makes.
func (a *byMessage) requestOf(message *genai.Content) (Request, error) {
	var photos [][]byte
	if message != nil {
		for _, p := range message.Parts {
			if p.InlineData != nil {
				photos = append(photos, p.InlineData.Data)
			}
		}
	}
	if len(photos) == 0 {
		return Request{}, errors.New("the message has no photo: attach one, or several of one product")
	}
	req, err := a.read(photos)
	if err != nil {
		return Request{}, err
	}
	return req, req.check()
}

// resultEvent is the event that says r.
func (a *byMessage) resultEvent(ctx adk.InvocationContext, r Result) (*session.Event, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("analyze: %w", err)
	}
	e := session.NewEvent(ctx, ctx.InvocationID())
	e.Author = a.Name()
	e.Content = genai.NewContentFromText(string(data), genai.RoleModel)
	return e, nil
}
