package agent

import (
	"context"
	"encoding/json"
	"fmt"
)

// A Journal keeps what the steps of a run have come to, so that another run of
// the same work goes on behind them. The zero Journal keeps nothing.
type Journal struct {
	// Kept are the values of an earlier run, as JSON by key.
	Kept map[string]json.RawMessage
	// Keep stores a value before the run goes on; nil stores nothing.
	Keep func(ctx context.Context, key string, value json.RawMessage) error
}

// Once returns the value that the session's journal has under key, or calls do
// and keeps what it returns. T must survive JSON. An error of do is not kept.
func Once[T any](ctx context.Context, s *Session, key string, do func(context.Context) (T, error)) (T, error) {
	var value T
	if data, ok := s.journal.Kept[key]; ok {
		if err := json.Unmarshal(data, &value); err != nil {
			return value, fmt.Errorf("agent: journal: %s: %w", key, err)
		}
		return value, nil
	}
	value, err := do(ctx)
	if err != nil || s.journal.Keep == nil {
		return value, err
	}
	data, err := json.Marshal(value)
	if err != nil {
		return value, fmt.Errorf("agent: journal: %s: %w", key, err)
	}
	if err := s.journal.Keep(ctx, key, data); err != nil {
		return value, fmt.Errorf("agent: journal: %s: %w", key, err)
	}
	return value, nil
}
