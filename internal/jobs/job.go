package jobs

import (
	"context"
	"time"
)

// A Kind says what the results and errors of one kind of job mean. R is the result.
type Kind[R any] interface {
	// Describe says what of a result matters to the executor.
	Describe(R) Facts
	// Public is what everybody may see of a result.
	Public(R) R
	// Fault says what an error of a job means for it.
	Fault(error) Fault
	// Log notes a result, or what was spent on an attempt that ended with err.
	Log(ctx context.Context, name string, attempt int, r R, err error)
}

// Facts are what of a result matters here.
type Facts struct {
	Error      string            // the code of a failure; "" is success
	GivenUp    bool              // of a failure: the work may be good, and a replay succeed
	Index      Index             // what the result is listed by
	Attributes map[string]string // of the message that tells of it
}

// A Fault is what an error means beyond what is true of any job: that models refuse
// its content, for one. The zero Fault is mended by time.
type Fault struct {
	Permanent bool   // the same job would meet it again
	Gone      string // a code if what the job is about is not there any more, else ""
}

// A Job is one piece of work, whose events are E. It embeds a Spec. Open is called
// first, then FromCache or Do, Close last and in any case.
type Job[R, E any] interface {
	spec() *Spec
	// Open gets what the work is about, and fills in what only that tells of the Spec.
	Open(context.Context) error
	// FromCache makes of an earlier result, of that age, the one of this job. It is
	// called only where the Spec has a CacheKey.
	FromCache(ctx context.Context, earlier R, age time.Duration) (R, error)
	// Do does the work, and hands its events to watch, which may be nil. After an error
	// the result says what was spent. The checkpoints of its context are what earlier
	// attempts have paid for.
	Do(ctx context.Context, watch func(E)) (R, error)
	// Close gives back what Open took. The Do of an Ask may still go on, for others.
	Close()
}

// A Delivered is a Job that an event asks for: nobody waits for its result.
type Delivered[R, E any] interface {
	Job[R, E]
	// Failed is the result of work that ended for good with err, after that time.
	Failed(ctx context.Context, spent R, err error, took time.Duration) R
	// Follow does what follows from a result. It may be called more than once.
	Follow(context.Context, Outcome) error
}

// A Spec is what is known of a job.
type Spec struct {
	Item Item
	Name string // what log and errors call it

	// Of a delivered event.
	Skip      bool      // there is nothing to do, and no record of it
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
}

func (s *Spec) spec() *Spec { return s }
