package review

import (
	"context"
	"fmt"
	"slices"
	"time"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/store"
)

// collection is the Firestore collection of the reviews.
const collection = "reviews"

// A document is a review as it is stored.
type document struct {
	Verdict   string           `firestore:"verdict"`
	By        string           `firestore:"by"`
	Verified  bool             `firestore:"verified"`
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

	id string
}

// A stored is a document as Firestore has it.
type stored = store.Doc[document]

// patience limits a review, including the calls of the catalogue and a model before it is
// written.
const patience = time.Minute

func (d *Service) documents() store.Collection[document] {
	return store.In[document](d.DB.Collection(collection)).Within(store.Bounds{Total: patience})
}

// read reads the review of a result. A missing one has revision 0.
func (d *Service) read(ctx context.Context, id string) (stored, error) {
	at, err := d.documents().Get(ctx, id)
	at.Value.id = id
	if err != nil && !store.Gone(err) {
		return at, fmt.Errorf("review: %w", err)
	}
	return at, nil
}

// said reports whether the latest review in doc equals r.
func (doc document) said(r Request) bool {
	return doc.Revision > 0 && !doc.Forgotten && doc.Verdict == r.Verdict && doc.By == r.By && doc.Verified == r.Verified && doc.Fields == r.Fields.text()
}

// next returns doc with r as the latest review and the one before added to the history.
func (doc document) next(r Request, p plan, photo string) document {
	n := doc
	if doc.Revision > 0 && !doc.Forgotten && !doc.said(r) {
		n.History = append(slices.Clone(doc.History), Entry{Verdict: doc.Verdict, By: doc.By, Verified: doc.Verified, At: doc.At, Text: doc.Fields})
		n.History = n.History[max(0, len(n.History)-maxHistory):]
	}
	n.Verdict, n.By, n.Verified, n.Fields, n.Photo = r.Verdict, r.By, r.Verified, r.Fields.text(), photo
	n.Revision, n.Forgotten, n.At = doc.Revision+1, false, time.Time{}
	n.Confirms, n.Rejects, n.Product = p.confirms, p.rejects, p.product
	for _, id := range []string{p.confirms, p.rejects} {
		if id != "" && !slices.Contains(n.Touched, id) {
			n.Touched = append(slices.Clone(n.Touched), id)
		}
	}
	return n
}

// review returns doc in its public form.
func (doc document) review() Review {
	r := Review{Result: doc.id, Verdict: doc.Verdict, Fields: fieldsOf(doc.Fields), By: doc.By, Verified: doc.Verified, At: doc.At, History: slices.Clone(doc.History)}
	for i, e := range r.History {
		r.History[i].Fields = fieldsOf(e.Text)
	}
	return r
}
