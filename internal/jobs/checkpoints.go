package jobs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
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

// Key returns the key of a checkpoint that names what is done and all that decides its value:
// of what, by what. One piece of work may have several items, and may be resumed by a newer
// program. The name comes first, before a space.
func Key(what string, decides ...any) string {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(decides) // texts and numbers
	return what + " " + hex.EncodeToString(h.Sum(nil)[:8])
}

// Once returns the checkpoint of ctx under key (Key), or calls do and keeps its value. The
// cost of do is kept with the value, and charged again to the account of a run that
// reads the checkpoint. T must survive JSON; a checkpoint that is no T is done again. An error
// of do is not kept.
//
// A value is stored before another do is called, and if one is under way. The last value of a
// piece of work is stored by the write that ends it, or a second later.
func Once[T any](ctx context.Context, key string, do func(context.Context) (T, error)) (T, error) {
	j := CheckpointsOf(ctx)
	var value T
	if j.load(ctx, key, &value) {
		return value, nil
	}
	end, err := j.begin(ctx)
	if err != nil && !j.outlived(ctx) {
		end()
		return value, failed(key, err)
	}
	split, charge := gemini.Split(ctx)
	value, err = do(split)
	spent := charge()
	keep := end()
	if err != nil {
		return value, err
	}
	if err = j.store(ctx, key, value, spent, keep); j.outlived(ctx) {
		return value, nil
	}
	return value, err
}

// outlived reports that the claim has ended whose checkpoints they are, and the work goes on: it
// is shared (Executor.Ask), and somebody else waits for it. Then nothing more is kept.
func (j Checkpoints) outlived(ctx context.Context) bool {
	return j.claim != nil && j.claim.ctx.Err() != nil && ctx.Err() == nil
}

// A keeper stores a value under a key.
type keeper = func(ctx context.Context, key string, value json.RawMessage) error

// begin stores what waits before something else is paid. The returned function is called
// after that, and returns how its value is kept.
func (j Checkpoints) begin(ctx context.Context) (end func() keeper, err error) {
	if j.claim == nil {
		return func() keeper { return j.Keep }, nil
	}
	err = j.claim.storeUnwaited(ctx)
	j.paying.Add(1)
	return func() keeper {
		if j.paying.Add(-1) > 0 {
			return j.Keep
		}
		return func(_ context.Context, key string, value json.RawMessage) error {
			return j.claim.checkpointUnwaited(key, value)
		}
	}, err
}

// Kept returns the checkpoint of ctx under key that an earlier run has kept, the zero value if
// there is none that is a T.
func Kept[T any](ctx context.Context, key string) (value T) {
	CheckpointsOf(ctx).load(ctx, key, &value)
	return value
}

// Spent returns what the checkpoints of ctx that earlier runs have kept cost together.
func Spent(ctx context.Context) gemini.Ledger {
	account := &gemini.Account{}
	ctx = gemini.WithAccount(ctx, account)
	for _, key := range slices.Sorted(maps.Keys(CheckpointsOf(ctx).Kept)) {
		_ = Kept[json.RawMessage](ctx, key) // one that cannot be read costs nothing more
	}
	return account.Ledger()
}

// Keep stores value as the checkpoint of ctx under key, in place of an earlier one. T must
// survive JSON.
func Keep[T any](ctx context.Context, key string, value T) error {
	j := CheckpointsOf(ctx)
	return j.store(ctx, key, value, gemini.Ledger{}, j.Keep)
}

// load reads the checkpoint under key into value, a pointer, and charges its cost. It reports
// false and leaves value zero if there is none of that type.
func (j Checkpoints) load(ctx context.Context, key string, value any) bool {
	data, found := j.Kept[key]
	if !found {
		return false
	}
	var e entry
	err := json.Unmarshal(data, &e)
	gemini.Charge(ctx, e.Spent)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(e.Value))
		d.DisallowUnknownFields()
		err = d.Decode(value)
	}
	if err != nil {
		slog.WarnContext(ctx, "checkpoint not read", "key", key, "error", err)
		reflect.ValueOf(value).Elem().SetZero()
	}
	return err == nil
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
