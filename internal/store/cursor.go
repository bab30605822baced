package store

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"example.com/whatis/internal/usererror"
)

// A Cursor is a position in a list: after the document ID, whose value of the list's order
// is At or Rank.
type Cursor struct {
	At   time.Time `json:"t,omitzero"`
	Rank int64     `json:"r,omitempty"`
	ID   string    `json:"id"`
}

// String encodes c for the request of the next page.
func (c Cursor) String() string {
	data, _ := json.Marshal(c) // cannot fail: Firestore's times have four-digit years
	return base64.RawURLEncoding.EncodeToString(data)
}

// ParseCursor decodes what String returned. Other texts, and cursors of a list with another
// kind of order, give ErrCursor.
func ParseCursor(text string, by Order) (c Cursor, err error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil || c.ID == "" || strings.Contains(c.ID, "/") || c.order() != by {
		return c, fmt.Errorf("%w: %q: send next of the page before", ErrCursor, usererror.Short(text, usererror.Quoted))
	}
	return c, nil
}

// An Order is what a list is ordered by, before the ID.
type Order string

// The orders.
const (
	ByTime Order = "time"
	ByRank Order = "rank"
)

func (c Cursor) order() Order {
	switch {
	case c.Rank != 0 && c.At.IsZero():
		return ByRank
	case c.Rank == 0 && !c.At.IsZero():
		return ByTime
	}
	return ""
}

// After returns the part of q that follows c. q must be ordered by one field and then by
// the ID; the field is a number if c has a Rank, otherwise a time.
func (c Cursor) After(q firestore.Query) firestore.Query {
	if c.Rank != 0 {
		return q.StartAfter(c.Rank, c.ID)
	}
	return q.StartAfter(c.At, c.ID)
}

// Page returns at most limit documents that q matches, ordered by a time field, latest
// first, and the cursor after them, "" after the last. After is the cursor of the page
// before, or "". Fields of a document are left out that this version cannot read.
func Page[T any](ctx context.Context, q firestore.Query, field, after string, limit int) (docs []Doc[T], next string, err error) {
	q = q.OrderBy(field, firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc).Limit(limit + 1)
	if after != "" {
		c, err := ParseCursor(after, ByTime)
		if err != nil {
			return nil, "", err
		}
		q = c.After(q)
	}
	snaps, err := q.Documents(ctx).GetAll()
	if err != nil {
		return nil, "", fmt.Errorf("store: list: %w", err)
	}
	if len(snaps) > limit {
		snaps = snaps[:limit]
		last := snaps[limit-1]
		at, _ := last.DataAt(field) // the list is ordered by this field
		c := Cursor{ID: last.Ref.ID}
		c.At, _ = at.(time.Time)
		next = c.String()
	}
	for _, snap := range snaps {
		d, err := Parse[T](snap)
		if err != nil {
			Readable(snap, &d.Value)
		}
		if d.Exists {
			docs = append(docs, d)
		}
	}
	return docs, next, nil
}
