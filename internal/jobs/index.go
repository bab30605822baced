package jobs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/uuid"

	"example.com/whatis/internal/store"
)

// Get returns a record, or ErrNotFound.
func (s *Store) Get(ctx context.Context, id string) (Record, error) {
	at, err := s.readOnce(ctx, id)
	if err == nil && !at.exists {
		err = fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	if err != nil {
		return Record{}, err
	}
	return at.record(), nil
}

// Reopen makes failed or unfinished work open with no attempts counted, so that the next
// delivery does it. Checkpoints of unfinished work stay. Work that succeeded or was
// erased stays done, which is no error; work with a live lease returns a *BusyError; no
// record returns ErrNotFound.
func (s *Store) Reopen(ctx context.Context, id string) error {
	_, err := s.updateIfUnchanged(ctx, nil, id, uuid.NewString(), func(at *found) (fields, error) {
		switch {
		case !at.exists:
			return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
		case at.State == Done && at.Error == "", !at.ForgottenAt.IsZero():
			return nil, nil
		}
		return s.schema.Outcome.fields(nil).with(fields{
			"state": Open, "attempts": 0, "tried_at": firestore.Delete, "waiting": false, "expires_at": at.read.Add(s.o.Retain),
			"result": "", "error": "", "finished_at": firestore.Delete,
		}), at.busy()
	})
	return err
}

// A Filter says which finished work to list.
type Filter struct {
	Index Index     // declared fields and their values; of a list the string that it has
	Since time.Time // only what was finished later, by the server's clock
	Until time.Time // only what was finished earlier; the zero time is any
	By    *Range    // what is listed, by a number; nil is everything, the newest first. Not together with Since and Until
	After string    // the Cursor of the record before the first wanted; "" begins with the first
	Limit int       // 1 to MaxList; 0 is MaxList
}

// A Range is finished work in the order of a declared number of its outcome.
type Range struct {
	Field      string
	From, To   int64 // both included
	Descending bool
}

// order returns the field that f orders by, and its direction.
func (f Filter) order() (field string, by store.Order, direction firestore.Direction) {
	switch {
	case f.By == nil:
		return "finished_at", store.ByTime, firestore.Desc
	case f.By.Descending:
		return f.By.Field, store.ByRank, firestore.Desc
	}
	return f.By.Field, store.ByRank, firestore.Asc
}

// MaxList bounds the records that List returns.
const MaxList = 100

// List returns finished work in the order of f. A page that is shorter than the
// limit is the last. A bad Filter.After is ErrCursor.
func (s *Store) List(ctx context.Context, f Filter) ([]Record, error) {
	q, err := s.query(f)
	if err != nil {
		return nil, err
	}
	snaps, err := s.unattached(q).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("jobs: list: %w", err)
	}
	records := make([]Record, len(snaps))
	for i, snap := range snaps {
		records[i] = s.parse(snap).record()
	}
	return records, nil
}

// query needs no filter by state: only finished work has a finished_at.
func (s *Store) query(f Filter) (firestore.Query, error) {
	if f.Limit < 0 || f.Limit > MaxList {
		return firestore.Query{}, fmt.Errorf("jobs: list: the limit is %d, want 1 to %d", f.Limit, MaxList)
	}
	if f.Limit == 0 {
		f.Limit = MaxList
	}
	field, by, direction := f.order()
	q := s.db.Collection(s.o.Collection).Limit(f.Limit).OrderBy(field, direction).OrderBy(firestore.DocumentID, direction)
	compared, declared := maps.Clone(f.Index), Index(s.schema.Outcome.fields(s.schema.Item))
	for _, name := range slices.Sorted(maps.Keys(f.Index)) {
		is := "=="
		if text, ok := f.Index[name].(string); ok && declared.isList(name) {
			is, compared[name] = "array-contains", []string{text}
		}
		q = q.Where(name, is, f.Index[name])
	}
	if err := compared.check(declared); err != nil {
		return q, err
	}
	if f.By != nil {
		if err := (Index{field: int64(0)}).check(s.schema.Outcome); err != nil {
			return q, err
		}
		q = q.Where(field, ">=", f.By.From).Where(field, "<=", f.By.To)
	}
	if !f.Since.IsZero() {
		q = q.Where("finished_at", ">", f.Since)
	}
	if !f.Until.IsZero() {
		q = q.Where("finished_at", "<", f.Until)
	}
	if f.After == "" {
		return q, nil
	}
	c, err := store.ParseCursor(f.After, by)
	if err != nil {
		return q, err
	}
	return c.After(q), nil
}

// Cursor returns the position of finished work in a list, for the After of f.
func (r Record) Cursor(f Filter) string {
	if f.By != nil {
		return store.Cursor{Rank: r.Outcome.Index.Number(f.By.Field), ID: r.ID}.String()
	}
	return store.Cursor{At: r.Finished, ID: r.ID}.String()
}
