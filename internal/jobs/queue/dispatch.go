package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
)

// A Dispatcher gives tasks to their handlers. It is complete before its first
// Dispatch, and then safe for concurrent use.
type Dispatcher struct {
	handlers map[name]handler
	former   map[string]name
}

// A name is what a handler is found by.
type name struct{ agent, kind string }

type handler func(ctx context.Context, payload json.RawMessage, m Meta) error

// NewDispatcher returns one without handlers.
func NewDispatcher() *Dispatcher {
	return &Dispatcher{map[name]handler{}, map[string]name{}}
}

// Handle has do do the tasks of that agent and kind. An error asks for another
// delivery. A payload that is no P is dropped. A second handler of the same is a
// mistake in the program: Handle panics.
func Handle[P any](d *Dispatcher, agent, kind string, do func(ctx context.Context, payload P, m Meta) error) {
	n := name{agent, kind}
	if agent == "" || kind == "" || d.handlers[n] != nil {
		panic(fmt.Sprintf("queue: a handler of %q, %q: both must be named, and only once", agent, kind))
	}
	d.handlers[n] = func(ctx context.Context, payload json.RawMessage, m Meta) error {
		var p P
		if err := json.Unmarshal(payload, &p); err != nil {
			drop(ctx, n, m, fmt.Sprintf("its payload cannot be read: %v", err))
			return nil
		}
		return do(ctx, p, m)
	}
}

// Former has tasks of the form {"task": old, …}, which may be under way when this
// version is deployed, done as those of agent and kind.
func (d *Dispatcher) Former(old, agent, kind string) { d.former[old] = name{agent, kind} }

// Dispatch does one task. An error asks for it to be delivered again.
func (d *Dispatcher) Dispatch(ctx context.Context, m Delivery) error {
	var e envelope
	if err := json.Unmarshal(m.Data, &e); err != nil {
		drop(ctx, name{}, m.Meta, fmt.Sprintf("it cannot be read: %v", err))
		return nil
	}
	n := name{e.Agent, e.Kind}
	if former, ok := d.former[e.Name]; ok && n == (name{}) {
		n, e.Payload = former, m.Data
	}
	do := d.handlers[n]
	if do == nil {
		drop(ctx, n, m.Meta, "nobody here handles it")
		return nil
	}
	if m.Dead {
		slog.InfoContext(ctx, "dead letter: tried once more", "agent", n.agent, "kind", n.kind, "published", m.Published)
	}
	return do(ctx, e.Payload, m.Meta)
}

func drop(ctx context.Context, n name, m Meta, why string) {
	slog.WarnContext(ctx, "task dropped", "agent", n.agent, "kind", n.kind, "dead", m.Dead, "why", why)
}
