// Package session stores conversations in Firestore: short texts, and what the agents remember of
// them. It implements what ADK's runner needs of session.Service, for any number of processes.
//
// A conversation is one document sessions/{digest of its ID} with its state and its newest events.
// Two processes may append to the same one: each append is one write on the condition that the
// conversation has not changed since it was read; the second writer reads it again and retries, or
// gives up where what it writes follows from what it has read (AppendIfUnchanged).
//
// A conversation belongs to its app and its user. It expires Options.Retain after its last event
// and is then no longer found, and so does each event, even if the conversation continues.
// Firestore's TTL policy on expires_at deletes the document later.
package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	adk "google.golang.org/adk/v2/session"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// Errors of the package, for errors.Is.
var (
	ErrNotFound = usererror.New("session", "there is no such conversation, or it has ended: begin a new one")
	ErrExists   = usererror.New("session", "there is a conversation with this ID already")
	ErrTooLarge = usererror.New("session", "too large for a conversation")
	ErrChanged  = usererror.New("session", "this conversation has gone on meanwhile: read it again")
	ErrBusy     = usererror.New("session", "this conversation is written to by too many at once: try again")
)

// What a conversation holds at most: a document of Firestore has 1 MiB. Older events make room for
// new ones. Photos and audio do not fit: they would be sent to the model again at each turn.
const (
	maxEvent = 128 << 10
	maxState = 256 << 10
	maxBytes = 512 << 10 // of all events
)

// Options limit what a Service stores. Values that are not positive mean the default.
type Options struct {
	Retain    time.Duration // how long after its last event a conversation expires: 7 days
	MaxEvents int           // the largest number of events that are kept, the newest: 200
	Patience  time.Duration // how long a write is retried while others write: 20 s
}

// A Service stores conversations. It is safe for concurrent use.
type Service struct {
	ref  *firestore.CollectionRef
	docs store.Collection[document] // read in part: what another version has written may not be readable
	o    Options
}

var _ adk.Service = (*Service)(nil)

// New returns a Service that stores in db.
func New(db *firestore.Client, o Options) *Service {
	o.Retain = cmp.Or(max(o.Retain, 0), 7*24*time.Hour)
	o.MaxEvents = cmp.Or(max(o.MaxEvents, 0), 200)
	o.Patience = cmp.Or(max(o.Patience, 0), 20*time.Second)
	ref := db.Collection("sessions")
	return &Service{ref, store.In[document](ref).Within(store.Bounds{Total: o.Patience}).InPart(), o}
}

// NewID returns the ID of a new conversation: 128 random bits.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// User returns the user to whom a conversation belongs: caller, or the conversation's ID if
// there is no known caller.
func User(caller, id string) string { return cmp.Or(caller, id) }

// A document is a conversation as it is stored.
type document struct {
	ID      string    `firestore:"id"`
	App     string    `firestore:"app"`
	User    string    `firestore:"user"`
	State   string    `firestore:"state"`  // a JSON object
	Events  []string  `firestore:"events"` // JSON, oldest first
	Updated time.Time `firestore:"updated_at"`
	Expires time.Time `firestore:"expires_at"`
}

// setState sets those keys of d that are not temporary.
func (d *document) setState(state map[string]any) error {
	whole := d.state()
	maps.Copy(whole, state)
	maps.DeleteFunc(whole, func(key string, _ any) bool { return temporary(key) })
	data, err := json.Marshal(whole)
	if err != nil {
		return fmt.Errorf("session: state: %w", err)
	}
	if len(data) > maxState {
		return fmt.Errorf("%w: its state would have %d bytes, at most %d", ErrTooLarge, len(data), maxState)
	}
	d.State = string(data)
	return nil
}

// state returns the state of d. One that another version has written so that this one cannot read it
// is left out.
func (d document) state() map[string]any {
	state := map[string]any{}
	if err := json.Unmarshal([]byte(cmp.Or(d.State, "{}")), &state); err != nil {
		slog.Warn("session: the state of another version is left out", "error", err)
	}
	return state
}

// add adds events and what they change in the state; the oldest of all make room.
func (s *Service) add(d *document, events []*adk.Event) error {
	d.Events = slices.Clip(d.Events)
	for _, e := range events {
		if len(e.Actions.StateDelta) > 0 {
			if err := d.setState(e.Actions.StateDelta); err != nil {
				return err
			}
		}
		data, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("session: event %s: %w", e.ID, err)
		}
		if len(data) > maxEvent {
			return fmt.Errorf("%w: an event of %d bytes, at most %d: keep a file in a bucket, and in the event where it is", ErrTooLarge, len(data), maxEvent)
		}
		d.Events = append(d.Events, string(data))
	}
	first, size := len(d.Events), 0
	for first > max(0, len(d.Events)-s.o.MaxEvents) && size+len(d.Events[first-1]) <= maxBytes {
		first--
		size += len(d.Events[first])
	}
	if d.Events = d.Events[first:]; first > 0 {
		d.Events = d.Events[turn(decoded(d.Events)):]
	}
	d.Updated = time.Now()
	d.Expires = d.Updated.Add(s.o.Retain)
	return nil
}

