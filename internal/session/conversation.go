package session

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	adk "google.golang.org/adk/v2/session"
)

// A conversation is one as it was read, and what was appended to it here since.
type conversation struct {
	mu     sync.RWMutex
	stored stored
	state  map[string]any
	events []*adk.Event
}

var _ adk.Session = (*conversation)(nil)

func (c *conversation) ID() string      { return c.stored.ID }
func (c *conversation) AppName() string { return c.stored.App }
func (c *conversation) UserID() string  { return c.stored.User }

func (c *conversation) State() adk.State { return (*state)(c) }

func (c *conversation) Events() adk.Events {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return eventList(slices.Clip(c.events))
}

func (c *conversation) LastUpdateTime() time.Time {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.stored.Updated
}

func (c *conversation) at() stored {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.stored
}

// add takes over an event that is written: what is temporary of its state stays here.
func (c *conversation) add(e, kept *adk.Event, at stored) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stored = at
	maps.Copy(c.state, e.Actions.StateDelta)
	c.events = append(c.events, kept)
}

// state is a conversation's state.
type state conversation

func (s *state) Get(key string) (any, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	value, ok := s.state[key]
	if !ok {
		return nil, adk.ErrStateKeyNotExist
	}
	return value, nil
}

// Set changes the state here. An event's StateDelta is what is kept.
func (s *state) Set(key string, value any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state[key] = value
	return nil
}

func (s *state) All() iter.Seq2[string, any] {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return maps.All(maps.Clone(s.state))
}

type eventList []*adk.Event

func (l eventList) All() iter.Seq[*adk.Event] { return slices.Values(l) }
func (l eventList) Len() int                  { return len(l) }

func (l eventList) At(i int) *adk.Event {
	if i < 0 || i >= len(l) {
		return nil
	}
	return l[i]
}

// withoutTemp is e without its temporary state; e itself stays as it is.
func withoutTemp(e *adk.Event) *adk.Event {
	kept := *e
	kept.Actions.StateDelta = maps.Clone(e.Actions.StateDelta)
	maps.DeleteFunc(kept.Actions.StateDelta, func(key string, _ any) bool { return strings.HasPrefix(key, adk.KeyPrefixTemp) })
	return &kept
}
