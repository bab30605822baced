package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.com/whatis/internal/store"
)

// A Group makes values, each once for all concurrent callers: in this instance by one
// shared run, across instances by a lease. Unlike a job it leaves no result in its record:
// do stores the value where find finds it.
type Group[T any] struct {
	leases *Store
	agent  string
	poll   time.Duration
	shared shared[T, struct{}]
}

// NewGroup returns the group of an agent's values. longest bounds making one, with the
// wait for other instances, during which find is called every poll.
func NewGroup[T any](leases *Store, agent string, longest, poll time.Duration) *Group[T] {
	return &Group[T]{leases: leases, agent: agent, poll: poll, shared: shared[T, struct{}]{longest: longest, outlives: true}}
}

// Get returns the value that find finds, or that do makes under the lease of key. The run
// goes on when all callers have left.
func (g *Group[T]) Get(ctx context.Context, key string, find func(context.Context) (T, bool, error), do func(context.Context) (T, error)) (T, error) {
	value, _, err := g.shared.join(ctx, key, nil, func(ctx context.Context, _ func(struct{})) (T, error) { return g.leased(ctx, key, find, do) })
	return value, err
}

// leased calls do under the lease of key, or waits for the value that the holder of the
// lease makes. The lease is a claim that is always released.
func (g *Group[T]) leased(ctx context.Context, key string, find func(context.Context) (T, bool, error), do func(context.Context) (T, error)) (none T, err error) {
	for {
		claim, err := g.leases.Claim(ctx, Item{ID: store.HashID(g.agent, key), Kind: g.agent + "_lease", Subject: key})
		if err != nil && !errors.Is(err, ErrBusy) {
			return none, fmt.Errorf("jobs: lease: %w", err)
		}
		if claim != nil {
			defer giveBack(ctx, claim)
		}
		if v, ok, err := find(ctx); ok || err != nil {
			return v, err
		}
		if claim != nil {
			return do(claim.Context())
		}
		select {
		case <-time.After(g.poll):
		case <-ctx.Done():
			return none, ctx.Err()
		}
	}
}

func giveBack(ctx context.Context, claim *Claim) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	if err := claim.Release(ctx, Waiting); err != nil && !errors.Is(err, ErrLost) {
		slog.WarnContext(ctx, "lease not given back", "error", err)
	}
}
