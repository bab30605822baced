package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// Ask returns the result of j to somebody who waits for it: an earlier one, that of
// an equal job which others wait for already, or a new one. It hands every event to
// watch, which may be nil. Errors are the job's own.
func (e *Executor[R, E]) Ask(ctx context.Context, j Job[R, E], watch func(E)) (r R, err error) {
	defer j.Close()
	if err := j.Open(ctx); err != nil {
		return r, err
	}
	s := j.spec()
	key := fmt.Sprint(s.CacheKey, s.Item.Subject, s.Fresh)
	return e.shared.join(ctx, key, watch, func(ctx context.Context, watch func(E)) (R, error) { return e.cachedOrRun(ctx, j, watch) })
}

// cachedOrRun is an earlier result of j or that of a new run, which is recorded. The shared
// run itself reads the cache: read before the run is joined, it could say that there
// is no result yet, and the run that makes it end before it can be joined.
func (e *Executor[R, E]) cachedOrRun(ctx context.Context, j Job[R, E], watch func(E)) (R, error) {
	s := j.spec()
	if !s.Fresh || s.Resumed {
		r, found, err := e.cached(ctx, j)
		if found && err == nil {
			e.kind.Log(ctx, s.Name, 1, r, nil)
		}
		if found || err != nil {
			return r, err
		}
	}
	r, err := j.Do(ctx, watch)
	e.kind.Log(ctx, s.Name, 1, r, err)
	if err == nil {
		e.record(ctx, s, r)
	}
	return r, err
}

// record writes r where finished work is listed and an equal job finds it, and tells
// of it. It was paid for, so that it is kept even when nobody waits for it any more;
// whoever asked has the answer whether or not that succeeds. What is only for them is
// not kept.
func (e *Executor[R, E]) record(ctx context.Context, s *Spec, r R) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	o, err := e.cacheable(s, e.kind.Public(r))
	if err == nil {
		err = e.Work.Record(ctx, s.Item, o, time.Now())
	}
	if err == nil {
		err = e.tell(ctx, s, o)
	}
	if err != nil {
		slog.WarnContext(ctx, "result not kept", "error", err)
	}
}
