package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Deliver does the work of one delivery of an event, unless it is done already, calls
// Follow and publishes the result. It returns an error only if the event must be
// delivered again; ErrBusy means that another instance does the work. The outcome has no
// result if there is nothing to do, or the subject of the work does not exist any more.
func (e *Executor[R, E]) Deliver(ctx context.Context, j Delivered[R, E]) (Outcome, error) {
	s := j.spec()
	if s.Skip {
		return Outcome{}, nil
	}
	claim, o, err := e.claim(ctx, s)
	cached := false
	if claim != nil {
		defer func() { s.endTurns(ctx, cached) }() // after a panic too: others wait for these turns
		o, err = e.attempt(claim, j)
		err = finishOrRelease(ctx, claim, o, err)
	}
	if err == nil {
		o, err = e.recheck(ctx, s, o)
		cached = err == nil && o.CacheKey != ""
	}
	if err == nil && len(o.Result) > 0 {
		err = e.follow(ctx, j, o)
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("jobs: %s: %w", s.Name, err)
	}
	return o, nil
}

// recheck calls Recheck with the outcome o of work that has ended, and returns it as it is then.
func (e *Executor[R, E]) recheck(ctx context.Context, s *Spec, o Outcome) (Outcome, error) {
	if s.Recheck == nil || len(o.Result) == 0 {
		return o, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if changed, err := s.Recheck(ctx, o); err != nil || !changed {
		return o, err
	}
	record, err := e.Work.Get(ctx, s.Item.ID)
	return record.Outcome, err
}

// claim claims the work of a job, or returns the outcome of finished work.
func (e *Executor[R, E]) claim(ctx context.Context, s *Spec) (*Claim, Outcome, error) {
	if err := e.reopen(ctx, s); err != nil {
		return nil, Outcome{}, err
	}
	s.Begun = time.Now()
	claim, err := e.Work.Claim(ctx, s.Item)
	var done *DoneError
	if errors.As(err, &done) {
		s.Begun = s.Begun.Add(done.Record.Created.Sub(done.Record.Read))
		return nil, done.Record.Outcome, nil
	}
	if claim != nil {
		s.Begun = s.Begun.Add(-claim.known)
	}
	return claim, Outcome{}, err
}

// reopen makes the work of a replay claimable again, if it failed before the replay
// was published. A replay may be delivered more than once: work that failed after its
// publication was tried already.
func (e *Executor[R, E]) reopen(ctx context.Context, s *Spec) error {
	if !s.Replay {
		return nil
	}
	record, err := e.Work.Get(ctx, s.Item.ID)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	case record.State != Done, !s.Published.IsZero() && record.Finished.After(s.Published):
		return nil
	}
	return e.Work.Reopen(ctx, s.Item.ID)
}

// attempt does the claimed work, unless it had too many attempts or is too old, and
// returns the outcome.
func (e *Executor[R, E]) attempt(claim *Claim, j Delivered[R, E]) (Outcome, error) {
	ctx := WithCheckpoints(claim.Context(), claim.checkpoints())
	start, s := time.Now(), j.spec()
	defer j.Close()
	r, cached, err := e.openOrCached(ctx, claim, j)
	if err == nil && !cached {
		r, err = j.Do(ctx, nil)
	}
	if err != nil && !e.permanent(err) {
		return e.unfinished(ctx, s, claim.Attempt, r, err)
	}
	if err != nil {
		r = j.Failed(ctx, r, err, time.Since(start))
	}
	e.kind.Log(ctx, s.Name, claim.Attempt, r, nil)
	if cached {
		return e.outcome(s, r) // without a cache key, so that a cached result does not become its own newer copy
	}
	return e.cacheable(s, r)
}

// openOrCached opens j, if it is worth another attempt, and looks for a cached result.
// Work that has checkpoints goes on without the cache: it was paid for already. Its key may be
// another than when that was, and then needs a turn, by which others know to look for the result.
func (e *Executor[R, E]) openOrCached(ctx context.Context, claim *Claim, j Job[R, E]) (r R, cached bool, err error) {
	if err := e.worthTrying(claim.Attempt, claim.Age, claim.Cause); err != nil {
		return r, false, err
	}
	err = j.Open(ctx)
	claim.Tags = j.spec().Tags
	if err == nil && len(claim.Checkpoints) > 0 {
		e.firstTurn(ctx, j.spec(), j.spec().CacheKey)
	}
	if err != nil || len(claim.Checkpoints) > 0 {
		return r, false, err
	}
	return e.cachedOrTurn(ctx, j, e.patience)
}

// unfinished logs an attempt that failed with a temporary error and returns the error. If
// the subject of the work does not exist any more, it returns a final outcome instead.
func (e *Executor[R, E]) unfinished(ctx context.Context, s *Spec, attempt int, spent R, err error) (Outcome, error) {
	if code := e.kind.Fault(err).Gone; code != "" {
		slog.InfoContext(ctx, "work dropped", "work", s.Name, "reason", code)
		return Outcome{Error: code}, nil
	}
	e.kind.Log(ctx, s.Name, attempt, spent, err)
	return Outcome{}, err
}

// finishOrRelease finishes a claim with o, or releases it after err. It has a time-out of
// its own, as the delivery's may have passed.
func finishOrRelease(ctx context.Context, claim *Claim, o Outcome, err error) error {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), claim.ending())
	defer cancel()
	if err == nil {
		if err = claim.Finish(ending, o); err == nil {
			return nil
		}
	} else if cause := context.Cause(claim.Context()); errors.Is(cause, ErrLost) {
		err = errors.Join(cause, err)
	}
	if release := claim.ReleaseAfter(ending, reasonOf(err), Cause(err)); release != nil && !errors.Is(release, ErrLost) {
		slog.WarnContext(ctx, "work not given back", "error", release)
	}
	return err
}

// follow calls Follow with a finished result and publishes it, at every delivery: an
// earlier delivery may have died before.
func (e *Executor[R, E]) follow(ctx context.Context, j Delivered[R, E], o Outcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if err := j.Follow(ctx, o); err != nil {
		return err
	}
	return e.tell(ctx, j.spec(), o)
}
