package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	adk "google.golang.org/adk/v2/session"

	"example.com/whatis/internal/store"
)

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

// append stores events. With unchanged it does so only if the conversation is as it was read.
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
	w, err := newAppend(kept)
	if err != nil {
		return err
	}
	at, err := s.write(ctx, c.at(), unchanged, w)
	if err != nil {
		return err
	}
	for i, e := range events {
		c.add(e, kept[i], at)
	}
	return nil
}

// An appending is events that are being written.
type appending struct {
	token string // identifies the write if its response was lost
	parts [][][]byte
	delta scoped
}

func newAppend(events []*adk.Event) (w appending, err error) {
	w.token = NewID()
	state := map[string]any{}
	for _, e := range events {
		maps.Copy(state, e.Actions.StateDelta)
	}
	if w.delta, err = split(state); err != nil {
		return w, err
	}
	for _, e := range events {
		parts, err := encode(e)
		if err != nil {
			return w, err
		}
		w.parts = append(w.parts, parts)
	}
	return w, nil
}

// write writes w after the events that are stored, also while other writers append, unless it
// may only go behind those that were read. Its token shows whether a write whose response was
// lost was applied.
func (s *Service) write(ctx context.Context, at stored, unchanged bool, w appending) (stored, error) {
	err := s.bounds().Write(ctx, func(ctx context.Context) error {
		next, err := s.writeOnce(ctx, at, w)
		if err == nil {
			at = next
		}
		return err
	}, func(ctx context.Context) (store.Found, error) {
		there, applied, err := s.readAgain(ctx, at, w)
		before := at.version
		switch {
		case err != nil:
			return store.Unchanged, err
		case applied:
			at = there
			return store.Applied, nil
		case there.version.Equal(before):
			return store.Unchanged, nil
		case unchanged:
			return store.Changed, ErrChanged
		}
		at = there
		return store.Changed, nil
	})
	if errors.Is(err, store.ErrBusy) {
		err = ErrBusy
	}
	return at, wrap("append", err)
}

// writeOnce writes w if the conversation is still in version at.
func (s *Service) writeOnce(ctx context.Context, at stored, w appending) (stored, error) {
	next := at
	next.State = merged(at.State, w.delta.session)
	if err := checkState(next.State); err != nil {
		return at, err
	}
	next.Events += int64(len(w.parts))
	next.Updated = time.Now()
	next.Expires = next.Updated.Add(s.o.Retain)
	b := s.batch()
	b.Update(s.doc(at.ID), next.changes(w.delta.session), firestore.LastUpdateTime(at.version))
	for i, parts := range w.parts {
		s.addEvent(b, next.document, at.Events+1+int64(i), w.token, parts)
	}
	s.share(b, next.document, w.delta)
	var err error
	next.version, err = commit(ctx, b)
	return next, err
}

// changes returns the fields of a conversation that an append writes.
func (d document) changes(delta map[string]string) []firestore.Update {
	all := []firestore.Update{
		{Path: "events", Value: d.Events}, {Path: "updated_at", Value: d.Updated}, {Path: "expires_at", Value: d.Expires},
	}
	for key, text := range delta {
		all = append(all, firestore.Update{FieldPath: firestore.FieldPath{"state", key}, Value: text})
	}
	return all
}

// readAgain reads after a failed write whether it was applied after all, and the
// conversation as it is now.
func (s *Service) readAgain(ctx context.Context, at stored, w appending) (there stored, applied bool, err error) {
	snaps, err := s.db.GetAll(ctx, []*firestore.DocumentRef{s.doc(at.ID), s.event(at.document, at.Events+1, 0)})
	if err != nil {
		return at, false, err
	}
	d, err := store.Parse[document](snaps[0])
	if err != nil {
		return at, false, err
	}
	if !d.Exists || d.Value.Epoch != at.Epoch {
		return at, false, ErrNotFound
	}
	written, _ := snaps[1].DataAt("token") // no such field if there is no such event
	return stored{d.Value, d.Updated}, written == w.token, nil
}
