package gemini

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"golang.org/x/time/rate"

	"example.com/whatis/internal/admission"
)

const (
	politeWait  = 5 * time.Second  // a wait that a call with one attempt accepts
	longestWait = time.Minute      // longer waits are left to the caller
	steepest    = 16 * time.Second // the longest backoff
)

// The kinds of jobs, as named in the log.
const (
	jobGenerate = "generate"
	jobSearch   = "search"
	jobRepair   = "repair" // not repeated if it is malformed too
	jobEmbed    = "embed"
	jobSpeak    = "speak"
)

// A job is the work of one call.
type job struct {
	key  string // the caller's, for the log
	kind string
	// try makes one request and processes its answer.
	try func(ctx context.Context, model string) error
	// otherwise reports whether the try that just failed should be made again at once in
	// another way, without counting it. It may be nil.
	otherwise func() bool
	// mend tries to correct an answer that try refused as Malformed; if it cannot, it
	// returns the error it was given. It may be nil.
	mend func(ctx context.Context, e *Error) *Error
}

// call tries until it succeeds, or until another try is not allowed or not worth the wait.
// If the model is gone (404), it starts again, once, with the fallback. Every error it
// returns is an *Error.
func (c *Client) call(ctx context.Context, model string, j job) error {
	if j.kind != jobEmbed { // Embed has admitted it
		if e := c.admit(ctx, model); e != nil {
			return e
		}
	}
	attempts, standIn, askedOnceMore := accountOf(ctx).attempts(), c.standIn(model, j), false
	for n := 1; ; n++ {
		e := c.once(ctx, model, j, n)
		if e != nil && e.Kind == Malformed && j.mend != nil {
			e = j.mend(ctx, e)
		}
		switch {
		case e == nil:
			return nil
		case j.otherwise != nil && j.otherwise():
			n--
			continue
		case e.onceMore && !askedOnceMore && !e.begun && !e.searched:
			askedOnceMore = true
			n--
			continue
		case e.Kind == Malformed && j.kind == jobRepair, e.tierRefused, e.onceMore:
			return e
		case e.Kind == Gone && standIn != "" && !e.begun:
			accountOf(ctx).charge(Ledger{Warnings: []string{WarnFallback}})
			model, standIn, n = standIn, "", 0
			continue
		}
		wait, again := c.retryAfter(attempts, n, e)
		if !again || wait >= patienceOf(ctx).left() || !sleep(ctx, wait) {
			return patienceOf(ctx).over(e)
		}
	}
}

// admit counts the call for its caller, and refuses it above the caller's limit.
func (c *Client) admit(ctx context.Context, model string) *Error {
	err := c.config.Calls.Admit(ctx)
	var many *admission.TooMany
	switch {
	case err == nil:
		return nil
	case errors.As(err, &many):
		return &Error{Kind: Quota, Reason: "calls_per_minute", Model: model, RetryAfter: many.RetryAfter, Err: err}
	case errors.Is(err, admission.ErrForeign):
		return &Error{Kind: Quota, Reason: "foreign_page", Model: model, Err: err}
	}
	return &Error{Kind: Unavailable, Model: model, Err: err}
}

// standIn returns the fallback of model, "" if there is none. Embeddings have none: vectors
// of different models cannot be compared.
func (c *Client) standIn(model string, j job) string {
	if name := c.config.Fallback[model]; name != model && j.kind != jobEmbed {
		return name
	}
	return ""
}

// once makes try n within the time limit of its tier, if the day's limit allows it.
func (c *Client) once(ctx context.Context, model string, j job, n int) *Error {
	tier := c.tierOfTry(ctx, model, j)
	ctx = WithTier(ctx, tier)
	tryCtx, log := c.logged(ctx, model, j, n)
	if e := c.mayCall(ctx, model); e != nil {
		log(e)
		return e
	}
	what := asking{model, tier, j.kind == jobSearch}
	if e := c.standing.now(what, time.Now()); e != nil {
		log(e)
		return e
	}
	waiting := patienceOf(ctx)
	waitCtx, stop := context.WithTimeout(ctx, waiting.left())
	defer stop()
	if e := c.waitTurn(waitCtx, model); e != nil {
		log(e)
		return e
	}
	tryCtx, cancel := context.WithTimeout(tryCtx, min(c.timeout(tier), waiting.left()))
	defer cancel()
	tryCtx, end := c.observe(tryCtx, model)
	e := c.tryError(ctx, model, j.kind, j.try(tryCtx, model))
	if e == nil || e.Kind == Malformed {
		waiting.answered()
	}
	c.standing.note(what, e, time.Now())
	end(e)
	log(e)
	return e
}

// waitTurn waits until a try is within TriesPerMinute. If ctx ends before that, it answers at
// once, as for a quota.
func (c *Client) waitTurn(ctx context.Context, model string) *Error {
	if c.config.TriesPerMinute <= 0 || isFree(model) {
		return nil
	}
	if err := c.pace.Wait(ctx); err != nil {
		return &Error{Kind: Quota, Reason: "model_calls_per_minute", Model: model, RetryAfter: time.Minute, Err: err}
	}
	return nil
}

// pacer lets through n tries a minute, those of a second at once.
func pacer(n int) *rate.Limiter {
	return rate.NewLimiter(rate.Limit(float64(n)/60), max(1, n/60))
}

// tryError returns the error of a try of a job of that kind as an *Error, nil for nil.
func (c *Client) tryError(ctx context.Context, model, kind string, err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	accountOf(ctx).charge(Ledger{Calls: Calls{Failed: 1}})
	e = c.explain(ctx, model, kind, err)
	e.begun = brokenOff(err)
	e.tierRefused = TierOf(ctx) == Flex && refusesTier(e)
	return e
}

func (c *Client) mayCall(ctx context.Context, model string) *Error {
	if err := ctx.Err(); err != nil {
		return &Error{Kind: Unavailable, Model: model, Err: err}
	}
	if isFree(model) {
		if !c.config.AllowEmulated {
			return notAllowed(model)
		}
		return nil
	}
	return c.meter.check(ctx, model, time.Now().UTC())
}

// retryAfter says whether try n+1 may be made after e, and after what wait. An answer that
// was malformed and not repaired is requested once more even with one attempt: a model that
// fails once in five then fails once in 25.
func (c *Client) retryAfter(attempts, n int, e *Error) (wait time.Duration, again bool) {
	if e.begun {
		return 0, false
	}
	if e.Kind == Malformed {
		return 0, !e.searched && (n < attempts || attempts == 1 && n == 1 && !e.repaired)
	}
	passing := e.Kind == Unavailable || e.Kind == Quota && !e.PerDay
	polite := attempts == 1 && n == 1 && e.RetryAfter > 0 && e.RetryAfter <= politeWait
	if !passing || e.RetryAfter > longestWait || n >= attempts && !polite {
		return 0, false
	}
	if e.RetryAfter > 0 {
		return e.RetryAfter + rand.N(c.config.Backoff/2+1), true
	}
	wait = c.config.Backoff
	for range n - 1 {
		wait = min(2*wait, max(steepest, c.config.Backoff))
	}
	return wait/2 + rand.N(wait/2+1), true
}

// sleep waits; it returns false at once if the context ends first.
func sleep(ctx context.Context, wait time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
