package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	adk "google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/session"
)

const (
	app  = "weather_agent"
	user = "hana"
)

func database(t *testing.T) *firestore.Client {
	t.Helper()
	return emulate.Start(t, emulate.Firestore).FirestoreClient(t)
}

// begun returns a new conversation of the user hana.
func begun(t *testing.T, s *session.Service, state map[string]any) adk.Session {
	t.Helper()
	r, err := s.Create(t.Context(), &adk.CreateRequest{AppName: app, UserID: user, State: state})
	if err != nil {
		t.Fatal(err)
	}
	return r.Session
}

// get reads a conversation of the user hana.
func get(t *testing.T, s *session.Service, id string) adk.Session {
	t.Helper()
	r, err := s.Get(t.Context(), &adk.GetRequest{AppName: app, UserID: user, SessionID: id})
	if err != nil {
		t.Fatal(err)
	}
	return r.Session
}

func said(author, text string) *adk.Event {
	e := adk.NewEvent(context.Background(), "run")
	e.Author, e.Content = author, genai.NewContentFromText(text, genai.RoleUser)
	return e
}

func appended(t *testing.T, s *session.Service, to adk.Session, e *adk.Event) {
	t.Helper()
	if err := s.AppendEvent(t.Context(), to, e); err != nil {
		t.Fatal(err)
	}
}

// texts returns the texts of a conversation's events.
func texts(s adk.Session) (all []string) {
	for e := range s.Events().All() {
		all = append(all, e.Content.Parts[0].Text)
	}
	return all
}

// Not in ADK's suite: AppendEvent also updates the given conversation, with temporary
// state, which is not stored; the event itself is unchanged.
func TestAppendUpdatesWhatItIsGiven(t *testing.T) {
	s := session.New(database(t), session.Options{})
	c := begun(t, s, nil)
	before := c.LastUpdateTime()
	e := said("user", "Paris")
	e.Actions.StateDelta = map[string]any{"CITY": "Paris", "temp:n": 1}
	appended(t, s, c, e)
	for key, want := range map[string]any{"CITY": "Paris", "temp:n": 1} {
		if got, err := c.State().Get(key); got != want || err != nil {
			t.Errorf("State().Get(%q) = %v, %v, want %v", key, got, err, want)
		}
	}
	if len(e.Actions.StateDelta) != 2 || len(c.Events().At(0).Actions.StateDelta) != 1 {
		t.Errorf("the event has %v and what is kept of it %v, want 2 keys and 1", e.Actions.StateDelta, c.Events().At(0).Actions.StateDelta)
	}
	if c.Events().Len() != 1 || !c.LastUpdateTime().After(before) {
		t.Errorf("%d events at %v, want 1 after %v", c.Events().Len(), c.LastUpdateTime(), before)
	}
	again := get(t, s, c.ID())
	if _, err := again.State().Get("temp:n"); !errors.Is(err, adk.ErrStateKeyNotExist) {
		t.Errorf("Get has temp:n: %v, want %v", err, adk.ErrStateKeyNotExist)
	}
	if got, _ := again.State().Get("CITY"); got != "Paris" {
		t.Errorf("Get has CITY %v, want Paris", got)
	}
}

// Two processes append to one conversation: nothing is lost, and each one's events keep
// their order. Each starts from what it read, without knowing of the other.
func TestManyWriters(t *testing.T) {
	db := database(t)
	first := begun(t, session.New(db, session.Options{}), nil)
	const writers, each = 4, 25
	var group sync.WaitGroup
	for w := range writers {
		s := session.New(db, session.Options{Patience: time.Minute})
		c := get(t, s, first.ID())
		group.Go(func() {
			for n := range each {
				e := said(fmt.Sprint(w), fmt.Sprint(n))
				e.Actions.StateDelta = map[string]any{fmt.Sprint("last", w): n}
				if err := s.AppendEvent(t.Context(), c, e); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	c := get(t, session.New(db, session.Options{}), first.ID())
	next := map[string]int{}
	for e := range c.Events().All() {
		if got := e.Content.Parts[0].Text; got != fmt.Sprint(next[e.Author]) {
			t.Errorf("writer %s: event %s, want %d", e.Author, got, next[e.Author])
		}
		next[e.Author]++
	}
	for w := range writers {
		own, _ := c.State().Get(fmt.Sprint("last", w))
		if next[fmt.Sprint(w)] != each || own != each-1.0 {
			t.Errorf("writer %d: %d events and the state %v, want %d and %d", w, next[fmt.Sprint(w)], own, each, each-1)
		}
	}
}

// What does not fit is refused, and changes nothing; the oldest events make room for new ones.
func TestSizes(t *testing.T) {
	s := session.New(database(t), session.Options{})
	c := begun(t, s, nil)
	appended(t, s, c, said("user", "before"))
	photo := said("user", "")
	photo.Content = genai.NewContentFromBytes(make([]byte, 300_000), "image/jpeg", genai.RoleUser)
	much := said("user", "much")
	much.Actions.StateDelta = map[string]any{"all": strings.Repeat("a", 1<<20)}
	for name, e := range map[string]*adk.Event{"200 kB": said("user", strings.Repeat("a", 200_000)), "a photo": photo, "1 MiB of state": much} {
		if err := s.AppendEvent(t.Context(), c, e); !errors.Is(err, session.ErrTooLarge) {
			t.Errorf("AppendEvent(%s) = %v, want %v", name, err, session.ErrTooLarge)
		}
	}
	if got := texts(get(t, s, c.ID())); len(got) != 1 || c.Events().Len() != 1 {
		t.Errorf("%d events are kept and %d in hand, want 1", len(got), c.Events().Len())
	}
	large := strings.Repeat("날씨", 20_000) // 120 kB
	for range 9 {
		appended(t, s, c, said("user", large))
	}
	appended(t, s, c, said("user", "after"))
	if got := texts(get(t, s, c.ID())); len(got) != 5 || got[0] != large || got[4] != "after" {
		t.Errorf("%d events are kept, want the four that fit and the last", len(got))
	}
}

// Only the newest events are read, from a turn of the user on, and all state.
func TestNewest(t *testing.T) {
	s := session.New(database(t), session.Options{MaxEvents: 5})
	c := begun(t, s, nil)
	for n := range 4 { // u0 a0 b0 u1 a1 b1 …
		e := said("user", fmt.Sprint("u", n))
		e.Actions.StateDelta = map[string]any{fmt.Sprint("k", n): n}
		appended(t, s, c, e)
		appended(t, s, c, said(app, fmt.Sprint("a", n)))
		appended(t, s, c, said(app, fmt.Sprint("b", n)))
	}
	again := get(t, s, c.ID())
	if got := strings.Join(texts(again), " "); got != "u3 a3 b3" {
		t.Errorf("the newest of 12 events within 5: %s, want u3 a3 b3", got)
	}
	if got, err := again.State().Get("k0"); got != 0.0 || err != nil {
		t.Errorf("state of an event that is not read: %v, %v, want 0", got, err)
	}
	r, err := s.Get(t.Context(), &adk.GetRequest{AppName: app, UserID: user, SessionID: c.ID(), NumRecentEvents: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(texts(r.Session), " "); got != "a3 b3" {
		t.Errorf("2 recent events: %s, want a3 b3", got)
	}
	if got := len(texts(c)); got != 12 {
		t.Errorf("%d events in hand, want 12", got)
	}
}
