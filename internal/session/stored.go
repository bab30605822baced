package session

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	adk "google.golang.org/adk/v2/session"
)

// A document is a conversation as it is stored, without its events.
type document struct {
	ID      string            `firestore:"id"`
	App     string            `firestore:"app"`
	User    string            `firestore:"user"`
	Epoch   string            `firestore:"epoch"`  // of its events: another conversation with this ID has others
	Events  int64             `firestore:"events"` // how many there were, which is the number of the last
	State   map[string]string `firestore:"state"`  // JSON by key
	Updated time.Time         `firestore:"updated_at"`
	Expires time.Time         `firestore:"expires_at"`
}

// stored is a document, and since when it is as it is, by the server.
type stored struct {
	document
	version time.Time
}

// begin is the document of a new conversation, and the state that it shares.
func (s *Service) begin(r *adk.CreateRequest) (document, scoped, error) {
	delta, err := split(r.State)
	if err != nil {
		return document{}, scoped{}, err
	}
	d := document{ID: r.SessionID, App: r.AppName, User: r.UserID, Epoch: NewID(), State: delta.session}
	if d.ID == "" {
		d.ID = NewID()
	}
	d.Updated = time.Now()
	d.Expires = d.Updated.Add(s.o.Retain)
	return d, delta, checkState(delta.session)
}

// create writes a new conversation, in the place of one with its ID that has ended.
func (s *Service) create(ctx context.Context, d document, shared scoped) (time.Time, error) {
	w := s.batch()
	w.Create(s.doc(d.ID), d)
	s.share(w, d, shared)
	at, err := commit(ctx, w)
	if !refused(err) && !passing(err) {
		return at, wrap("create", err)
	}
	there, missed := s.fetch(ctx, d.ID)
	switch {
	case missed != nil:
		return at, missed
	case there.Epoch == d.Epoch: // written after all, by a try whose answer was lost
		return there.version, nil
	case !refused(err):
		return at, wrap("create", err)
	case !there.over:
		return at, fmt.Errorf("%w: %s", ErrExists, d.ID)
	}
	w = s.batch()
	w.Update(s.doc(d.ID), d.updates(), firestore.LastUpdateTime(there.version))
	s.share(w, d, shared)
	at, err = commit(ctx, w)
	if refused(err) {
		return at, fmt.Errorf("%w: %s", ErrExists, d.ID)
	}
	return at, wrap("create", err)
}

// updates are all fields of d.
func (d document) updates() []firestore.Update {
	return []firestore.Update{
		{Path: "app", Value: d.App}, {Path: "user", Value: d.User}, {Path: "epoch", Value: d.Epoch}, {Path: "events", Value: d.Events},
		{Path: "state", Value: d.State}, {Path: "updated_at", Value: d.Updated}, {Path: "expires_at", Value: d.Expires},
	}
}

// fetched is what a read of a conversation gave.
type fetched struct {
	stored
	over bool // it has ended, or there is none
}

func fetchedOf(snap *firestore.DocumentSnapshot) (fetched, error) {
	if !snap.Exists() {
		return fetched{over: true}, nil
	}
	f := fetched{stored: stored{version: snap.UpdateTime}}
	if err := snap.DataTo(&f.document); err != nil {
		return f, fmt.Errorf("session: document %s: %w", snap.Ref.ID, err)
	}
	f.over = !snap.ReadTime.Before(f.Expires)
	return f, nil
}

func (s *Service) fetch(ctx context.Context, id string) (fetched, error) {
	snap, err := s.doc(id).Get(ctx)
	if err != nil && status.Code(err) != codes.NotFound {
		return fetched{}, wrap("read", err)
	}
	return fetchedOf(snap)
}

// lookUp reads the conversation with an ID, whosever it is.
func (s *Service) lookUp(ctx context.Context, id string) (stored, error) {
	at, err := s.fetch(ctx, id)
	if err == nil && at.over {
		err = ErrNotFound
	}
	return at.stored, err
}

// read reads the conversation of an app and a user.
func (s *Service) read(ctx context.Context, app, user, id string) (stored, error) {
	at, err := s.lookUp(ctx, id)
	switch {
	case err != nil:
		return at, err
	case at.User != user:
		return at, ErrForeign
	case at.App != app:
		return at, ErrNotFound
	}
	return at, nil
}

// A batch of writes comes through as one, or not at all, in one call: a transaction
// asks the server for a number first, and BulkWriter's writes stand or fall one by one.
//
//lint:ignore SA1019 see above
type batch = firestore.WriteBatch

func (s *Service) batch() *batch {
	//lint:ignore SA1019 see batch
	return s.db.Batch()
}

// commit writes w and returns when, by the server.
func commit(ctx context.Context, w *batch) (time.Time, error) {
	r, err := w.Commit(ctx)
	if err != nil {
		return time.Time{}, err
	}
	return r[0].UpdateTime, nil
}

func wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("session: %s: %w", operation, err)
}

// refused reports that a write's condition did not hold.
func refused(err error) bool {
	switch status.Code(err) {
	case codes.FailedPrecondition, codes.AlreadyExists, codes.NotFound:
		return true
	}
	return false
}

// passing reports an error that may be gone at the next try, and which leaves open
// whether the write was applied.
func passing(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Aborted, codes.Internal, codes.ResourceExhausted:
		return true
	}
	return false
}
