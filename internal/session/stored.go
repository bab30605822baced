package session

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/firestore"
	adk "google.golang.org/adk/v2/session"

	"example.com/whatis/internal/store"
)

// A document is a conversation as it is stored, without its events.
type document struct {
	ID      string            `firestore:"id"`
	App     string            `firestore:"app"`
	User    string            `firestore:"user"`
	Epoch   string            `firestore:"epoch"`  // part of its events' IDs; a later conversation with the same ID gets another
	Events  int64             `firestore:"events"` // how many were appended, which is the number of the last
	State   map[string]string `firestore:"state"`  // JSON by key
	Updated time.Time         `firestore:"updated_at"`
	Expires time.Time         `firestore:"expires_at"`
}

// stored is a document with its version: the time of its last write, by the server.
type stored struct {
	document
	version time.Time
}

// begin returns the document of a new conversation, and its initial state by owner.
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

// bounds returns the limits for retrying a write.
func (s *Service) bounds() store.Bounds { return store.Bounds{Total: s.o.Patience} }

// create writes a new conversation, and replaces an expired one with the same ID. Its epoch
// shows whether a write whose response was lost was applied.
func (s *Service) create(ctx context.Context, d document, shared scoped) (at time.Time, err error) {
	var ended time.Time // when the expired one was written; zero if there is none
	err = s.bounds().Write(ctx, func(ctx context.Context) (err error) {
		w := s.batch()
		if ended.IsZero() {
			w.Create(s.doc(d.ID), d)
		} else {
			w.Update(s.doc(d.ID), d.updates(), firestore.LastUpdateTime(ended))
		}
		s.share(w, d, shared)
		at, err = commit(ctx, w)
		return err
	}, func(ctx context.Context) (store.Found, error) {
		there, err := s.fetch(ctx, d.ID)
		before := ended
		ended = there.Updated
		switch {
		case err != nil:
			return store.Unchanged, err
		case there.Value.Epoch == d.Epoch:
			at = there.Updated
			return store.Applied, nil
		case there.Exists:
			return store.Changed, fmt.Errorf("%w: %s", ErrExists, d.ID)
		case ended.Equal(before):
			return store.Unchanged, nil
		}
		return store.Changed, nil
	})
	return at, wrap("create", err)
}

// updates returns updates of all fields of d.
func (d document) updates() []firestore.Update {
	return []firestore.Update{
		{Path: "app", Value: d.App}, {Path: "user", Value: d.User}, {Path: "epoch", Value: d.Epoch}, {Path: "events", Value: d.Events},
		{Path: "state", Value: d.State}, {Path: "updated_at", Value: d.Updated}, {Path: "expires_at", Value: d.Expires},
	}
}

// fetch reads a conversation. A missing or expired one has Exists false, and so has one that another
// version has written so that this one cannot read it: for this one it has ended.
func (s *Service) fetch(ctx context.Context, id string) (store.Doc[document], error) {
	d, err := store.In[document](s.db.Collection(sessions)).Get(ctx, store.HashID(id))
	if store.Gone(err) {
		return d, nil
	}
	if err != nil && !d.Updated.IsZero() {
		slog.WarnContext(ctx, "session: a conversation of another version has ended", "error", err)
		d.Exists = false
		return d, nil
	}
	return d, wrap("read", err)
}

// lookUp reads the conversation with an ID, for any app and user.
func (s *Service) lookUp(ctx context.Context, id string) (stored, error) {
	d, err := s.fetch(ctx, id)
	if err == nil && !d.Exists {
		err = ErrNotFound
	}
	return stored{d.Value, d.Updated}, err
}

// read reads the conversation of an app and a user. Another user's is not found, as if it
// did not exist.
func (s *Service) read(ctx context.Context, app, user, id string) (stored, error) {
	at, err := s.lookUp(ctx, id)
	switch {
	case err != nil:
		return at, err
	case at.User != user || at.App != app:
		return at, ErrNotFound
	}
	return at, nil
}

// A batch's writes are applied all or none, in one call: a transaction needs a further call
// to begin, and BulkWriter's writes succeed or fail one by one.
//
//lint:ignore SA1019 see above
type batch = firestore.WriteBatch

func (s *Service) batch() *batch {
	//lint:ignore SA1019 see batch
	return s.db.Batch()
}

// commit writes w and returns the time of the write, by the server.
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
