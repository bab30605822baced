package search

import (
	"context"
	"strings"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/genai"
)

// Agent returns search_agent for programs that use messages, such as ADK's web page: it
// searches by the message's words and picture, and its last event is the result. It is safe
// for concurrent use.
func (p *Pipeline) Agent() (adk.Agent, error) {
	return p.agent.Agent(func(ctx context.Context, message *genai.Content) (context.Context, *state, error) {
		return p.begin(ctx, requestOf(message))
	}, func(s *state) any { return s.finished() })
}

// requestOf returns the request in a message: its words and its last picture.
func requestOf(message *genai.Content) (req Request) {
	if message == nil {
		return req
	}
	var words []string
	for _, p := range message.Parts {
		if p.InlineData != nil {
			req.Image = p.InlineData.Data
		} else if p.Text != "" {
			words = append(words, p.Text)
		}
	}
	req.Query = strings.Join(words, "\n")
	return req
}
