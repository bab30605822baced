package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/uuid"

	"example.com/whatis/internal/store"
)

// turns is the Firestore collection of turns.
const turns = "turns"

// A turn is the right to do the work of a cache key, which one piece of work has at a time
// in all instances; others with the same key wait for its result. It is a document whose ID
// is the key, with the ID of the work as owner: "" if it is free. Requests that nobody claims
// may have one ID at the same time, so that each run of theirs has an ID of its own. A turn that
// was not renewed for a lease is free too. The document is as old as the oldest work with its key
// and stays as long, so that a key without one has no cached result: the first work of a
// key creates it, and need not read the cache. A turn keeps its owner when the work has
// ended: by a content key, under which no result is cached, others find the work by it.
type turn struct {
	store   *Store
	key     string
	owner   string
	holder  string    // is this turn's alone: attempts of one piece of work are one owner
	updated time.Time // server time of the last write
	stop    context.CancelFunc
	stopped chan struct{}
}

// turnFields returns the fields of a turn of an owner.
func (s *Store) turnFields(owner string) map[string]any {
	// By the caller's date, as in Record: it is used for nothing else.
	return map[string]any{"owner": owner, "expires_at": time.Now().Add(s.o.Retain + turnMargin)}
}

// turnMargin is how much longer than a record a turn is kept: work may be tried for days.
const turnMargin = 7 * 24 * time.Hour

// heldFields are turnFields, with a new holder.
func (s *Store) heldFields(owner string) (set map[string]any, holder string) {
	set, holder = s.turnFields(owner), uuid.NewString()
	set["holder"] = holder
	return set, holder
}

func (s *Store) turnDoc(key string) *firestore.DocumentRef { return s.db.Collection(turns).Doc(key) }

// firstTurn takes the turn of a key that nobody has had, or reports that somebody has.
func (s *Store) firstTurn(ctx context.Context, key, owner string) (t *turn, had bool, err error) {
	t, had, _, err = s.firstTurnAsking(ctx, key, owner, nil)
	return t, had, err
}

// firstTurnAsking is firstTurn, and reports whether there are none of the documents of notes.
func (s *Store) firstTurnAsking(ctx context.Context, key, owner string, notes []*firestore.DocumentRef) (t *turn, had, unnoted bool, err error) {
	var at time.Time
	set, holder := s.heldFields(owner)
	if ref := s.turnDoc(key); len(notes) > 0 {
		at, unnoted, err = store.WriteAsking{DB: s.db, About: notes}.Create(ctx, ref, set)
	} else {
		at, err = updateTime(ref.Create(ctx, set))
	}
	if store.Exists(err) {
		return nil, true, unnoted, nil
	}
	if err != nil {
		return nil, false, false, err
	}
	return s.startTurn(ctx, key, owner, holder, at), false, unnoted, nil
}

// nextTurn takes the turn of a key if it is free. It returns nil while another has it.
func (s *Store) nextTurn(ctx context.Context, key, owner string) (*turn, error) {
	ref := s.turnDoc(key)
	snap, err := ref.Get(ctx)
	if store.Gone(err) {
		t, _, err := s.firstTurn(ctx, key, owner)
		return t, err
	}
	if err != nil {
		return nil, err
	}
	has, _ := snap.DataAt("owner")
	if has != owner && has != "" && snap.ReadTime.Sub(snap.UpdateTime) <= s.o.Lease {
		return nil, nil
	}
	set, holder := s.heldFields(owner)
	at, err := updateTime(ref.Update(ctx, fields(set).updates(), firestore.LastUpdateTime(snap.UpdateTime)))
	if store.Conflict(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.startTurn(ctx, key, owner, holder, at), nil
}

// startTurn renews a turn until it ends.
func (s *Store) startTurn(ctx context.Context, key, owner, holder string, at time.Time) *turn {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	t := &turn{s, key, owner, holder, at, stop, make(chan struct{})}
	go func() {
		defer close(t.stopped)
		again := time.NewTicker(s.o.Renew)
		defer again.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-again.C:
			}
			if err := t.write(ctx, owner); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "turn not renewed", "key", key, "error", err)
			}
		}
	}()
	return t
}

