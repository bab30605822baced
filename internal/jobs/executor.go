package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"example.com/whatis/internal/jobs/queue"
)

// Config is what an Executor needs of its room. Functions may be nil unless they
// are said to be needed.
type ExecutorConfig[R any] struct {
	Work     *Store
	Events   *queue.Topic // is told of each finished result; nil tells nobody
	Failures *queue.Topic // is told of each piece of work that is given up; nil tells nobody

	// GiveUpAfter is the age at which work is given up, which begins with the first
	// attempt that did not merely wait (work.Reason): 24 h.
	GiveUpAfter time.Duration

	Describe  func(R) Facts      // needed
	Public    func(R) R          // what everybody may see of a result; nil is all of it
	Permanent func(error) bool   // the same work would meet this error again; nil is none but what models say of the content
	Gone      func(error) string // a code if this error says that what the work is about is not there any more, else ""

	// Log notes a result, or what was spent on an attempt that ended with err.
	Log func(ctx context.Context, name string, attempt int, r R, err error)
}

// Facts are what of a result matters here.
type Facts struct {
	Error      string            // the code of a failure; "" is success
	GivenUp    bool              // of a failure: the work may be good, and a replay succeed
	Index      Index             // what the result is listed by
	Attributes map[string]string // of the message that tells of it
}

// A Job is one piece of work. Of its functions Open is called first, then FromCache
// or Do, Close last and in any case.
type Job[R, E any] struct {
	Item Item
	Name string // what log and errors call it
	Skip bool   // there is nothing to do, and no record of it

	// Of a delivered event.
	Published time.Time // when it came to be; zero if that is unknown
	Replay    bool      // the work is to be tried again although it failed

	// Of what somebody asks.
	Fresh   bool // do it, even if it was done before
	Resumed bool // asked again by somebody who has seen a part: a Fresh one that has ended is fresh enough

	// What Open finds out: the name of all that decides the result, which is the ID of
	// an Item that is asked for, and the tag that the result is forgotten by.
	CacheKey, CacheTag string

	// Attributes are those of every message about the work, beside its id, and
	// FailureAttributes those of the one that it was given up.
	Attributes, FailureAttributes map[string]string

	// Open gets what the work is about, and fills in what only that tells of the job.
	Open func(context.Context, *Job[R, E]) error
	// FromCache makes of an earlier result, of that age, the one of this job.
	FromCache func(ctx context.Context, earlier R, age time.Duration) (R, error)
	// Do does the work, and hands its events to watch, which may be nil. After an error
	// the result says what was spent. The journal of its context has what earlier
	// attempts have paid for.
	Do func(ctx context.Context, watch func(E)) (R, error)
	// Failed is the result of work that ended for good with err, after that time.
	// Deliver needs it.
	Failed func(ctx context.Context, spent R, err error, took time.Duration) R
	// Follow does what follows from a result. It may be called more than once.
	Follow func(context.Context, Outcome) error
	// Close gives back what Open took. The Do of an Ask may still go on, for others.
	Close func()
}

// An Executor does the work of one agent. It is safe for concurrent use.
type Executor[R, E any] struct {
	ExecutorConfig[R]
	shared shared[R, E]
}

// maxAge is the age at which work is given up, unless Config says otherwise.
const maxAge = 24 * time.Hour

// endTimeout bounds the writes that end a piece of work when its own time is up.
const endTimeout = 5 * time.Second

// New returns the executor of c.
func NewExecutor[R, E any](c ExecutorConfig[R]) (*Executor[R, E], error) {
	switch {
	case c.Work == nil:
		return nil, fmt.Errorf("jobs: Config.Work is not set")
	case c.Describe == nil:
		return nil, fmt.Errorf("jobs: Config.Describe is not set")
	}
	c.GiveUpAfter = cmp.Or(c.GiveUpAfter, maxAge)
	if c.Public == nil {
		c.Public = func(r R) R { return r }
	}
	if c.Permanent == nil {
		c.Permanent = func(error) bool { return false }
	}
	if c.Gone == nil {
		c.Gone = func(error) string { return "" }
	}
	if c.Log == nil {
		c.Log = func(context.Context, string, int, R, error) {}
	}
	return &Executor[R, E]{ExecutorConfig: c}, nil
}

// outcome is what the work record says of r.
func (e *Executor[R, E]) outcome(r R) (Outcome, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return Outcome{}, fmt.Errorf("jobs: a result: %w", err)
	}
	facts := e.Describe(r)
	return Outcome{Result: data, Error: facts.Error, Index: facts.Index}, nil
}

// cacheable is the outcome of r, done by j just now, which an equal job finds again
// unless it failed.
func (e *Executor[R, E]) cacheable(j *Job[R, E], r R) (Outcome, error) {
	o, err := e.outcome(r)
	if err == nil && o.Error == "" {
		o.CacheKey, o.CacheTag = j.CacheKey, j.CacheTag
	}
	return o, err
}

// Decode is the result that a record holds.
func Decode[R any](result json.RawMessage) (r R, err error) {
	if err := json.Unmarshal(result, &r); err != nil {
		return r, fmt.Errorf("jobs: a stored result: %w", err)
	}
	return r, nil
}
