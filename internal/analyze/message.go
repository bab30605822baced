package analyze

import (
	"context"
	"errors"
	"fmt"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/genai"
)

// Agent returns product_analyzer for programs that run agents by messages, such as
// ADK's web page: read turns the photos of a message into a request, and the last
// event is the result. It is safe for concurrent use.
func (p *Pipeline) Agent(read func(photos [][]byte) (Request, error)) (adk.Agent, error) {
	return p.agent.Agent(func(ctx context.Context, message *genai.Content) (context.Context, *run, error) {
		req, err := requestOf(message, read)
		if err != nil {
			return ctx, nil, fmt.Errorf("analyze: %w", err)
		}
		ctx, run := newRun(ctx, req)
		return ctx, run, nil
	}, func(r *run) any { return r.finished() })
}

// requestOf returns the request for the photos of a message.
func requestOf(message *genai.Content, read func(photos [][]byte) (Request, error)) (Request, error) {
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
	req, err := read(photos)
	if err != nil {
		return Request{}, err
	}
	return req, req.check()
}