// Create starts a conversation, with a new ID unless the request has one.
func (s *Service) Create(ctx context.Context, r *adk.CreateRequest) (*adk.CreateResponse, error) {
	if r.AppName == "" || r.UserID == "" {
		return nil, fmt.Errorf("session: create: an app and a user are needed, got %q and %q", r.AppName, r.UserID)
	}
	d := document{ID: cmp.Or(r.SessionID, NewID()), App: r.AppName, User: r.UserID}
	if err := d.setState(r.State); err != nil {
		return nil, err
	}
	if err := s.add(&d, nil); err != nil {
		return nil, err
	}
	at, err := s.docs.Create(ctx, store.HashID(d.ID), d)
	if store.Exists(err) {
		return nil, fmt.Errorf("%w: %s", ErrExists, d.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("session: create: %w", err)
	}
	return &adk.CreateResponse{Session: s.opened(at)}, nil
}

// Get reads a conversation with its newest events: at most as many as the request says. Where older
// ones have made room or expired, the first one starts a turn of the user.
func (s *Service) Get(ctx context.Context, r *adk.GetRequest) (*adk.GetResponse, error) {
	if r.AppName == "" || r.UserID == "" || r.SessionID == "" {
		return nil, fmt.Errorf("session: get: an app, a user and an ID are needed, got %q, %q and %q", r.AppName, r.UserID, r.SessionID)
	}
	at, err := s.read(ctx, r.SessionID)
	if err == nil && (at.Value.App != r.AppName || at.Value.User != r.UserID) {
		err = ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	c := s.opened(at)
	if n := r.NumRecentEvents; n > 0 && n < len(c.events) {
		c.events = c.events[len(c.events)-n:]
	}
	c.events = slices.DeleteFunc(c.events, func(e *adk.Event) bool { return e.Timestamp.Before(r.After) })
	return &adk.GetResponse{Session: c}, nil
}

// read reads the conversation with an ID.
func (s *Service) read(ctx context.Context, id string) (store.Doc[document], error) {
	d, err := s.docs.Get(ctx, store.HashID(id))
	if store.Gone(err) {
		return d, ErrNotFound
	}
	if err != nil {
		return d, fmt.Errorf("session: read: %w", err)
	}
	return d, nil
}

// AppendEvent stores an event, unless it is partial, together with its changes of the
// state, and applies both to the conversation it is given. Events that others appended
// meanwhile come before it when the conversation is read again.
func (s *Service) AppendEvent(ctx context.Context, to adk.Session, e *adk.Event) error {
	if e != nil && e.Partial {
		return nil
	}
	return s.append(ctx, to, false, e)
}

// AppendIfUnchanged stores events, all or none, as AppendEvent does, unless others have
// appended to the conversation since it was read: then it returns ErrChanged.
func (s *Service) AppendIfUnchanged(ctx context.Context, to adk.Session, events ...*adk.Event) error {
	return s.append(ctx, to, true, events...)
}

func (s *Service) append(ctx context.Context, to adk.Session, unchanged bool, events ...*adk.Event) error {
	if to == nil || len(events) == 0 || slices.Contains(events, nil) {
		return errors.New("session: append: a session and an event are needed")
	}
	c, ok := to.(*conversation)
	if !ok {
		return fmt.Errorf("session: append: %T %s was not read from here", to, to.ID())
	}
	kept := make([]*adk.Event, len(events))
	for i, e := range events {
		kept[i] = withoutTemp(e)
	}
	at := c.at()
	if err := s.add(&at.Value, kept); err != nil {
		return err
	}
	at, err := s.docs.Save(ctx, at)
	if errors.Is(err, store.ErrChanged) && !unchanged {
		at, err = s.docs.Update(ctx, at.ID, func(d *store.Doc[document]) error { return s.add(&d.Value, kept) })
	}
	switch {
	case store.Gone(err) || errors.Is(err, store.ErrChanged) && !at.Exists:
		return ErrNotFound
	case errors.Is(err, store.ErrChanged):
		return ErrChanged
	case errors.Is(err, store.ErrBusy):
		return ErrBusy
	case err != nil:
		return fmt.Errorf("session: append: %w", err)
	}
	c.add(events, kept, at)
	return nil
}

// Delete deletes a conversation. A missing one is not an error.
func (s *Service) Delete(ctx context.Context, r *adk.DeleteRequest) error {
	if r.AppName == "" || r.UserID == "" || r.SessionID == "" {
		return fmt.Errorf("session: delete: an app, a user and an ID are needed, got %q, %q and %q", r.AppName, r.UserID, r.SessionID)
	}
	at, err := s.docs.Get(ctx, store.HashID(r.SessionID))
	if store.Gone(err) || err == nil && (at.Value.App != r.AppName || at.Value.User != r.UserID) {
		return nil
	}
	if err == nil {
		_, err = s.ref.Doc(at.ID).Delete(ctx) // whatever is appended meanwhile
	}
	if err != nil {
		return fmt.Errorf("session: delete: %w", err)
	}
	return nil
}

// List is not offered: whoever has a conversation knows its ID.
func (s *Service) List(context.Context, *adk.ListRequest) (*adk.ListResponse, error) {
	return nil, fmt.Errorf("session: list: %w", errors.ErrUnsupported)
}
