// Package mark keeps what people say of records: that one is right, or wrong.
package mark

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
)

// The verdicts.
const (
	Right = "right"
	Wrong = "wrong"
)

// A Verdict is what somebody says of a record.
type Verdict struct {
	Verdict string    `json:"verdict" firestore:"verdict" enum:"right,wrong"`
	By      string    `json:"by,omitempty" firestore:"by"`
	At      time.Time `json:"at" firestore:"at"`
}

// A Mark is a record with the verdicts on it. The last one counts.
type Mark struct {
	DuplicateKey string `json:"duplicate_key" firestore:"duplicate_key"`
	Verdict
	History []Verdict `json:"history" firestore:"history"` // the oldest first, with the last one

	URL    string   `json:"url" firestore:"url"`
	Name   string   `json:"name" firestore:"name"`
	Quote  string   `json:"quote" firestore:"quote"`
	Also   []string `json:"also,omitempty" firestore:"also"`     // other addresses of the record
	Sector string   `json:"sector,omitempty" firestore:"sector"` // of the run in which it was found; "" is all
}

// IsWrong reports that the last verdict is that the record is wrong.
func (m Mark) IsWrong() bool { return m.Verdict.Verdict == Wrong }

// A Store keeps marks in Firestore: a document for each place, in which each record has
// its entry by its duplicate key.
type Store struct {
	DB         *firestore.Client
	Collection string
}

// Keep writes a mark. Its verdict joins those that others write at the same time.
func (s Store) Keep(ctx context.Context, place string, m Mark) error {
	entry := map[string]any{
		"duplicate_key": m.DuplicateKey, "verdict": m.Verdict.Verdict, "by": m.By, "at": m.At, "history": firestore.ArrayUnion(m.Verdict),
		"url": m.URL, "name": m.Name, "quote": m.Quote, "also": m.Also, "sector": m.Sector,
	}
	_, err := s.DB.Collection(s.Collection).Doc(place).Set(ctx, map[string]any{"marks": map[string]any{m.DuplicateKey: entry}}, firestore.MergeAll)
	if err != nil {
		return fmt.Errorf("mark: keep %s: %w", m.DuplicateKey, err)
	}
	return nil
}

// Of are the marks on records of a place, by duplicate key.
func (s Store) Of(ctx context.Context, place string) (map[string]Mark, error) {
	d, err := store.In[document](s.DB.Collection(s.Collection)).Get(ctx, place)
	if err != nil && !store.Gone(err) {
		return nil, fmt.Errorf("mark: of %s: %w", place, err)
	}
	return d.Value.Marks, nil
}

// A document has the marks on records of a place.
type document struct {
	Marks map[string]Mark `firestore:"marks"`
}
