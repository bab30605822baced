package session

import (
	"context"
	"strings"
	"time"

	adk "google.golang.org/adk/v2/session"
	"google.golang.org/genai"
)

// A Conversation is the public view of a session: its messages, and its own state without
// keys that begin with an underscore.
type Conversation struct {
	ID       string         `json:"id"`
	Agent    string         `json:"agent"`
	Messages []Message      `json:"messages"`
	State    map[string]any `json:"state"`
	Updated  time.Time      `json:"updated"`
	Expires  time.Time      `json:"expires"` // extended by each message
}

// A Message is what the user or the agent said.
type Message struct {
	Role string    `json:"role"` // user or agent
	Text string    `json:"text"`
	Time time.Time `json:"time"`
}

// The roles of a Message.
const (
	RoleUser  = "user"
	RoleAgent = "agent"
)

// Find returns the conversation with an ID, of any agent. Caller is the user who asks, ""
// if unknown. Another user's conversation is not found.
func (s *Service) Find(ctx context.Context, caller, id string) (Conversation, error) {
	at, err := s.read(ctx, id)
	if err == nil && at.Value.User != User(caller, id) {
		err = ErrNotFound
	}
	if err != nil {
		return Conversation{}, err
	}
	return s.opened(at).shown(), nil
}

// Remove deletes the conversation with an ID, under the same rules as Find.
func (s *Service) Remove(ctx context.Context, caller, id string) error {
	found, err := s.Find(ctx, caller, id)
	if err != nil {
		return err
	}
	return s.Delete(ctx, &adk.DeleteRequest{AppName: found.Agent, UserID: User(caller, id), SessionID: id})
}

func (c *conversation) shown() Conversation {
	shown := Conversation{
		ID: c.stored.Value.ID, Agent: c.stored.Value.App, Messages: []Message{}, State: map[string]any{},
		Updated: c.stored.Value.Updated, Expires: c.stored.Value.Expires,
	}
	for _, e := range c.events {
		if m := (Message{roleOf(e), textOf(e), e.Timestamp}); m.Text != "" {
			shown.Messages = append(shown.Messages, m)
		}
	}
	for key, value := range c.state {
		if !strings.HasPrefix(key, "_") {
			shown.State[key] = value
		}
	}
	return shown
}

func roleOf(e *adk.Event) string {
	if e.Author == genai.RoleUser {
		return RoleUser
	}
	return RoleAgent
}

// textOf returns the text of an event, without thoughts.
func textOf(e *adk.Event) string {
	if e.Content == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range e.Content.Parts {
		if p != nil && !p.Thought {
			b.WriteString(p.Text)
		}
	}
	return strings.TrimSpace(b.String())
}
