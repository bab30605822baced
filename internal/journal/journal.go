// Package journal keeps what a run has paid for, so that another run of the same
// work goes on behind it.
//
//	context → Journal → Once(key, do) → the kept value, or do's, which is kept
//	                  → LLM(model)    → the same for each call of an agent's model
//	                  → Tool(tool)    → and for each call of its tools
//
// A run carries its journal in its context. What is done once is kept under a key
// of the caller's; what ADK's agents do is kept under a key made of what stays the
// same from run to run, which InvocationIDs do not:
//
//	branch:agent#round                          an answer of the agent's model
//	branch:agent.tool(FunctionCallID)#round     a result of its tool
//	branch:agent.tool(FunctionCallID)#round>…   what an agent does for that tool
//
// The round counts the calls of that agent's model, or of that tool under that ID.
// See [Events] for faults.
package journal

import (
	"context"
	"encoding/json"

	"example.com/whatis/internal/gemini"
)

// A Journal keeps the values of one run. The zero Journal keeps nothing. Keep and
// Large are called at the same time by agents that run at the same time.
type Journal struct {
	// Kept are the values of an earlier run, as JSON by key.
	Kept map[string]json.RawMessage
	// Keep stores a value before the run goes on; nil stores nothing.
	Keep func(ctx context.Context, key string, value json.RawMessage) error
	// Large, if it is not nil, holds values of more than 100 kB: Keep gets a
	// reference to them, for all that Keep stores has to fit into one record.
	Large Large

	run *run
}

// Large is a store of values that are large. A reference is short.
type Large interface {
	Put(ctx context.Context, key string, value []byte) (ref string, err error)
	Get(ctx context.Context, ref string) (value []byte, err error)
}

// largest is the size from which a value goes to Large.
const largest = 100 << 10

type contextKey struct{}

// With returns ctx with j as the journal of the run.
func With(ctx context.Context, j Journal) context.Context {
	if j.run == nil {
		j.run = &run{taken: map[string]bool{}}
	}
	return context.WithValue(ctx, contextKey{}, j)
}

// Of returns the journal of ctx, the zero Journal if it has none.
func Of(ctx context.Context) Journal {
	j, _ := ctx.Value(contextKey{}).(Journal)
	return j
}

// entry is a kept value and what it cost.
type entry struct {
	Value json.RawMessage `json:",omitempty"`
	Spent gemini.Ledger
	Large string `json:",omitempty"` // refers to the value
}

// Once returns the value that the journal of ctx has under key, or calls do and
// keeps what it returns. What do is charged for is kept with its value, and charged
// again to the account of a run that finds it kept. T must survive JSON. An error of
// do is not kept.
func Once[T any](ctx context.Context, key string, do func(context.Context) (T, error)) (T, error) {
	j := Of(ctx)
	var value T
	if found, err := j.load(ctx, key, &value); found || err != nil {
		return value, err
	}
	split, charge := gemini.Split(ctx)
	value, err := do(split)
	spent := charge()
	if err != nil {
		return value, err
	}
	return value, j.store(ctx, key, value, spent)
}

// load reads what is kept under key into value, and charges what it cost.
func (j Journal) load(ctx context.Context, key string, value any) (found bool, err error) {
	data, found := j.Kept[key]
	if !found {
		return false, nil
	}
	var e entry
	if err := json.Unmarshal(data, &e); err != nil {
		return false, failure{key, err}
	}
	if e.Large != "" {
		if e.Value, err = j.fetch(ctx, e.Large); err != nil {
			return false, failure{key, err}
		}
	}
	if err := json.Unmarshal(e.Value, value); err != nil {
		return false, failure{key, err}
	}
	gemini.Charge(ctx, e.Spent)
	return true, nil
}

// store stores value and what it cost, if the journal stores anything.
func (j Journal) store(ctx context.Context, key string, value any, spent gemini.Ledger) error {
	if j.Keep == nil {
		return nil
	}
	data, err := json.Marshal(value)
	if err != nil {
		return failure{key, err}
	}
	e := entry{Value: data, Spent: spent}
	if len(data) > largest && j.Large != nil {
		e.Value = nil
		if e.Large, err = j.Large.Put(ctx, key, data); err != nil {
			return failure{key, err}
		}
	}
	if data, err = json.Marshal(e); err == nil {
		err = j.Keep(ctx, key, data)
	}
	if err != nil {
		return failure{key, err}
	}
	return nil
}
