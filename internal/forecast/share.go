package forecast

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/store"
)

// longest is how long one generation may take, with those it waits for.
const longest = 2 * time.Minute

// once is what look finds under key, or what do makes of it, once for all who ask
// meanwhile: in this instance by one flight, in all instances by a lease. It goes on
// when the one who asked first has left.
func once[T any](ctx context.Context, p *Pipeline, key string, look func(context.Context) (T, bool, error), do func(context.Context) (T, error)) (T, error) {
	flight := p.flights.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longest)
		defer cancel()
		return leased(ctx, p, key, look, do)
	})
	var none T
	select {
	case r := <-flight:
		if r.Err != nil {
			return none, r.Err
		}
		return r.Val.(T), nil
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// leased does the work under the lease of key, or finds what whoever has it makes. The
// lease is a claim that is always given back.
func leased[T any](ctx context.Context, p *Pipeline, key string, look func(context.Context) (T, bool, error), do func(context.Context) (T, error)) (T, error) {
	var none T
	for {
		claim, err := p.Leases.Claim(ctx, jobs.Item{ID: store.HashID("forecast", key), Kind: "forecast_lease", Subject: key})
		if err != nil && !errors.Is(err, jobs.ErrBusy) {
			return none, fmt.Errorf("forecast: lease: %w", err)
		}
		if claim != nil {
			defer release(ctx, claim)
		}
		if v, ok, err := look(ctx); ok || err != nil {
			return v, err
		}
		if claim != nil {
			return do(claim.Context())
		}
		select {
		case <-time.After(p.Poll):
		case <-ctx.Done():
			return none, ctx.Err()
		}
	}
}

func release(ctx context.Context, claim *jobs.Claim) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := claim.Release(ctx, jobs.Waiting); err != nil && !errors.Is(err, jobs.ErrLost) {
		slog.WarnContext(ctx, "forecast's lease not given back", "error", err)
	}
}
