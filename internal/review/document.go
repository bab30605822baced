package review

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/internal/catalog"
)

// collection is the Firestore collection of the reviews.
const collection = "reviews"

// A document is a review as it is stored.
type document struct {
	Verdict   string           `firestore:"verdict"`
	By        string           `firestore:"by"`
	At        time.Time        `firestore:"at,serverTimestamp"`
	Fields    string           `firestore:"fields"`
	Revision  int64            `firestore:"revision"`
	Settled   int64            `firestore:"settled"`
	Confirms  string           `firestore:"confirms"`
	Rejects   string           `firestore:"rejects"`
	Product   *catalog.Product `firestore:"product"`
	Photo     string           `firestore:"photo"`
	Touched   []string         `firestore:"touched"`
	History   []Entry          `firestore:"history"`
	Forgotten bool             `firestore:"forgotten"`

	id      string
	updated time.Time // by the server; zero if there is no document
}

func (d *Desk) ref(id string) *firestore.DocumentRef { return d.DB.Collection(collection).Doc(id) }

// read reads the review of a result; one that there is not has no revision.
func (d *Desk) read(ctx context.Context, id string) (document, error) {
	snap, err := d.ref(id).Get(ctx)
	if status.Code(err) == codes.NotFound {
		return document{id: id}, nil
	}
	if err != nil {
		return document{}, fmt.Errorf("review: read %s: %w", id, err)
	}
	doc := document{id: id, updated: snap.UpdateTime}
	if err := snap.DataTo(&doc); err != nil {
		return doc, fmt.Errorf("review: document %s: %w", id, err)
	}
	return doc, nil
}

// write stores doc if it is still as it was read, and reports false if it is not.
func (d *Desk) write(ctx context.Context, doc document) (bool, error) {
	var err error
	if doc.updated.IsZero() {
		_, err = d.ref(doc.id).Create(ctx, doc)
	} else {
		_, err = d.ref(doc.id).Update(ctx, []firestore.Update{
			{Path: "verdict", Value: doc.Verdict}, {Path: "by", Value: doc.By}, {Path: "at", Value: firestore.ServerTimestamp},
			{Path: "fields", Value: doc.Fields}, {Path: "revision", Value: doc.Revision}, {Path: "confirms", Value: doc.Confirms},
			{Path: "rejects", Value: doc.Rejects}, {Path: "product", Value: doc.Product}, {Path: "photo", Value: doc.Photo},
			{Path: "touched", Value: doc.Touched}, {Path: "history", Value: doc.History}, {Path: "forgotten", Value: doc.Forgotten},
		}, firestore.LastUpdateTime(doc.updated))
	}
	switch status.Code(err) {
	case codes.OK:
		return true, nil
	case codes.FailedPrecondition, codes.AlreadyExists, codes.NotFound, codes.Aborted:
		return false, nil
	}
	return false, fmt.Errorf("review: write %s: %w", doc.id, err)
}

// said reports that doc says what r says.
func (doc document) said(r Request) bool {
	return doc.Revision > 0 && !doc.Forgotten && doc.Verdict == r.Verdict && doc.By == r.By && doc.Fields == r.Fields.text()
}

// next is doc once r is said, with what was said before in its history.
func (doc document) next(r Request, p plan, photo string) document {
	n := doc
	if doc.Revision > 0 && !doc.Forgotten && !doc.said(r) {
		n.History = append(slices.Clone(doc.History), Entry{Verdict: doc.Verdict, By: doc.By, At: doc.At, Text: doc.Fields})
		n.History = n.History[max(0, len(n.History)-maxHistory):]
	}
	n.Verdict, n.By, n.Fields, n.Photo = r.Verdict, r.By, r.Fields.text(), photo
	n.Revision, n.Forgotten, n.At = doc.Revision+1, false, time.Time{}
	n.Confirms, n.Rejects, n.Product = p.confirms, p.rejects, p.product
	for _, id := range []string{p.confirms, p.rejects} {
		if id != "" && !slices.Contains(n.Touched, id) {
			n.Touched = append(slices.Clone(n.Touched), id)
		}
	}
	return n
}

// review is doc for those who ask.
func (doc document) review() Review {
	r := Review{Result: doc.id, Verdict: doc.Verdict, Fields: fieldsOf(doc.Fields), By: doc.By, At: doc.At, History: slices.Clone(doc.History)}
	for i, e := range r.History {
		r.History[i].Fields = fieldsOf(e.Text)
	}
	return r
}
