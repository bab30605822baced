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
	Work     *Store       // needed
	Events   *queue.Topic // is told of each finished result; nil tells nobody
	Failures *queue.Topic // is told of each piece of work that is given up; nil tells nobody

	// GiveUpAfter is the age at which work is given up, which begins with the first
	// attempt that did not merely wait (Reason): 24 h.
	GiveUpAfter time.Duration
}

// An Executor does the jobs of one kind. It is safe for concurrent use.
type Executor[R, E any] struct {
	ExecutorConfig
	kind   Kind[R]
	shared shared[R, E]
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
	return &Executor[R, E]{ExecutorConfig: c, kind: kind}, nil
}

// outcome is what the work record says of r.
func (e *Executor[R, E]) outcome(r R) (Outcome, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return Outcome{}, fmt.Errorf("jobs: a result: %w", err)
	}
	facts := e.kind.Describe(r)
	return Outcome{Result: data, Error: facts.Error, Index: facts.Index}, nil
}

// cacheable is the outcome of r, done just now, which an equal job finds again unless
// it failed.
func (e *Executor[R, E]) cacheable(s *Spec, r R) (Outcome, error) {
	o, err := e.outcome(r)
	if err == nil && o.Error == "" {
		o.CacheKey, o.CacheTag = s.CacheKey, s.CacheTag
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

// cachePatience is how long the result cache is waited for. Its client would try
// for minutes.
const cachePatience = 2 * time.Second

// cached is the result that an equal job had before, as j's own. A cache that cannot
// be reached is no reason to fail: the work is done. An error is the job's.
func (e *Executor[R, E]) cached(ctx context.Context, j Job[R, E]) (r R, found bool, err error) {
	if j.spec().CacheKey == "" {
		return r, false, nil
	}
	earlier, age, found := e.lookUp(ctx, j.spec().CacheKey)
	if !found {
		return r, false, nil
	}
	r, err = j.FromCache(ctx, earlier, age)
	return r, true, err
}

// lookUp is the newest result under a cache key, and its age.
func (e *Executor[R, E]) lookUp(ctx context.Context, key string) (r R, age time.Duration, found bool) {
	ctx, cancel := context.WithTimeout(ctx, cachePatience)
	defer cancel()
	record, age, found, err := e.Work.Cached(ctx, key)
	if err == nil && found {
		r, err = Decode[R](record.Result)
	}
	if err != nil {
		slog.WarnContext(ctx, "result cache not read", "error", err)
		return r, 0, false
	}
	return r, age, found
}
