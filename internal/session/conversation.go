package session

import (
	"encoding/json"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	adk "google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"example.com/whatis/internal/store"
)

// A conversation is an ADK session as it was read, with the events appended to it since.
type conversation struct {
	mu     sync.RWMutex
	stored store.Doc[document]
	state  map[string]any
	events []*adk.Event
}

// opened returns a conversation as it is stored, without events that have expired or that this version
// cannot read.
func (s *Service) opened(at store.Doc[document]) *conversation {
	c := &conversation{stored: at, state: at.Value.state()}
	all := decoded(at.Value.Events)
	expired := slices.IndexFunc(all, func(e *adk.Event) bool { return e != nil && time.Since(e.Timestamp) < s.o.Retain })
	if expired < 0 {
		return c
	}
	if all = all[expired:]; expired > 0 {
		all = all[turn(all):]
	}
	c.events = answered(slices.DeleteFunc(all, func(e *adk.Event) bool { return e == nil }))
	return c
}

// decoded returns events from their JSON. Those that another version has written, so that this one
// cannot read them, are nil.
func decoded(texts []string) []*adk.Event {
	all := make([]*adk.Event, len(texts))
	for i, text := range texts {
		var e adk.Event
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			slog.Warn("session: an event of another version is left out", "error", err)
			continue
		}
		all[i] = &e
	}
	return all
}

// turn returns the index of the user's first turn, because models refuse contents that
// begin with a function response. Without one it returns the first event that is not a
// function response.
func turn(all []*adk.Event) int {
	if i := slices.IndexFunc(all, func(e *adk.Event) bool { return e != nil && e.Author == genai.RoleUser }); i >= 0 {
		return i
	}
	return max(0, slices.IndexFunc(all, func(e *adk.Event) bool {
		if e == nil {
			return false
		}
		_, responses := functions(e)
		return responses == 0
	}))
}

// answered returns all without the function calls that no response follows at once, as those of a turn
// that was broken off there, or beside which another went on, and without such responses: models refuse
// either for good.
func answered(all []*adk.Event) (kept []*adk.Event) {
	for i := 0; i < len(all); i++ {
		calls, responses := functions(all[i])
		switch {
		case calls+responses == 0:
			kept = append(kept, all[i])
		case calls > 0 && i+1 < len(all):
			if _, responses := functions(all[i+1]); responses == calls {
				kept = append(kept, all[i], all[i+1])
				i++
			}
		}
	}
	return kept
}

// functions counts the function calls and responses in e.
func functions(e *adk.Event) (calls, responses int) {
	if e.Content == nil {
		return 0, 0
	}
	for _, p := range e.Content.Parts {
		if p != nil && p.FunctionCall != nil {
			calls++
		}
		if p != nil && p.FunctionResponse != nil {
			responses++
		}
	}
	return calls, responses
}

func (c *conversation) ID() string      { return c.at().Value.ID }
func (c *conversation) AppName() string { return c.at().Value.App }
func (c *conversation) UserID() string  { return c.at().Value.User }

func (c *conversation) State() adk.State { return (*state)(c) }

func (c *conversation) Events() adk.Events {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return eventList(slices.Clip(c.events))
}

func (c *conversation) LastUpdateTime() time.Time { return c.at().Value.Updated }

func (c *conversation) at() store.Doc[document] {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.stored
}

// add adds stored events. Temporary state stays in this process.
func (c *conversation) add(events, kept []*adk.Event, at store.Doc[document]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stored = at
	for _, e := range events {
		maps.Copy(c.state, e.Actions.StateDelta)
	}
	c.events = append(c.events, kept...)
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

func temporary(key string) bool { return strings.HasPrefix(key, adk.KeyPrefixTemp) }

// withoutTemp returns a copy of e without its temporary state.
func withoutTemp(e *adk.Event) *adk.Event {
	kept := *e
	kept.Actions.StateDelta = maps.Clone(e.Actions.StateDelta)
	maps.DeleteFunc(kept.Actions.StateDelta, func(key string, _ any) bool { return temporary(key) })
	return &kept
}
