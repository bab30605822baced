package jobs

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/uuid"
)

// Erase begins to forget a piece of work: from then on deliveries, reads and lists see
// it as done without a result, and its checkpoints and cache key are deleted. It returns
// the record as it was, so that the caller can remove what else belongs to it; called
// again before EndErase it returns the same, and after EndErase only the ID and the time
// of Erase. Work with a live lease returns a *BusyError; no record returns ErrNotFound.
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
			"kept": firestore.Delete, "cache_key": firestore.Delete, "finished_at": firestore.Delete,
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
	if before.CacheKey != "" {
		err = s.freeTurn(ctx, before.CacheKey)
	}
	return before.record(), err
}

// EndErase deletes all of erased work but its ID and the time of Erase, which stay until
// the record expires. Without a record, or called twice, it does nothing.
func (s *Store) EndErase(ctx context.Context, id string) (at time.Time, err error) {
	_, err = s.updateIfUnchanged(ctx, nil, id, uuid.NewString(), func(f *found) (fields, error) {
		if at = f.ForgottenAt; !f.exists || f.Kind == "" || at.IsZero() {
			return nil, nil
		}
		set := fields{}
		for _, name := range []string{"kind", "name", "tags", "result", "error", "attempts", "lease_ns", "tried_at", "waiting", "created_at", "attachment"} {
			set[name] = firestore.Delete
		}
		for name := range s.schema.Item {
			set[name] = firestore.Delete
		}
		return set, nil
	})
	return at, err
}

// Rewrite changes the outcome of finished work that has a result, and returns the record as
// it is then. Change gets the outcome, and reports whether it has changed it; it may be called
// again. An outcome without a cache key is out of the cache. Work that is not finished, has no
// result, was erased or does not exist is not changed, which is no error.
func (s *Store) Rewrite(ctx context.Context, id string, change func(*Outcome) (bool, error)) (r Record, changed bool, err error) {
	var before found
	_, err = s.updateIfUnchanged(ctx, nil, id, uuid.NewString(), func(at *found) (fields, error) {
		before, changed, r = *at, false, at.record()
		if !at.exists || at.State != Done || at.Result == "" || !at.ForgottenAt.IsZero() {
			return nil, nil
		}
		o := r.Outcome
		if changed, err = change(&o); err != nil || !changed {
			return nil, err
		}
		if err := s.checkOutcome(o); err != nil {
			return nil, err
		}
		r.Outcome = o
		set := s.schema.Outcome.fields(o.Index).with(fields{"result": text(o.Result), "error": o.Error})
		if o.CacheKey == "" {
			set["cache_key"] = firestore.Delete
		}
		return set, nil
	})
	if err == nil && changed && r.CacheKey == "" && before.CacheKey != "" {
		err = s.freeTurn(ctx, before.CacheKey)
	}
	return r, changed, err
}
