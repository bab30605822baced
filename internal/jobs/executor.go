package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.com/whatis/internal/jobs/queue"
)

// ExecutorConfig is what an Executor needs beside its Kind.
type ExecutorConfig struct {
	Work     *Store       // required
	Events   *queue.Topic // gets each finished result; nil publishes none
	Failures *queue.Topic // gets each piece of work that is given up; nil publishes none

	// GiveUpAfter is the age at which work is given up, which begins with the first
	// attempt that did not merely wait (Reason): 24 h.
	GiveUpAfter time.Duration
}

// A Runner is an Executor as a field has it: each package that names a struct with a field of
// type *Executor would compile all its methods again, for each of its type arguments.
type Runner[R, E any] interface {
	Ask(ctx context.Context, j Job[R, E], watch func(E)) (R, error)
	Deliver(ctx context.Context, j Delivered[R, E]) (Outcome, error)
	Rewrite(ctx context.Context, id string, change func(R) (changed R, differs, uncached bool)) (l Listed[R], changed bool, err error)
	Corrected(ctx context.Context, l Listed[R], more map[string]string) error
	List(ctx context.Context, f Filter) (list []Listed[R], next string, err error)
	Get(ctx context.Context, id string) (Listed[R], error)
	Begun(ctx context.Context, id string) (bool, error)
}

// An Executor does the jobs of one kind. It is safe for concurrent use.
type Executor[R, E any] struct {
	ExecutorConfig
	kind   Kind[R]
	shared shared[R, E]

	patience time.Duration // of a delivery with other work of the same cache key
}

// maxAge is the age at which work is given up, unless the configuration says otherwise.
const maxAge = 24 * time.Hour

// endTimeout bounds the writes that end a piece of work when its own time is up.
const endTimeout = 5 * time.Second

// NewExecutor returns the executor of the jobs of a kind.
func NewExecutor[R, E any](kind Kind[R], c ExecutorConfig) (*Executor[R, E], error) {
	if c.Work == nil {
		return nil, errors.New("jobs: ExecutorConfig.Work is not set")
	}
	c.GiveUpAfter = cmp.Or(c.GiveUpAfter, maxAge)
	return &Executor[R, E]{ExecutorConfig: c, kind: kind, patience: turnPatience}, nil
}

// outcome returns r as the work record stores it.
func (e *Executor[R, E]) outcome(s *Spec, r R) (Outcome, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return Outcome{}, fmt.Errorf("jobs: a result: %w", err)
	}
	facts := e.kind.Describe(r)
	return Outcome{Result: data, Error: facts.Error, Index: facts.Index, Tags: s.Tags, More: facts.More}, nil
}

// Rewrite changes the result of finished work (Store.Rewrite); a result that is uncached is
// not returned to equal jobs any more, and one that this version cannot read stays.
func (e *Executor[R, E]) Rewrite(ctx context.Context, id string, change func(R) (changed R, differs, uncached bool)) (l Listed[R], changed bool, err error) {
	record, changed, err := e.Work.Rewrite(ctx, id, func(o *Outcome) (bool, error) {
		r, unreadable := Decode[R](o.Result)
		if unreadable != nil {
			return false, nil
		}
		r, differs, uncached := change(r)
		if !differs {
			return false, nil
		}
		now, err := e.outcome(&Spec{Tags: o.Tags}, r)
		if err != nil {
			return false, err
		}
		if !uncached {
			now.CacheKey = o.CacheKey
		}
		*o = now
		return true, nil
	})
	if err != nil || len(record.Result) == 0 {
		return Listed[R]{Record: record}, false, err
	}
	return e.finished(ctx, record), changed, nil
}

// Corrected publishes a finished result again, as it is now, with more attributes.
func (e *Executor[R, E]) Corrected(ctx context.Context, l Listed[R], more map[string]string) error {
	if e.Events == nil {
		return nil
	}
	r, err := Decode[R](l.Result)
	if err != nil {
		return err
	}
	s := Spec{Item: l.Item, Attributes: more}
	return e.Events.Publish(ctx, queue.Message{Data: e.kind.Public(r), Attributes: s.attributes(e.kind.Describe(r).Attributes)})
}

// cacheable returns the outcome of r, just done, with its cache key unless it failed.
func (e *Executor[R, E]) cacheable(s *Spec, r R) (Outcome, error) {
	o, err := e.outcome(s, r)
	if err == nil && o.Error == "" {
		o.CacheKey = s.CacheKey
	}
	return o, err
}

// Decode decodes the result of a record. With an error, it is what of it could be read.
func Decode[R any](result json.RawMessage) (r R, err error) {
	if err := json.Unmarshal(result, &r); err != nil {
		return r, fmt.Errorf("jobs: a stored result: %w", err)
	}
	return r, nil
}

// cachePatience bounds a read of the result cache. The Firestore client would retry
// for minutes.
const cachePatience = 2 * time.Second

// lookUp returns the newest result under a cache key.
func (e *Executor[R, E]) lookUp(ctx context.Context, key string) (of earlier[R], found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, cachePatience)
	defer cancel()
	record, age, found, err := e.Work.Cached(ctx, key)
	if err == nil && found {
		of, err = earlierOf[R](record, age)
	}
	if err != nil {
		slog.WarnContext(ctx, "result cache not read", "error", err)
		return earlier[R]{}, false, err
	}
	return of, found, nil
}

func earlierOf[R any](record Record, age time.Duration) (earlier[R], error) {
	r, err := Decode[R](record.Result)
	return earlier[R]{r, record.ID, age}, err
}

// ofOwner returns the result of the work that had the turn of a key last, if it is in the
// cache.
func (e *Executor[R, E]) ofOwner(ctx context.Context, key string) (of earlier[R], found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, cachePatience)
	defer cancel()
	record, err := e.Work.ofOwner(ctx, key)
	if errors.Is(err, ErrNotFound) {
		return of, false, nil
	}
	age := record.Read.Sub(record.Finished)
	if err == nil && (record.CacheKey == "" || len(record.Result) == 0 || age > e.Work.o.Cache) {
		return of, false, nil
	}
	if err == nil {
		of, err = earlierOf[R](record, age)
	}
	if err != nil {
		slog.WarnContext(ctx, "result of equal content not read", "error", err)
		return earlier[R]{}, false, err
	}
	return of, true, nil
}