// write renews the turn, or frees it if owner is "", unless another has taken it. The response of
// the write before may have been lost: then the document is newer, and still held by this turn.
func (t *turn) write(ctx context.Context, owner string) error {
	err := t.writeUnchanged(ctx, owner)
	if !store.Conflict(err) {
		return err
	}
	snap, unread := t.store.turnDoc(t.key).Get(ctx)
	if unread != nil {
		return unread
	}
	if has, _ := snap.DataAt("holder"); has != t.holder {
		return err
	}
	t.updated = snap.UpdateTime
	return t.writeUnchanged(ctx, owner)
}

// writeUnchanged is write if the document is as this turn wrote it last.
func (t *turn) writeUnchanged(ctx context.Context, owner string) error {
	updates := fields(t.store.turnFields(owner)).updates()
	at, err := updateTime(t.store.turnDoc(t.key).Update(ctx, updates, firestore.LastUpdateTime(t.updated)))
	if err == nil {
		t.updated = at
	}
	return err
}

// end ends the turn. If the result is in the cache, the others find it there, and the turn
// is left to run out. Otherwise it is free for the next.
func (t *turn) end(ctx context.Context, cached bool) {
	t.stop()
	<-t.stopped
	if cached {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if err := t.write(ctx, ""); err != nil && !store.Conflict(err) {
		slog.WarnContext(ctx, "turn not given back", "key", t.key, "error", err)
	}
}

// The pauses between two looks for the result of another: each is twice as long as the one
// before.
const (
	firstLook = 100 * time.Millisecond
	lastLook  = 2 * time.Second
)

// turnPatience is how long a delivery waits for another piece of work. Then the event is
// delivered again, which does not count as an attempt.
const turnPatience = 20 * time.Second

// cachedOrTurn returns a cached result of j, or takes the turns of its keys, waiting for
// whoever has them. If Firestore fails, it finds nothing and takes no turn, so that the work
// is done. The wait for each key ends with a *BusyError after patience, or with ctx. Other
// errors are FromCache's.
//
// The turn of the cache key is taken before that of the content key: whoever waits for the
// latter has the former, and nobody waits in the other order, so that no two wait for each
// other. Work that the cache answers gives the content key the owner of that answer, unless
// somebody had its turn: copies that come later find it.
func (e *Executor[R, E]) cachedOrTurn(ctx context.Context, j Job[R, E], patience time.Duration) (r R, found bool, err error) {
	s := j.spec()
	r, owner, err := e.foundOrTurn(ctx, j, s.CacheKey, e.lookUp, patience)
	if owner == "" && err == nil {
		r, owner, err = e.foundOrTurn(ctx, j, s.ContentKey, e.ofOwner, patience)
	} else if err == nil {
		e.ownContent(ctx, s.ContentKey, owner)
	}
	return r, owner != "", err
}

// ownContent makes the work with that ID the owner of a content key, unless it has had one.
func (e *Executor[R, E]) ownContent(ctx context.Context, key, id string) {
	if key == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, cachePatience)
	defer cancel()
	if _, err := e.Work.turnDoc(key).Create(ctx, e.Work.turnFields(id)); err != nil && !store.Exists(err) {
		slog.WarnContext(ctx, "equal content not noted", "error", err)
	}
}

// A lookUp returns the result of equal work under a key.
type lookUp[R any] func(ctx context.Context, key string) (of earlier[R], found bool, err error)

// An earlier is a result that stands in the cache.
type earlier[R any] struct {
	result R
	id     string // of its work
	age    time.Duration
}

