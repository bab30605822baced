package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.com/whatis/internal/store"
)

// A Group makes values, each once for all who ask for it at the same time: in this
// instance by one run, in all instances by a lease. Unlike a job it leaves no result in
// its record: whoever makes a value keeps it where the others find it.
type Group[T any] struct {
	leases *Store
	agent  string
	poll   time.Duration
	shared shared[T, struct{}]
}

// NewGroup returns the values of an agent. Each is made within longest, with the wait for
// other instances, which are looked at every poll.
func NewGroup[T any](leases *Store, agent string, longest, poll time.Duration) *Group[T] {
	return &Group[T]{leases: leases, agent: agent, poll: poll, shared: shared[T, struct{}]{longest: longest, outlives: true}}
}

// Get is what find finds, or what do makes under the lease of key. It goes on when all
// who asked have left.
func (g *Group[T]) Get(ctx context.Context, key string, find func(context.Context) (T, bool, error), do func(context.Context) (T, error)) (T, error) {
	return g.shared.join(ctx, key, nil, func(ctx context.Context, _ func(struct{})) (T, error) { return g.leased(ctx, key, find, do) })
}

// leased does the work under the lease of key, or finds what whoever has it makes. The
// lease is a claim that is always given back.
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
