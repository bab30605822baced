// Package store reads and writes typed documents in Firestore. It has the one loop that
// retries writes and the one table of Firestore's error codes.
//
//	Get, List, Page → Doc[T] → Save: written if it is still as it was read
//	                           Change: read, decided and written again until that holds
//
// There are no transactions. A write carries the update time of the document version it is
// based on, and is refused if another writer was first. Firestore's client sends a Commit
// again after Unavailable and ResourceExhausted, so that a refusal may be caused by an
// earlier try of the same call whose response was lost. Each write therefore sets the field
// write_id to a random value: after an error the document is read, and if it has that value
// the write was applied.
//
// The times of a Doc come from Firestore. The clock of this machine is not used.
//
// A document whose field expires_at is before the time of a read counts as absent.
// Firestore's TTL policy on that field deletes it within a day.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/usererror"
)

// Fields that this package adds to those of a document's type.
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

// patience is how long Save, Create and Change retry a write.
const patience = 20 * time.Second

// A Collection stores documents of type T, a struct with firestore tags. It is safe for
// concurrent use.
type Collection[T any] struct {
	ref    *firestore.CollectionRef
	bounds Bounds
	inPart bool
}

// In returns the documents of a collection.
func In[T any](ref *firestore.CollectionRef) Collection[T] {
	return Collection[T]{ref: ref, bounds: Bounds{Total: patience}}
}

// Within returns c with other limits for retrying a write.
func (c Collection[T]) Within(b Bounds) Collection[T] {
	c.bounds = b
	return c
}

// InPart returns c for what is only shown, or changed in fields that are known: a field that this
// version cannot read counts as missing (Readable), and stays as it is unless it is set.
func (c Collection[T]) InPart() Collection[T] {
	c.inPart = true
	return c
}

// A Doc is a document as it was read, or as it is to be written.
type Doc[T any] struct {
	ID      string
	Exists  bool // false if it is missing or has expired
	Value   T
	Read    time.Time // the time of Firestore's response; zero if it was not read
	Updated time.Time // when it was last written; zero if Firestore has none

	snap   *firestore.DocumentSnapshot // as it was read; nil if it was not
	inPart bool
}

// Get reads a document. If it does not exist, Get returns ErrNotFound, with a Doc that Save
// will create.
func (c Collection[T]) Get(ctx context.Context, id string) (Doc[T], error) {
	d, err := c.read(ctx, id)
	if err == nil && !d.Exists {
		err = fmt.Errorf("%w: %s/%s", ErrNotFound, c.ref.ID, id)
	}
	return d, err
}

// read reads a document that may be missing.
func (c Collection[T]) read(ctx context.Context, id string) (Doc[T], error) {
	snap, err := c.ref.Doc(id).Get(ctx)
	if Gone(err) && snap != nil {
		return Doc[T]{ID: id, Read: snap.ReadTime}, nil
	}
	if err != nil {
		return Doc[T]{ID: id}, fmt.Errorf("store: read %s/%s: %w", c.ref.ID, id, err)
	}
	return parse[T](snap, c.inPart)
}

// Parse decodes a document that was read by other means, such as a query.
func Parse[T any](snap *firestore.DocumentSnapshot) (Doc[T], error) { return parse[T](snap, false) }

func parse[T any](snap *firestore.DocumentSnapshot, inPart bool) (Doc[T], error) {
	d := Doc[T]{ID: snap.Ref.ID, Read: snap.ReadTime, inPart: inPart}
	if !snap.Exists() {
		return d, nil
	}
	d.Updated, d.snap = snap.UpdateTime, snap
	at, _ := snap.DataAtPath(firestore.FieldPath{expires}) // without the field the document never expires
	end, ok := at.(time.Time)
	d.Exists = !ok || end.IsZero() || snap.ReadTime.Before(end)
	if inPart {
		Readable(snap, &d.Value)
		return d, nil
	}
	if err := snap.DataTo(&d.Value); err != nil {
		return d, fmt.Errorf("store: document %s/%s: %w", snap.Ref.Parent.ID, snap.Ref.ID, err)
	}
	return d, nil
}

// Readable is snap.DataTo(to), a pointer to a struct, for what is only shown or erased: a field
// that this version cannot read, as another has written it, counts as missing.
func Readable(snap *firestore.DocumentSnapshot, to any) {
	err := snap.DataTo(to)
	if err == nil {
		return
	}
	slog.Warn("document not read in full", "document", snap.Ref.Parent.ID+"/"+snap.Ref.ID, "error", err)
	v := reflect.ValueOf(to).Elem()
	v.SetZero()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.IsExported() || f.Anonymous {
			continue
		}
		one := reflect.New(reflect.StructOf([]reflect.StructField{{Name: f.Name, Type: f.Type, Tag: f.Tag}}))
		if snap.DataTo(one.Interface()) == nil {
			v.FieldByIndex(f.Index).Set(one.Elem().Field(0))
		}
	}
}

// Create writes a new document, and replaces an expired one. If the document exists, Create
// returns it with ErrExists.
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

// Save writes the fields of d that differ from what was read: it creates the document if it
// was missing, and deletes it if Exists is now false. For a Doc that was not read but has
// Updated set, Save writes all fields, on the condition that this is the document's
// version. If another writer was first, it returns the current document with ErrChanged.
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

// Change calls decide to change the document with that ID, which may be missing, and saves
// the change. If another writer was first, it reads the document and calls decide again.
// Unchanged fields are not written; an error of decide ends the change.
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

// Update is Change for a document that must exist; otherwise it returns ErrNotFound.
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

// List returns the documents that q matches, without expired ones.
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
