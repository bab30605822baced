package app

import (
	"context"

	adk "google.golang.org/adk/v2/agent"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/photo"
)

// messageAgent is product_analyzer for programs that speak to agents by messages.
func (a *App) messageAgent(ctx context.Context) (adk.Agent, error) {
	p, err := a.pipeline.Get(ctx)
	if err != nil {
		return nil, err
	}
	return p.Agent(a.analyzeRequest), nil
}

// messageAttempts is how often a model call is tried for a person who waits.
const messageAttempts = 3

// analyzeRequest is the request of photos that come without options.
func (a *App) analyzeRequest(photos [][]byte) (analyze.Request, error) {
	req := analyze.Request{Country: a.Analyze.Country, Lang: a.Analyze.Lang, Attempts: messageAttempts}
	var err error
	if req.Policy, err = analyze.PolicyNamed(a.Analyze.Policy); err != nil {
		return req, err
	}
	if req.SecondLook, err = analyze.ParseSecondLook(a.Analyze.SecondLook); err != nil {
		return req, err
	}
	for i, data := range photos {
		p, err := photo.Prepare(data, photo.Limits{MaxMemory: a.memory.MaxWork()})
		if err != nil {
			return req, err
		}
		if i == 0 {
			req.Photo = p
		} else {
			req.More = append(req.More, p)
		}
	}
	return req, nil
}
