// Package session stores conversations in Firestore. It implements ADK's session.Service
// for any agent and any number of processes.
//
//	Create → AppendEvent, AppendEvent, … → Get: the newest events, and the state
//	                                      → Find: the same, by ID alone
//
// A conversation is a document sessions/{digest of its ID} with its state, and below it a
// document session_events/{epoch-number} for each event; large events continue in further
// documents. State of an app (app:) and of a user (user:) is stored in session_state, one
// field per key, so that concurrent writers of different keys do not conflict.
//
// Two processes may append to the same conversation. Each append is one atomic write on the
// condition that the conversation has not changed since it was read; the second writer
// reads it again and retries, or gives up where what it writes follows from what it has read
// (AppendIfUnchanged). There are no transactions and no locks.
//
// A conversation belongs to its app and its user. It expires Options.Retain after its last
// event and is then no longer found; each event expires the same time after it was written,
// even if the conversation continues. Firestore's TTL policies on expires_at delete the
// documents later. State of an app does not expire.
package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
	adk "google.golang.org/adk/v2/session"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// The Firestore collections.
const (
	sessions = "sessions"
	events   = "session_events" // below each session
	states   = "session_state"
)

// Errors of the package, for errors.Is.
var (
	ErrNotFound = usererror.New("session", "there is no such conversation, or it has ended: begin a new one")
	ErrExists   = usererror.New("session", "there is a conversation with this ID already")
	ErrTooLarge = usererror.New("session", "too large for a conversation")
	ErrChanged  = usererror.New("session", "this conversation has gone on meanwhile: read it again")
	ErrBusy     = usererror.New("session", "this conversation is written to by too many at once: try again")
)

// Options limit what a Service stores. Values that are not positive mean the default.
type Options struct {
	Retain    time.Duration // how long after its last event a conversation expires: 7 days
	MaxEvents int           // the largest number of events that are read, the newest: 200
	Patience  time.Duration // how long a write is retried while others write: 20 s
}

// A Service stores conversations. It is safe for concurrent use.
type Service struct {
	db *firestore.Client
	o  Options
}

var _ adk.Service = (*Service)(nil)

// New returns a Service that stores in db.
func New(db *firestore.Client, o Options) *Service {
	o.Retain = cmp.Or(max(o.Retain, 0), 7*24*time.Hour)
	o.MaxEvents = cmp.Or(max(o.MaxEvents, 0), 200)
	o.Patience = cmp.Or(max(o.Patience, 0), 20*time.Second)
	return &Service{db, o}
}

// NewID returns the ID of a new conversation: 128 random bits.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// User returns the user to whom a conversation belongs: caller, or the conversation's ID if
// there is no known caller. So callers without a name share no user: state.
func User(caller, id string) string { return cmp.Or(caller, id) }

func (s *Service) doc(id string) *firestore.DocumentRef {
	return s.db.Collection(sessions).Doc(store.HashID(id))
}

// Create starts a conversation, with a new ID unless the request has one.
func (s *Service) Create(ctx context.Context, r *adk.CreateRequest) (*adk.CreateResponse, error) {
	if r.AppName == "" || r.UserID == "" {
		return nil, fmt.Errorf("session: create: an app and a user are needed, got %q and %q", r.AppName, r.UserID)
	}
	d, shared, err := s.begin(r)
	if err != nil {
		return nil, err
	}
	updated, err := s.create(ctx, d, shared)
	if err != nil {
		return nil, err
	}
	c := &conversation{stored: stored{d, updated}}
	if c.state, err = s.wholeState(ctx, d); err != nil {
		return nil, err
	}
	return &adk.CreateResponse{Session: c}, nil
}

// Get reads a conversation with its newest events: at most as many as the request says, and
// at most Options.MaxEvents. If older events are left out, the first one returned starts a
// turn of the user.
func (s *Service) Get(ctx context.Context, r *adk.GetRequest) (*adk.GetResponse, error) {
	if r.AppName == "" || r.UserID == "" || r.SessionID == "" {
		return nil, fmt.Errorf("session: get: an app, a user and an ID are needed, got %q, %q and %q", r.AppName, r.UserID, r.SessionID)
	}
	at, err := s.read(ctx, r.AppName, r.UserID, r.SessionID)
	if err != nil {
		return nil, err
	}
	c, err := s.open(ctx, at, r.NumRecentEvents, r.After)
	if err != nil {
		return nil, err
	}
	return &adk.GetResponse{Session: c}, nil
}

// open reads the events and the state of a conversation.
func (s *Service) open(ctx context.Context, at stored, most int, after time.Time) (*conversation, error) {
	c := &conversation{stored: at}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		c.state, err = s.wholeState(ctx, at.document)
		return err
	})
	group.Go(func() (err error) {
		c.events, err = s.newest(ctx, at, most, after)
		return err
	})
	return c, group.Wait()
}
