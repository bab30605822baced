package store

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/uuid"
)

// A write is a document that is being written, in one or more tries.
type write[T any] struct {
	Collection[T]
	base  Doc[T] // the version the write is based on
	next  Doc[T] // what is written
	token string // of write_id
}

func (c Collection[T]) write(base Doc[T]) *write[T] {
	return &write[T]{Collection: c, base: base, token: uuid.NewString()}
}

// send makes one try, if there is anything to change.
func (w *write[T]) send(ctx context.Context) error {
	at, err := w.commit(ctx)
	if err != nil {
		return fmt.Errorf("store: write %s/%s: %w", w.ref.ID, w.base.ID, err)
	}
	if !at.IsZero() {
		stamp(&w.next.Value, at)
		w.next.Updated, w.next.snap = at, nil
	}
	return nil
}

func (w *write[T]) commit(ctx context.Context) (time.Time, error) {
	ref, unchanged := w.ref.Doc(w.base.ID), firestore.LastUpdateTime(w.base.Updated)
	switch absent := w.base.Updated.IsZero(); {
	case absent && !w.next.Exists:
		return time.Time{}, nil
	case absent:
		return updateTime(ref.Create(ctx, newFields(w.next.Value, w.token)))
	case !w.next.Exists && !w.base.Exists && w.base.snap != nil:
		return time.Time{}, nil // it has expired
	case !w.next.Exists:
		return updateTime(ref.Delete(ctx, unchanged))
	}
	updates, err := w.updates()
	if err != nil || len(updates) == 0 {
		return time.Time{}, err
	}
	return updateTime(ref.Update(ctx, append(updates, firestore.Update{Path: writeID, Value: w.token}), unchanged))
}

// updates returns the fields of next that differ from what was read.
func (w *write[T]) updates() ([]firestore.Update, error) {
	if w.next.snap == nil || !w.base.Exists {
		return changes(nil, w.next.Value), nil
	}
	before, err := w.next.again()
	return changes(&before.Value, w.next.Value), err
}

// check reads the document after an error, to learn what happened to the write. If another
// writer was first, the write is based on that version from then on.
func (w *write[T]) check(ctx context.Context) (Found, error) {
	there, err := w.read(ctx, w.base.ID)
	if err != nil {
		return Unchanged, err
	}
	var token any
	if there.snap != nil {
		token, _ = there.snap.DataAt(writeID)
	}
	switch {
	case token == w.token, !w.next.Exists && there.Updated.IsZero():
		w.next = there
		return Applied, nil
	case there.Updated.Equal(w.base.Updated):
		return Unchanged, nil
	}
	w.base = there
	return Changed, nil
}

// again returns d as it was read, decoded anew so that it shares no memory with d.
func (d Doc[T]) again() (Doc[T], error) {
	if d.snap == nil {
		return d, nil
	}
	return parse[T](d.snap, d.inPart)
}

func updateTime(r *firestore.WriteResult, err error) (time.Time, error) {
	if err != nil {
		return time.Time{}, err
	}
	return r.UpdateTime, nil
}
