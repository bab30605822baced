package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"example.com/whatis/internal/gemini"
)

// Checkpoints keep the values of one run. The zero value keeps nothing. Parallel
// steps call Keep concurrently.
type Checkpoints struct {
	// Kept are the values of an earlier run, as JSON by key.
	Kept map[string]json.RawMessage
	// Keep stores a value before the run goes on; nil stores nothing.
	Keep func(ctx context.Context, key string, value json.RawMessage) error

	claim  *Claim        // whose checkpoints they are; nil if there is none
	paying *atomic.Int32 // how many calls of Once are under way
	stored *atomic.Bool
}

// checkpoints returns the checkpoints of the work that c holds.
func (c *Claim) checkpoints() Checkpoints {
	return Checkpoints{Kept: c.Checkpoints, Keep: c.Checkpoint, claim: c}
}

// Has reports that an earlier run has kept a value under key.
func (j Checkpoints) Has(key string) bool { return j.Kept[key] != nil }

// Progressed reports that this run has kept a value, so that a later run would resume
// after it.
func (j Checkpoints) Progressed() bool { return j.stored != nil && j.stored.Load() }

type contextKey struct{}

// WithCheckpoints returns ctx with j as the checkpoints of the run.
func WithCheckpoints(ctx context.Context, j Checkpoints) context.Context {
	if j.stored == nil {
		j.stored, j.paying = new(atomic.Bool), new(atomic.Int32)
	}
	return context.WithValue(ctx, contextKey{}, j)
}

// CheckpointsOf returns the checkpoints of ctx, the zero value if it has none.
func CheckpointsOf(ctx context.Context) Checkpoints {
	j, _ := ctx.Value(contextKey{}).(Checkpoints)
	return j
}

// entry is a kept value and what it cost.
type entry struct {
	Value json.RawMessage `json:",omitempty"`
	Spent gemini.Ledger
}

// Once returns the checkpoint of ctx under key, or calls do and keeps its value. The
// cost of do is kept with the value, and charged again to the account of a run that
// reads the checkpoint. T must survive JSON. An error of do is not kept.
//
// A value is stored before another do is called, and if one is under way. The last value of a
// piece of work is stored by the write that ends it, or a second later.
func Once[T any](ctx context.Context, key string, do func(context.Context) (T, error)) (T, error) {
	j := CheckpointsOf(ctx)
	var value T
	if found, err := j.load(ctx, key, &value); found || err != nil {
		return value, err
	}
	end, err := j.begin(ctx)
	if err != nil {
		return value, failed(key, err)
	}
	split, charge := gemini.Split(ctx)
	value, err = do(split)
	spent := charge()
	keep := end()
	if err != nil {
		return value, err
	}
	return value, j.store(ctx, key, value, spent, keep)
}

// A keeper stores a value under a key.
type keeper = func(ctx context.Context, key string, value json.RawMessage) error

// begin stores what waits before something else is paid. The returned function is called
// after that, and returns how its value is kept.
func (j Checkpoints) begin(ctx context.Context) (end func() keeper, err error) {
	if j.claim == nil {
		return func() keeper { return j.Keep }, nil
	}
	if err := j.claim.storeUnwaited(ctx); err != nil {
		return nil, err
	}
	j.paying.Add(1)
	return func() keeper {
		if j.paying.Add(-1) > 0 {
			return j.Keep
		}
		return func(_ context.Context, key string, value json.RawMessage) error {
			return j.claim.checkpointUnwaited(key, value)
		}
	}, nil
}

// Kept returns the checkpoint of ctx under key that an earlier run has kept, if there is one.
func Kept[T any](ctx context.Context, key string) (value T, found bool, err error) {
	found, err = CheckpointsOf(ctx).load(ctx, key, &value)
	return value, found, err
}

// Spent returns what the checkpoints of ctx that earlier runs have kept cost together.
func Spent(ctx context.Context) gemini.Ledger {
	account := &gemini.Account{}
	ctx = gemini.WithAccount(ctx, account)
	for _, key := range slices.Sorted(maps.Keys(CheckpointsOf(ctx).Kept)) {
		_, _, _ = Kept[json.RawMessage](ctx, key) // one that cannot be read costs nothing more
	}
	return account.Ledger()
}

// Keep stores value as the checkpoint of ctx under key, in place of an earlier one. T must
// survive JSON.
func Keep[T any](ctx context.Context, key string, value T) error {
	j := CheckpointsOf(ctx)
	return j.store(ctx, key, value, gemini.Ledger{}, j.Keep)
}

// load reads the checkpoint under key into value, and charges its cost.
func (j Checkpoints) load(ctx context.Context, key string, value any) (found bool, err error) {
	data, found := j.Kept[key]
	if !found {
		return false, nil
	}
	var e entry
	if err := json.Unmarshal(data, &e); err != nil {
		return false, failed(key, err)
	}
	if err := json.Unmarshal(e.Value, value); err != nil {
		return false, failed(key, err)
	}
	gemini.Charge(ctx, e.Spent)
	return true, nil
}

// store stores value and its cost, unless keep is nil.
func (j Checkpoints) store(ctx context.Context, key string, value any, spent gemini.Ledger, keep keeper) error {
	if keep == nil {
		return nil
	}
	data, err := json.Marshal(value)
	if err != nil {
		return failed(key, err)
	}
	if data, err = json.Marshal(entry{Value: data, Spent: spent}); err == nil {
		err = keep(ctx, key, data)
	}
	if err != nil {
		return failed(key, err)
	}
	if j.stored != nil {
		j.stored.Store(true)
	}
	return nil
}

// failed wraps err with the checkpoint's key.
func failed(key string, err error) error { return fmt.Errorf("jobs: %s: %w", key, err) }
