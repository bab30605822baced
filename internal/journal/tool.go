package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/toolutils"
	"google.golang.org/genai"

	"example.com/whatis/internal/gemini"
)

// Tool returns inner with the journal of the run that calls it: what is kept of a
// call is its result, or the error that goes to the model, with its cost and its
// actions, so that a loop that was left is left again. Errors that end the run, as
// [Passing] has them, and panics are not kept; nor is the wish to be confirmed. An
// artifact is kept as its version only.
//
// A tool that the model's service runs, such as Google's search, is returned as it
// is: its results come with the model's answer.
func Tool(inner tool.Tool) tool.Tool {
	if r, ok := inner.(runnable); ok {
		return &journaledTool{r}
	}
	return inner
}

// runnable is a tool that ADK can call.
type runnable interface {
	tool.Tool
	Declaration() *genai.FunctionDeclaration
	Run(ctx agent.Context, args any) (map[string]any, error)
}

type journaledTool struct{ runnable }

// ProcessRequest puts the tool into a request of the model.
func (t *journaledTool) ProcessRequest(ctx agent.Context, r *model.LLMRequest) error {
	inner, ok := t.runnable.(interface {
		ProcessRequest(agent.Context, *model.LLMRequest) error
	})
	if !ok {
		return toolutils.PackTool(r, t)
	}
	if err := inner.ProcessRequest(ctx, r); err != nil {
		return err
	}
	if r.Tools[t.Name()] != nil {
		r.Tools[t.Name()] = t
	}
	return nil
}

// outcome is what is kept of a call.
type outcome struct {
	Result  map[string]any
	Error   string `json:",omitempty"`
	Actions session.EventActions
}

// Run calls the tool, or repeats what is kept of this call.
func (t *journaledTool) Run(ctx agent.Context, args any) (map[string]any, error) {
	j := Of(ctx)
	if j.run == nil {
		return t.runnable.Run(ctx, args)
	}
	key, release := j.run.nextKey(fmt.Sprintf("%s.%s(%s)", step(ctx, ctx.Branch(), ctx.AgentName()), t.Name(), ctx.FunctionCallID()))
	o, err := t.outcome(ctx, j, key, args)
	if err != nil {
		release()
		return nil, err
	}
	*ctx.Actions() = o.Actions
	if o.Error != "" {
		return nil, errors.New(o.Error)
	}
	return o.Result, nil
}

// outcome is what is kept under key, or comes of the call, which is kept. Its
// error is none that is: the run's end, or the wish to be confirmed.
func (t *journaledTool) outcome(ctx agent.Context, j Journal, key string, args any) (outcome, error) {
	var o outcome
	found, err := j.load(ctx, key, &o)
	if found {
		return o, nil
	}
	if err == nil {
		o, err = t.call(ctx, j, key, args)
	}
	if err != nil && !unconfirmed(err) {
		j.run.setFault(ctx, err)
		*ctx.Actions() = session.EventActions{StateDelta: map[string]any{}, ArtifactDelta: map[string]int64{}} // the agent goes on to its model, and ends there
	}
	return o, err
}

func unconfirmed(err error) bool { return errors.Is(err, tool.ErrConfirmationRequired) }

// call makes the call and keeps what came of it.
func (t *journaledTool) call(ctx agent.Context, j Journal, key string, args any) (outcome, error) {
	split, charge := gemini.Split(ctx)
	this := &call{key: key, outer: callOf(ctx)}
	result, err := t.guarded(toolContext{ctx, context.WithValue(split, callKey{}, this)}, args)
	spent := charge()
	if fault := j.run.faultOf(this); fault != nil {
		return outcome{}, fault
	}
	if err != nil && (unconfirmed(err) || endsRun(ctx, err)) {
		return outcome{}, err
	}
	o := outcome{Result: result, Actions: *ctx.Actions()}
	if err != nil {
		o.Error = err.Error()
	}
	if err := j.store(ctx, key, o, spent); err != nil {
		return outcome{}, err
	}
	kept, err := o.asKept()
	if err != nil {
		return outcome{}, failure{key, err}
	}
	return kept, nil
}

// asKept is o as another run finds it, where structs are maps: both go on alike.
func (o outcome) asKept() (kept outcome, err error) {
	data, err := json.Marshal(o)
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	return kept, err
}

// guarded calls the tool and makes errors of its panics. Those that ADK recovers
// from in a tool that is a function come as a text.
func (t *journaledTool) guarded(ctx agent.Context, args any) (result map[string]any, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = t.panicked(ctx, fmt.Sprintf("%v\nstack: %s", value, debug.Stack()))
		}
	}()
	result, err = t.runnable.Run(ctx, args)
	if err != nil {
		if value, ok := strings.CutPrefix(err.Error(), fmt.Sprintf("panic in tool %q: ", t.Name())); ok {
			err = t.panicked(ctx, value)
		}
	}
	return result, err
}

// panicked logs a panic with its stack, which its error leaves out.
func (t *journaledTool) panicked(ctx context.Context, text string) error {
	value, stack, _ := strings.Cut(text, "\nstack: ")
	slog.ErrorContext(ctx, "journal: a tool panicked", "tool", t.Name(), "panic", value, "stack", stack)
	return panicked{t.Name(), value}
}

// toolContext is the context of a tool's call with the values of another.
// agent.Context has no way to give it any.
type toolContext struct {
	agent.Context
	values context.Context
}

func (c toolContext) Deadline() (time.Time, bool) { return c.values.Deadline() }
func (c toolContext) Done() <-chan struct{}       { return c.values.Done() }
func (c toolContext) Err() error                  { return c.values.Err() }
func (c toolContext) Value(key any) any           { return c.values.Value(key) }

// WithAgentCancel is what of an agent.Context's ways to make another a tool may use.
func (c toolContext) WithAgentCancel() (agent.Context, context.CancelFunc) {
	values, cancel := context.WithCancel(c.values)
	return toolContext{c.Context, values}, cancel
}
