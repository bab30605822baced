// Package session keeps conversations in Firestore: it is ADK's session.Service for
// any agent and any number of processes.
//
//	Create → AppendEvent, AppendEvent, … → Get: the newest events, and the state
//	                                      → Find: the same for whoever has the ID
//
// A conversation is a document sessions/{digest of its ID} with its state, and a
// document session_events/{epoch-number} below it for each event; what does not fit
// into one continues in others. State of an app (app:) and of a user (user:) stands
// in session_state, one key at a time, so that two writers of two keys both win.
//
// Two processes may speak in the same conversation: each append is one atomic write
// under the condition that the conversation is as it was read; whoever comes second
// reads its number again and tries anew. There are no transactions and no locks.
//
// A conversation belongs to its app and its user, and ends so long after its last
// event as Options.Retain says, from then on it is not found; what was said so long
// ago is forgotten even where the conversation goes on. Firestore's TTL policies on
// expires_at delete it later. An app's own state has no end.
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
	ErrForeign  = usererror.New("session", "this conversation is another user's: begin one of your own")
	ErrExists   = usererror.New("session", "there is a conversation with this ID already")
	ErrTooLarge = usererror.New("session", "too large for a conversation")
	ErrBusy     = usererror.New("session", "this conversation is written to by too many at once: try again")
)

// Options bound what a Service keeps. A value that is not positive means its default.
type Options struct {
	Retain    time.Duration // how long after its last event a conversation ends: 7 days
	MaxEvents int           // how many events are read back at most, the newest: 200
	Patience  time.Duration // how long a write goes on trying against other writers: 20 s
}

// A Service keeps conversations. It is safe for concurrent use.
type Service struct {
	db *firestore.Client
	o  Options
}

var _ adk.Service = (*Service)(nil)

// New returns the conversations in db.
func New(db *firestore.Client, o Options) *Service {
	o.Retain = cmp.Or(max(o.Retain, 0), 7*24*time.Hour)
	o.MaxEvents = cmp.Or(max(o.MaxEvents, 0), 200)
	o.Patience = cmp.Or(max(o.Patience, 0), 20*time.Second)
	return &Service{db, o}
}

// NewID is the ID of a new conversation: 128 random bits, which nobody guesses.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// User is whose a conversation is: the caller's, where somebody says who that is, else
// whoever's has its ID. So nobody who has no name shares user: state with others.
func User(caller, id string) string { return cmp.Or(caller, id) }

func (s *Service) doc(id string) *firestore.DocumentRef {
	return s.db.Collection(sessions).Doc(store.HashID(id))
}

// Create begins a conversation, under a new ID unless the request brings one.
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

// Get reads a conversation with its newest events: as many as the request wants, and
// no more than Options.MaxEvents. Where more were said than that, they begin with a
// turn of the user's.
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

// open reads what belongs to a conversation.
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
