package jobs

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"
)

// A Kind interprets the results and errors of one kind of job. R is the result.
type Kind[R any] interface {
	// Describe returns what the executor needs to know of a result.
	Describe(R) Facts
	// Public returns a result without its private parts.
	Public(R) R
	// Fault classifies an error of a job.
	Fault(error) Fault
	// Log logs a result, or what was spent on an attempt that ended with err.
	Log(ctx context.Context, name string, attempt int, r R, err error)
}

// Facts are what the executor needs to know of a result.
type Facts struct {
	Error      string            // the code of a failure; "" is success
	More       bool              // of work in parts: another follows
	GivenUp    bool              // of a failure: the work may be valid, and a replay succeed
	Index      Index             // what the result is listed by
	Attributes map[string]string // of the message that publishes it
}

// A Fault classifies an error of one kind of job, beyond the errors that package jobs
// knows itself, such as refused content. The zero Fault is temporary.
type Fault struct {
	Permanent bool   // the same job would fail again
	Gone      string // a code if the subject of the job does not exist any more, else ""
}

// A Job is one piece of work, whose events are E. It embeds a Spec. Open is called
// first, then FromCache or Do, Close last and in any case.
type Job[R, E any] interface {
	spec() *Spec
	// Open reads the subject of the work, and fills in the fields of the Spec that depend on it.
	Open(context.Context) error
	// FromCache returns this job's result, made from an earlier one of that age. It is
	// called only if the Spec has a CacheKey.
	FromCache(ctx context.Context, earlier R, age time.Duration) (R, error)
	// Do does the work, and passes its events to watch, which may be nil. After an error
	// the result says what was spent. The checkpoints of its context hold what earlier
	// attempts paid for.
	Do(ctx context.Context, watch func(E)) (R, error)
	// Close releases what Open acquired. The Do of an Ask may go on, for other callers.
	Close()
}

// A Delivered is a Job that an event asks for: no caller waits for its result.
type Delivered[R, E any] interface {
	Job[R, E]
	// Failed returns the result of work that failed permanently with err, after that time.
	Failed(ctx context.Context, spent R, err error, took time.Duration) R
	// Follow acts on a finished result. It may be called more than once.
	Follow(context.Context, Outcome) error
}

// Uncached is what a Delivered embeds in place of a Spec if it has no cache key: its methods do
// nothing.
type Uncached[R any] struct{ Spec }

// Open implements Job.
func (*Uncached[R]) Open(context.Context) error { return nil }

// FromCache is not called.
func (*Uncached[R]) FromCache(_ context.Context, earlier R, _ time.Duration) (R, error) {
	return earlier, nil
}

// Follow implements Delivered.
func (*Uncached[R]) Follow(context.Context, Outcome) error { return nil }

// Close implements Job.
func (*Uncached[R]) Close() {}

// A Spec describes a job.
type Spec struct {
	Item Item
	Name string // what log and errors call it

	// Of a delivered event.
	Skip      bool      // there is nothing to do, and no record of it
	Published time.Time // when it was published; zero if unknown
	Replay    bool      // the work is to be tried again although it failed

	// Of a caller's request.
	Fresh   bool      // do the work even if there is a cached result
	Resumed time.Time // asked again after a lost connection, when that work began: a Fresh result made since may come from the cache

	// Open sets them: the key names everything that decides the result, and is the ID of
	// an Item that is asked for; Do may set another, "" for a result that is not to be cached.
	// Store.Tagged finds the work by its tags.
	CacheKey string
	Tags     []string

	// ContentKey, which Open may set, is the key of other subjects as well whose result is
	// the same; "" if there are none. Their cached result is passed to FromCache.
	ContentKey string

	// Notes, which Open may set, are documents that others may write about the subject at any
	// time. Recheck is called once the result is recorded, at every delivery, and for a new result
	// of a request only if there is one of them: they may have been written while the work was
	// done, and what FromCache has read may be otherwise. It reports whether it has changed the
	// record. Begun is when the work began, at whatever delivery: that sets it.
	Notes   []*firestore.DocumentRef
	Recheck func(context.Context, Outcome) (changed bool, err error)
	Begun   time.Time

	// FromCache sets it if the result needs a record of its own, as it has another ID than
	// the earlier one.
	Unrecorded bool

	// Attributes are set on every message about the work, beside its id, and
	// FailureAttributes on the message that it was given up.
	Attributes, FailureAttributes map[string]string

	run     string  // the ID of the run of a caller's request; "" of claimed work
	turns   []*turn // of CacheKey and ContentKey, while the work is done
	unnoted bool
}

// Unnoted reports that there were no Notes just now, or when the work
// began. It costs no call, as the one that takes the turn has told; without a turn it is false.
func (s *Spec) Unnoted() bool { return s.unnoted }

func (s *Spec) spec() *Spec { return s }
