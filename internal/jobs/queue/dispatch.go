package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"example.com/whatis/internal/admission"
)

// A Dispatcher passes tasks to their handlers. All handlers are registered before the
// first Dispatch; then it is safe for concurrent use.
type Dispatcher struct{ handlers map[name]Handler }

// A name is the key of a handler.
type name struct{ agent, kind string }

// A Handler does the tasks of one agent and kind. An error asks for another delivery; a
// task whose payload it could not decode is dropped.
type Handler func(ctx context.Context, p Payload, m Meta) error

// A Payload is the payload of a task as received, JSON.
type Payload []byte

// errPayload is the error of a payload that cannot be decoded.
var errPayload = errors.New("its payload cannot be read")

// Decode decodes the payload into v. A handler returns its error.
func (p Payload) Decode(v any) error {
	if err := json.Unmarshal(p, v); err != nil {
		return fmt.Errorf("%w: %w", errPayload, err)
	}
	return nil
}

// NewDispatcher returns a dispatcher without handlers.
func NewDispatcher() *Dispatcher {
	return &Dispatcher{map[name]Handler{}}
}

// Handle registers do as the handler of the tasks of that agent and kind. It panics at a
// second one.
func (d *Dispatcher) Handle(agent, kind string, do Handler) {
	n := name{agent, kind}
	if agent == "" || kind == "" || d.handlers[n] != nil {
		panic(fmt.Sprintf("queue: a handler of %q, %q: both must be named, and only once", agent, kind))
	}
	d.handlers[n] = do
}

// Dispatch passes one task to its handler. An error asks for another delivery.
func (d *Dispatcher) Dispatch(ctx context.Context, m Delivery) error {
	var e envelope
	if err := json.Unmarshal(m.Data, &e); err != nil {
		drop(ctx, name{}, m.Meta, fmt.Sprintf("it cannot be read: %v", err))
		return nil
	}
	n := name{e.Agent, e.Kind}
	do := d.handlers[n]
	if do == nil {
		drop(ctx, n, m.Meta, "nobody here handles it")
		return nil
	}
	if m.Dead {
		slog.InfoContext(ctx, "dead letter: tried once more", "agent", n.agent, "kind", n.kind, "published", m.Published)
	}
	if e.Caller != "" {
		ctx = admission.WithAbsentCaller(ctx, e.Caller)
	}
	err := do(ctx, Payload(e.Payload), m.Meta)
	if errors.Is(err, errPayload) {
		drop(ctx, n, m.Meta, err.Error())
		return nil
	}
	return err
}

func drop(ctx context.Context, n name, m Meta, why string) {
	slog.WarnContext(ctx, "task dropped", "agent", n.agent, "kind", n.kind, "dead", m.Dead, "why", why)
}
