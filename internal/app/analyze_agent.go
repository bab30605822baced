package app

import (
	"context"

	adk "google.golang.org/adk/v2/agent"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
)

// messageAgent returns product_analyzer as an ADK agent that is run by messages.
func (a *App) messageAgent(ctx context.Context) (adk.Agent, error) {
	in, err := a.Intake(ctx)
	if err != nil {
		return nil, err
	}
	return in.Pipeline.Agent(a.analyzeRequest)
}

// analyzeRequest returns the request for photos without options.
func (a *App) analyzeRequest(photos [][]byte) (analyze.Request, error) {
	req, err := a.Analyze.defaults().Request(intake.Options{})
	if err != nil {
		return req, err
	}
	req.Attempts = gemini.CallerAttempts
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
