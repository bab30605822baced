package jobs

import (
	"context"
	"log/slog"
	"time"
)

// cachePatience is how long the result cache is waited for. Its client would try
// for minutes.
const cachePatience = 2 * time.Second

// cached is the result that an equal job had before, as j's own. A cache that cannot
// be reached is no reason to fail: the work is done. An error is the job's.
func (e *Executor[R, E]) cached(ctx context.Context, j *Job[R, E]) (r R, found bool, err error) {
	if j.CacheKey == "" || j.FromCache == nil {
		return r, false, nil
	}
	earlier, age, found := e.lookUp(ctx, j.CacheKey)
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
