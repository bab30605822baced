package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/uuid"
	"google.golang.org/api/iterator"

	"example.com/whatis/internal/store"
)

// Cached returns the newest result that was finished under a cache key, and its
// age by the server's clock; found is false if there is none or it is older than
// Options.Cache. Only Result and Finished of the record are filled in.
func (s *Store) Cached(ctx context.Context, key string) (r Record, age time.Duration, found bool, err error) {
	if s.o.Cache < 0 || key == "" {
		return Record{}, 0, false, nil
	}
	docs := s.db.Collection(s.o.Collection).Where("cache_key", "==", key).
		OrderBy("finished_at", firestore.Desc).Limit(1).Select("result", "finished_at").Documents(ctx)
	defer docs.Stop()
	snap, err := docs.Next()
	if errors.Is(err, iterator.Done) {
		return Record{}, 0, false, nil
	}
	if err != nil {
		return Record{}, 0, false, fmt.Errorf("jobs: cached result: %w", err)
	}
	r = s.parse(snap).record()
	age = r.Read.Sub(r.Finished)
	return r, age, age <= s.o.Cache, nil
}

// uncache takes the result of finished work out of the cache.
func (s *Store) uncache(ctx context.Context, id string) error {
	_, _, err := s.Rewrite(ctx, id, func(o *Outcome) (bool, error) {
		cached := o.CacheKey != ""
		o.CacheKey = ""
		return cached, nil
	})
	return err
}

// Record writes finished work that was not claimed, replacing an earlier record.
// It costs one write and no read; claimed work ends by Claim.Finish instead.
// Without a read the server's time is unknown: the record expires by the caller's
// date, now, which is used for nothing else.
func (s *Store) Record(ctx context.Context, item Item, o Outcome, now time.Time) error {
	_, err := s.recordAsking(ctx, item, o, now, nil)
	return err
}

// recordAsking is Record, and reports whether any of the documents of notes may exist.
func (s *Store) recordAsking(ctx context.Context, item Item, o Outcome, now time.Time, notes []*firestore.DocumentRef) (noted bool, err error) {
	if err := errors.Join(s.checkItem(item), s.checkOutcome(o)); err != nil {
		return false, err
	}
	set := s.outcomeFields(o, now).with(s.itemFields(item))
	delete(set, "kept")
	err = store.Bounds{Total: s.o.Lease / 2}.Write(ctx, func(ctx context.Context) (err error) {
		if ref, none := s.doc(item.ID), false; len(notes) > 0 {
			_, none, err = store.WriteAsking{DB: s.db, About: notes}.Set(ctx, ref, map[string]any(set))
			noted = !none
		} else {
			_, err = ref.Set(ctx, map[string]any(set))
		}
		if err != nil {
			return fmt.Errorf("jobs: write %s: %w", item.ID, err)
		}
		return nil
	}, nil)
	return noted, err
}

// RecordOnce is Record, unless the item has a record already that was not erased. It costs one
// write, which fails if there is one.
func (s *Store) RecordOnce(ctx context.Context, item Item, o Outcome) error {
	if err := errors.Join(s.checkItem(item), s.checkOutcome(o)); err != nil {
		return err
	}
	_, err := s.updateIfUnchanged(ctx, &found{id: item.ID}, item.ID, uuid.NewString(), func(at *found) (fields, error) {
		if at.exists && at.ForgottenAt.IsZero() {
			return nil, nil
		}
		return s.outcomeFields(o, time.Now()).with(s.itemFields(item)).with(fields{"forgotten_at": firestore.Delete}), nil
	})
	return err
}

// Tagged returns the records with a tag, erased ones too until EndErase, with all their
// fields but attachments.
func (s *Store) Tagged(ctx context.Context, tag string) ([]Record, error) {
	snaps, err := s.unattached(s.db.Collection(s.o.Collection).Where("tags", "array-contains", tag)).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("jobs: work with the tag %s: %w", tag, err)
	}
	records := make([]Record, len(snaps))
	for i, snap := range snaps {
		at := s.parse(snap)
		at.kept = true
		records[i] = at.record()
	}
	return records, nil
}
