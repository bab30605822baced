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

// A document is the review of a photo as it is stored.
type document struct {
	Verdict  string    `firestore:"verdict"`
	By       string    `firestore:"by"`
	Verified bool      `firestore:"verified"`
	At       time.Time `firestore:"at,serverTimestamp"`
	Fields   string    `firestore:"fields"`
	Revision int64     `firestore:"revision"`
	Seen     int64     `firestore:"seen"`
	Settled  int64     `firestore:"settled"`

	Standing []statement `firestore:"standing"`
	History  []Entry     `firestore:"history"`
	Touched  []string    `firestore:"touched"`

	// What follows from Standing, for queries.
	Confirms  string           `firestore:"confirms"`
	Rejecting []string         `firestore:"rejecting"`
	Product   *catalog.Product `firestore:"product"`
	Photo     string           `firestore:"photo"`

	Forgotten bool `firestore:"forgotten"`
}

// A stored is a document as Firestore has it.
type stored = store.Doc[document]

// patience limits a review, including the calls of the catalogue and a model before it is
// written.
const patience = time.Minute

// documentsOf returns the reviews of d.
// A method would have each package that names a Service compile those of store.Collection again.
func documentsOf(d *Service) store.Collection[document] {
	return store.In[document](d.DB.Collection(collection)).Within(store.Bounds{Total: patience})
}

// read reads a review. A missing one has revision 0.
func (d *Service) read(ctx context.Context, id string) (stored, error) {
	at, err := documentsOf(d).Get(ctx, id)
	if err != nil && !store.Gone(err) {
		return at, fmt.Errorf("review: %w", err)
	}
	return at, nil
}

// said reports whether r is the latest act in doc, sent again.
func (doc document) said(r Request) bool {
	same := doc.Revision > 0 && doc.Verdict == r.Verdict && doc.By == r.By && doc.Verified == r.Verified && doc.Fields == r.Fields.text()
	seen, given := r.seen()
	return same && (!given || seen == doc.Seen || seen == doc.Revision && r.Verdict != Undo)
}

// next returns doc with r as the latest act, and the statements that stand after it.
func (doc document) next(r Request, standing []statement, product *catalog.Product, photo string) document {
	n := doc
	n.Standing = standing
	if doc.Revision > 0 {
		n.History = newest(doc.history(), maxHistory, maxHistoryBytes)
	}
	n.Verdict, n.By, n.Verified, n.Fields, n.At = r.Verdict, r.By, r.Verified, r.Fields.text(), time.Time{}
	n.Revision, n.Seen = doc.Revision+1, doc.Revision
	n.Confirms, n.Rejecting, n.Product, n.Photo = "", n.rejecting(), product, ""
	if c, _ := n.confirming(); c != nil {
		n.Confirms = c.Confirms
	}
	if n.answer() != nil {
		n.Photo = photo
	}
	if doc.Settled == doc.Revision {
		n.Touched = nil
	}
	for _, id := range append([]string{doc.Confirms, n.Confirms}, slices.Concat(doc.Rejecting, n.Rejecting)...) {
		if id != "" && !slices.Contains(n.Touched, id) {
			n.Touched = append(slices.Clone(n.Touched), id)
		}
	}
	return n
}

// dated returns the statements that stand, with the time of the latest act, which the
// server sets.
func (doc document) dated() []statement {
	all := slices.Clone(doc.Standing)
	if n := len(all) - 1; n >= 0 && all[n].At.IsZero() {
		all[n].At = doc.At
	}
	return all
}

// latest returns the latest act.
func (doc document) latest() Entry {
	return Entry{Verdict: doc.Verdict, By: doc.By, Verified: doc.Verified, At: doc.At, Text: doc.Fields, Fields: fieldsOf(doc.Fields)}
}

// history returns all acts, oldest first.
func (doc document) history() []Entry {
	all := slices.Clone(doc.History)
	for i := range all {
		all[i].Fields = fieldsOf(all[i].Text)
	}
	return append(all, doc.latest())
}

// review returns doc as the review of a result.
func (doc document) review(s Subject) Review {
	acts := doc.history()
	last := len(acts) - 1
	r := Review{Result: s.ID, Entry: acts[last], History: acts[:last], Revision: Revision(doc.Revision, s.Finished)}
	if all := doc.dated(); len(all) > 0 {
		stands := all[len(all)-1].entry()
		r.Stands = &stands
	}
	return r
}
