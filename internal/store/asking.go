package store

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"
)

// A WriteAsking is a write that asks in the same call whether there are other documents.
//
// The writes of a BatchWrite succeed or fail one by one. Each of the others is updated by
// deleting a field that no document has: this changes nothing, not even the time of a document's
// last change, and Firestore refuses it for a missing document.
type WriteAsking struct {
	DB    *firestore.Client
	About []*firestore.DocumentRef // at most 19 fit into the call, further ones make it several
}

// noField is the field that no document has.
const noField = "none"

// Create creates a document. None reports that there are no documents About: it is false if
// there are, or if it could not be known. It is known even if the document exists already.
func (w WriteAsking) Create(ctx context.Context, ref *firestore.DocumentRef, fields any) (at time.Time, none bool, err error) {
	return w.send(ctx, func(b *firestore.BulkWriter) (*firestore.BulkWriterJob, error) { return b.Create(ref, fields) })
}

// Set is Create for a document that may exist, and is replaced.
func (w WriteAsking) Set(ctx context.Context, ref *firestore.DocumentRef, fields any) (at time.Time, none bool, err error) {
	return w.send(ctx, func(b *firestore.BulkWriter) (*firestore.BulkWriterJob, error) { return b.Set(ref, fields) })
}

func (w WriteAsking) send(ctx context.Context, write func(*firestore.BulkWriter) (*firestore.BulkWriterJob, error)) (at time.Time, none bool, err error) {
	b := w.DB.BulkWriter(ctx)
	own, err := write(b)
	if err != nil {
		return at, false, err
	}
	asked := make([]*firestore.BulkWriterJob, len(w.About))
	for i, ref := range w.About {
		if asked[i], err = b.Update(ref, []firestore.Update{{Path: noField, Value: firestore.Delete}}); err != nil {
			return at, false, err
		}
	}
	b.End()
	at, err = updateTime(own.Results())
	none = err == nil || Exists(err) // otherwise the whole call may have failed
	for _, job := range asked {
		_, err := job.Results()
		none = none && Gone(err)
	}
	return at, none, err
}
