package search

import (
	"encoding/json"
	"iter"
	"strings"

	adk "google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"
)

// Agent returns search_agent for programs that run agents by messages, as ADK's own
// page does: it is asked for the words and the picture of the message, and its last
// event is the result. Use it from any number of goroutines.
func (p *Pipeline) Agent() adk.Agent { return &byMessage{p.agent, p} }

type byMessage struct {
	adk.Agent
	pipeline *Pipeline
}

func (a *byMessage) Run(ctx adk.InvocationContext) iter.Seq2[*session.Event, error] {
	return func(yield func(*session.Event, error) bool) {
		s, inner, err := a.pipeline.begin(ctx, requestOf(ctx.UserContent()))
		if err != nil {
			yield(nil, err)
			return
		}
		for e, err := range a.Agent.Run(ctx.WithContext(inner)) {
			if !yield(e, err) || err != nil {
				return
			}
		}
		data, err := json.MarshalIndent(s.finished(), "", "  ")
		e := session.NewEvent(ctx, ctx.InvocationID())
		e.Author, e.Content = a.Name(), genai.NewContentFromText(string(data), genai.RoleModel)
		yield(e, err)
	}
}

// requestOf is the request that a message makes: its words, and its last picture.
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
