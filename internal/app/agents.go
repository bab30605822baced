package app

import (
	"context"
	"fmt"

	adk "google.golang.org/adk/v2/agent"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/photo"
)

// Agents returns every agent there is, for programs that speak to agents by
// messages, as ADK's own page does. They pay for each message anew: exactly once is
// for what comes by Upload and API.
func (a *App) Agents(ctx context.Context) ([]adk.Agent, error) {
	p, err := a.pipeline.get(ctx)
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	return []adk.Agent{p.Agent(a.analyzeRequest)}, nil
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
