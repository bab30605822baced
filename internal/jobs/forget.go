package jobs

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/uuid"

	"example.com/whatis/internal/store"
)

// Erase begins to forget a piece of work: from then on it is done, without a result,
// for everybody who is delivered it, asks for it or lists it, and its checkpoints and
// cache key are gone. It returns the record as it was, for whoever has more to remove
// that belongs to it, until EndErase. Called again it returns the same, and what is
// left after EndErase: the ID and when it was forgotten. Work that somebody is at is a
// *BusyError; without a record it is ErrNotFound.
func (s *Store) Erase(ctx context.Context, id string) (Record, error) {
	var before found
	_, err := s.updateIfUnchanged(ctx, nil, id, uuid.NewString(), func(at *found) (fields, error) {
		if before = *at; !at.exists {
			return nil, fmt.Errorf("%w: %s", ErrNotFound, id)
		}
		if err := at.busy(); err != nil || !at.ForgottenAt.IsZero() {
			return nil, err
		}
		set := fields{
			"state": Done, "forgotten_at": firestore.ServerTimestamp, "expires_at": at.read.Add(s.o.Retain),
			"kept": firestore.Delete, "cache_key": firestore.Delete, "subject": firestore.Delete, "finished_at": firestore.Delete,
		}
		for name := range s.schema.Outcome {
			set[name] = firestore.Delete
		}
		return set, nil
	})
	if err != nil {
		return Record{}, err
	}
	before.kept = true
	return before.record(), nil
}

// EndErase leaves of erased work its ID and when it was forgotten, until the record
// expires. Without a record, or twice, it does nothing.
func (s *Store) EndErase(ctx context.Context, id string) (at time.Time, err error) {
	_, err = s.updateIfUnchanged(ctx, nil, id, uuid.NewString(), func(f *found) (fields, error) {
		if at = f.ForgottenAt; !f.exists || f.Kind == "" || at.IsZero() {
			return nil, nil
		}
		set := fields{}
		for _, name := range []string{"kind", "name", "result", "error", "attempts", "lease_ns", "tried_at", "waiting", "created_at"} {
			set[name] = firestore.Delete
		}
		for name := range s.schema.Item {
			set[name] = firestore.Delete
		}
		return set, nil
	})
	return at, err
}

// Annotate changes what finished work is listed by. It reports false, and changes
// nothing, if its result is not the one of that time any more: the work was done anew,
// or forgotten.
func (s *Store) Annotate(ctx context.Context, id string, finished time.Time, set Index) (bool, error) {
	if err := set.check(s.schema.Outcome); err != nil {
		return false, err
	}
	same := false
	_, err := s.updateIfUnchanged(ctx, nil, id, uuid.NewString(), func(at *found) (fields, error) {
		if same = at.exists && at.State == Done && at.FinishedAt.Equal(finished); !same {
			return nil, nil
		}
		return fields(set), nil
	})
	return same, err
}

// Ranked returns the finished work whose declared number called field is above 0, the
// greatest first, and the place behind it for after; "" behind the last. A bad place
// is ErrCursor.
func (s *Store) Ranked(ctx context.Context, field, after string, limit int) (records []Record, next string, err error) {
	if err := (Index{field: int64(0)}).check(s.schema.Outcome); err != nil || limit < 1 || limit > MaxList {
		return nil, "", fmt.Errorf("jobs: list %d by %s, want 1 to %d: %w", limit, field, MaxList, err)
	}
	q := s.db.Collection(s.o.Collection).Where(field, ">", 0).Limit(limit).
		OrderBy(field, firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc)
	if after != "" {
		c, err := store.ParseCursor(after)
		if err != nil {
			return nil, "", err
		}
		q = c.After(q)
	}
	snaps, err := q.Documents(ctx).GetAll()
	if err != nil {
		return nil, "", fmt.Errorf("jobs: list by %s: %w", field, err)
	}
	for _, snap := range snaps {
		at, err := s.parse(snap)
		if err != nil {
			return nil, "", err
		}
		records = append(records, at.record())
	}
	if len(records) == limit {
		last := records[limit-1]
		next = store.Cursor{ID: last.ID, Rank: last.Outcome.Index.Number(field)}.String()
	}
	return records, next, nil
}
