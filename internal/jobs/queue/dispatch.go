package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
)

// A Dispatcher passes tasks to their handlers. All handlers are registered before the
// first Dispatch; then it is safe for concurrent use.
type Dispatcher struct {
	handlers map[name]handler
	former   map[string]name
}

// A name is the key of a handler.
type name struct{ agent, kind string }

type handler func(ctx context.Context, payload json.RawMessage, m Meta) error

// NewDispatcher returns a dispatcher without handlers.
func NewDispatcher() *Dispatcher {
	return &Dispatcher{map[name]handler{}, map[string]name{}}
}

// Handle registers do as the handler of the tasks of that agent and kind. An error asks
// for another delivery. A payload that does not decode to P is dropped. Handle panics at
// a second handler of the same agent and kind.
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

// Former dispatches tasks of the older form {"task": old, …}, which may be in the queue
// when this version is deployed, to the handler of agent and kind.
func (d *Dispatcher) Former(old, agent, kind string) { d.former[old] = name{agent, kind} }

// Dispatch passes one task to its handler. An error asks for another delivery.
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
