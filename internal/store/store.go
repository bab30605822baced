// Package store keeps typed documents in Firestore. It holds the one loop that
// repeats a write, and the one table of Firestore's error codes.
//
//	Get, List, Page → Doc[T] → Save: written if it is still as it was read
//	                           Change: read, decided and written again until that holds
//
// There are no transactions. A write carries the update time of the document that it
// rests on, and is refused when another writer came first. Firestore's client sends a
// Commit again after Unavailable and ResourceExhausted, so that a refusal may be about
// an earlier try of the same call whose response was lost. Each write therefore sets
// the field write_id to a random value: after an error the document is read, and if it
// has that value the write was applied.
//
// The times of a Doc come from Firestore. The machine's clock decides nothing.
//
// A document whose field expires_at lies before the time of a read does not exist for
// this package. Firestore's TTL policy on that field deletes it within a day.
package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/usererror"
)

// Fields that this package reads or writes beside those of a document's type.
const (
	writeID = "write_id"
	expires = "expires_at"
)

// Errors of the package, for errors.Is.
var (
	ErrNotFound = errors.New("store: there is no such document")
	ErrExists   = errors.New("store: there is such a document already")
	ErrChanged  = errors.New("store: another writer has changed the document")
	ErrBusy     = usererror.New("store", "others change the same at this moment: send it again")
	ErrCursor   = usererror.New("store", "not a cursor")
)

// patience is how long Save, Create and Change repeat a write.
const patience = 20 * time.Second

// A Collection keeps documents of type T, a struct with firestore tags. It is safe
// for concurrent use.
type Collection[T any] struct {
	ref    *firestore.CollectionRef
	bounds Bounds
}

// In returns the documents of a collection.
func In[T any](ref *firestore.CollectionRef) Collection[T] {
	return Collection[T]{ref, Bounds{Total: patience}}
}

// Within returns c with another bound of how long a write is repeated.
func (c Collection[T]) Within(b Bounds) Collection[T] { return Collection[T]{c.ref, b} }

// A Doc is a document as it was read, or as it is to be written.
type Doc[T any] struct {
	ID      string
	Exists  bool // false if there is none, or if it has expired
	Value   T
	Read    time.Time // when Firestore answered; zero of a document that was not read
	Updated time.Time // when it was last written; zero if Firestore has none

	snap *firestore.DocumentSnapshot // what was read; nil if nothing was
}

// Get reads a document. Without one it returns ErrNotFound, and a Doc that Save creates.
func (c Collection[T]) Get(ctx context.Context, id string) (Doc[T], error) {
	d, err := c.read(ctx, id)
	if err == nil && !d.Exists {
		err = fmt.Errorf("%w: %s/%s", ErrNotFound, c.ref.ID, id)
	}
	return d, err
}

// read reads a document that there may be.
func (c Collection[T]) read(ctx context.Context, id string) (Doc[T], error) {
	snap, err := c.ref.Doc(id).Get(ctx)
	if Gone(err) && snap != nil {
		return Doc[T]{ID: id, Read: snap.ReadTime}, nil
	}
	if err != nil {
		return Doc[T]{ID: id}, fmt.Errorf("store: read %s/%s: %w", c.ref.ID, id, err)
	}
	return Parse[T](snap)
}

// Parse is a document that was read by other means, such as a query for many.
func Parse[T any](snap *firestore.DocumentSnapshot) (Doc[T], error) {
	d := Doc[T]{ID: snap.Ref.ID, Read: snap.ReadTime}
	if !snap.Exists() {
		return d, nil
	}
	d.Updated, d.snap = snap.UpdateTime, snap
	at, _ := snap.DataAt(expires) // without the field it never expires
	end, ok := at.(time.Time)
	d.Exists = !ok || end.IsZero() || snap.ReadTime.Before(end)
	if err := snap.DataTo(&d.Value); err != nil {
		return d, fmt.Errorf("store: document %s/%s: %w", snap.Ref.Parent.ID, snap.Ref.ID, err)
	}
	return d, nil
}

// Create writes a new document, in the place of one that has expired. If there is one
// it returns that and ErrExists.
func (c Collection[T]) Create(ctx context.Context, id string, value T) (Doc[T], error) {
	d, err := c.Save(ctx, Doc[T]{ID: id, Exists: true, Value: value})
	for errors.Is(err, ErrChanged) && !d.Exists {
		d.Exists, d.Value = true, value
		d, err = c.Save(ctx, d)
	}
	if errors.Is(err, ErrChanged) {
		err = fmt.Errorf("%w: %s/%s", ErrExists, c.ref.ID, id)
	}
	return d, err
}

// Save writes what of d differs from what was read: it creates the document if there
// was none, and deletes it if Exists is false now. A Doc with an Updated that was not
// read stands for that version of the document, of which it writes all fields. If
// another writer came first it returns what there is now, and ErrChanged.
func (c Collection[T]) Save(ctx context.Context, d Doc[T]) (Doc[T], error) {
	base, err := d.again()
	if err != nil {
		return d, err
	}
	w := c.write(base)
	w.next = d
	err = c.bounds.Write(ctx, w.send, func(ctx context.Context) (Found, error) {
		found, err := w.check(ctx)
		if found == Changed && err == nil {
			w.next, err = w.base, fmt.Errorf("%w: %s/%s", ErrChanged, c.ref.ID, d.ID)
		}
		return found, err
	})
	return w.next, err
}

// Change has decide change the document called id, which may be absent, and saves
// that. If another writer comes first it reads the document and decides again. What
// decide leaves as it was is not written; an error of decide ends the change.
func (c Collection[T]) Change(ctx context.Context, id string, decide func(*Doc[T]) error) (Doc[T], error) {
	ctx, cancel := c.bounds.limit(ctx)
	defer cancel()
	var w *write[T]
	err := c.bounds.Read(ctx, func(ctx context.Context) error {
		d, err := c.read(ctx, id)
		w = c.write(d)
		return err
	})
	if err != nil {
		return w.base, err
	}
	var refused error
	err = c.bounds.Write(ctx, func(ctx context.Context) (err error) {
		if w.next, err = w.base.again(); err == nil {
			refused = decide(&w.next)
		}
		if err != nil || refused != nil {
			return err
		}
		return w.send(ctx)
	}, w.check)
	if err == nil {
		err = refused
	}
	return w.next, err
}

// Update is Change for a document that must exist: without one it returns ErrNotFound.
func (c Collection[T]) Update(ctx context.Context, id string, decide func(*Doc[T]) error) (Doc[T], error) {
	return c.Change(ctx, id, func(d *Doc[T]) error {
		if !d.Exists {
			return fmt.Errorf("%w: %s/%s", ErrNotFound, c.ref.ID, id)
		}
		return decide(d)
	})
}

// A Query is a firestore.Query or a firestore.VectorQuery.
type Query interface {
	Documents(context.Context) *firestore.DocumentIterator
}

// List returns the documents that q finds, without those that have expired.
func List[T any](ctx context.Context, q Query) ([]Doc[T], error) {
	snaps, err := q.Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("store: list: %w", err)
	}
	return parseAll[T](snaps)
}

func parseAll[T any](snaps []*firestore.DocumentSnapshot) ([]Doc[T], error) {
	docs := make([]Doc[T], 0, len(snaps))
	for _, snap := range snaps {
		d, err := Parse[T](snap)
		if err != nil {
			return nil, err
		}
		if d.Exists {
			docs = append(docs, d)
		}
	}
	return docs, nil
}
