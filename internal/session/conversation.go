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

// A conversation is an ADK session as it was read, with the events appended to it since.
type conversation struct {
	mu     sync.RWMutex
	stored stored
	state  map[string]any
	events []*adk.Event
}

var _ adk.Session = (*conversation)(nil)

func (c *conversation) ID() string      { return c.at().ID }
func (c *conversation) AppName() string { return c.at().App }
func (c *conversation) UserID() string  { return c.at().User }

func (c *conversation) State() adk.State { return (*state)(c) }

func (c *conversation) Events() adk.Events {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return eventList(slices.Clip(c.events))
}

func (c *conversation) LastUpdateTime() time.Time { return c.at().Updated }

func (c *conversation) at() stored {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.stored
}

// add adds a stored event. Temporary state stays in this process.
func (c *conversation) add(e, kept *adk.Event, at stored) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stored = at
	maps.Copy(c.state, e.Actions.StateDelta)
	c.events = append(c.events, kept)
}

// state implements ADK's session.State.
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

// Set changes the state in this process only. AppendEvent stores an event's StateDelta.
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

// withoutTemp returns a copy of e without its temporary state.
func withoutTemp(e *adk.Event) *adk.Event {
	kept := *e
	kept.Actions.StateDelta = maps.Clone(e.Actions.StateDelta)
	maps.DeleteFunc(kept.Actions.StateDelta, func(key string, _ any) bool { return strings.HasPrefix(key, adk.KeyPrefixTemp) })
	return &kept
}
