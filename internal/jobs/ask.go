package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
)

// Ask returns the result of j to a caller that waits for it: a cached one, the one of
// an equal job that is running already, which is then as one from the cache, or a new one. It
// passes every event to watch, which may be nil. Errors are the job's own.
func (e *Executor[R, E]) Ask(ctx context.Context, j Job[R, E], watch func(E)) (r R, err error) {
	defer j.Close()
	if err := j.Open(ctx); err != nil {
		return r, err
	}
	s := j.spec()
	for {
		r, own, err := e.shared.join(ctx, fmt.Sprint(s.CacheKey, s.Fresh), watch, func(ctx context.Context, watch func(E)) (R, error) { return e.cachedOrRun(ctx, j, watch) })
		if own || err != nil {
			return r, err
		}
		if r, err = j.FromCache(ctx, e.kind.Public(r), 0); errors.Is(err, ErrStale) {
			continue
		}
		if err == nil {
			e.recordCached(ctx, s, r)
		}
		return r, err
	}
}

// cachedOrRun returns a cached result of j, or runs j and records its result. The shared
// run itself reads the cache: if it were read before joining, another run could end
// between the read and the join, and the work would be done twice.
func (e *Executor[R, E]) cachedOrRun(ctx context.Context, j Job[R, E], watch func(E)) (R, error) {
	s := j.spec()
	s.run = uuid.NewString()
	if s.Fresh && s.Resumed.IsZero() {
		e.firstTurn(ctx, s, s.CacheKey) // so that the key has one: the work is done in any case
	} else {
		r, found, err := e.cachedOrTurn(ctx, j, 0)
		if found && err == nil {
			e.kind.Log(ctx, s.Name, 1, r, nil)
			e.recordCached(ctx, s, r)
		}
		if found || err != nil {
			return r, err
		}
	}
	kept := false
	defer func() { s.endTurns(ctx, kept) }()
	r, err := j.Do(ctx, watch)
	e.kind.Log(ctx, s.Name, 1, r, err)
	if err == nil {
		kept = e.record(ctx, s, r)
	}
	return r, err
}

// recordCached writes a record of a cached result that has none under its ID, without a
// cache key: a cached result does not become its own newer copy.
func (e *Executor[R, E]) recordCached(ctx context.Context, s *Spec, r R) {
	if !s.Unrecorded {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	o, err := e.outcome(s, e.kind.Public(r))
	if err == nil {
		err = e.Work.RecordOnce(ctx, s.Item, o)
	}
	if err == nil {
		_, err = e.recheck(ctx, s, o)
	}
	if err != nil {
		slog.WarnContext(ctx, "cached result has no record", "error", err)
	}
}

// record writes the public part of r to the work records, where lists and equal jobs
// find it, and publishes it. The result was paid for, so it is kept even when no caller
// waits any more; callers get their answer even if the write fails. It reports whether the
// cache has it.
func (e *Executor[R, E]) record(ctx context.Context, s *Spec, r R) (cached bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	o, err := e.cacheable(s, e.kind.Public(r))
	noted := false
	if err == nil {
		noted, err = e.Work.recordAsking(ctx, s.Item, o, time.Now(), s.Notes)
	}
	if err == nil && noted {
		o, err = e.recheck(ctx, s, o)
	}
	cached = err == nil && o.CacheKey != ""
	if err == nil && len(o.Result) > 0 {
		err = e.tell(ctx, s, o)
	}
	if err != nil {
		slog.WarnContext(ctx, "result not kept", "error", err)
	}
	return cached
}