// foundOrTurn returns the result that is found under one key of j, with the ID of its work,
// or takes the key's turn and returns no ID. "" is no key.
func (e *Executor[R, E]) foundOrTurn(ctx context.Context, j Job[R, E], key string, find lookUp[R], patience time.Duration) (r R, owner string, err error) {
	s := j.spec()
	if !e.firstTurn(ctx, s, key) {
		return r, "", nil
	}
	begin, pause := time.Now(), firstLook
	for ; ; pause = min(2*pause, lastLook) {
		looked := time.Now() // not after it: the age is that of when it was read
		of, found, unread := find(ctx, key)
		if found && s.Fresh && of.age > looked.Sub(s.Resumed) {
			return r, "", nil // from before it; the key's turn is not that of its run, which found that key taken
		}
		if found {
			r, err = j.FromCache(ctx, of.result, of.age)
		}
		if errors.Is(err, ErrStale) {
			if err = e.Work.uncache(ctx, of.id); err != nil {
				return r, "", err
			}
			continue
		}
		if found || unread != nil {
			return r, of.id, err
		}
		if !e.nextTurn(ctx, s, key) {
			return r, "", nil
		}
		if patience > 0 && time.Since(begin)+pause > patience {
			return r, "", &BusyError{RetryAfter: e.Work.o.Lease}
		}
		s.unnoted = false // they may be written while it waits
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return r, "", ctx.Err()
		}
	}
}

// firstTurn takes the turn of a key that nobody has had, or reports that somebody has.
func (e *Executor[R, E]) firstTurn(ctx context.Context, s *Spec, key string) (had bool) {
	if key == "" || e.Work.o.Cache < 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, cachePatience)
	defer cancel()
	notes := s.Notes
	if key != s.CacheKey {
		notes = nil
	}
	t, had, unnoted, err := e.Work.firstTurnAsking(ctx, key, s.owner(), notes)
	if err != nil {
		slog.WarnContext(ctx, "no turn taken", "error", err)
	}
	s.take(t)
	s.unnoted = s.unnoted || unnoted
	return had
}

// nextTurn takes the turn of a key if it is free, or reports that another has it.
func (e *Executor[R, E]) nextTurn(ctx context.Context, s *Spec, key string) (taken bool) {
	ctx, cancel := context.WithTimeout(ctx, cachePatience)
	defer cancel()
	t, err := e.Work.nextTurn(ctx, key, s.owner())
	if err != nil {
		slog.WarnContext(ctx, "no turn taken", "error", err)
	}
	s.take(t)
	return t == nil && err == nil
}

// owner returns who has the turns of s.
func (s *Spec) owner() string { return cmp.Or(s.run, s.Item.ID) }

func (s *Spec) take(t *turn) {
	if t != nil {
		s.turns = append(s.turns, t)
	}
}

// endTurns ends the turns that s has. A cached result is found under CacheKey, which may have
// become another than that of its turn, and by whoever owns ContentKey.
func (s *Spec) endTurns(ctx context.Context, cached bool) {
	for _, t := range s.turns {
		t.end(ctx, cached && (t.key == s.CacheKey || t.key == s.ContentKey))
	}
	s.turns = nil
}

// freeTurn makes the turn of a key free, whose result is not in the cache any more.
func (s *Store) freeTurn(ctx context.Context, key string) error {
	_, err := s.turnDoc(key).Update(ctx, fields(s.turnFields("")).updates())
	if err != nil && !store.Gone(err) {
		return fmt.Errorf("jobs: turn of %s: %w", key, err)
	}
	return nil
}

// ofOwner returns the record of the work that had the turn of a key last, or ErrNotFound.
func (s *Store) ofOwner(ctx context.Context, key string) (Record, error) {
	snap, err := s.turnDoc(key).Get(ctx)
	if store.Gone(err) {
		return Record{}, ErrNotFound
	}
	if err != nil {
		return Record{}, fmt.Errorf("jobs: turn of %s: %w", key, err)
	}
	owner, _ := snap.DataAt("owner")
	if id, ok := owner.(string); ok && id != "" {
		return s.Get(ctx, id)
	}
	return Record{}, ErrNotFound
}
