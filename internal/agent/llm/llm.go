// Package llm makes model calls the steps of an agent.
//
//	session → instruction + parts → gemini → T → session
//
// A Prompt asks for a Go type, a Search asks Google through the model. Both
// yield a usage event for what the call took, and keep the answer and its cost
// in the run's journal: a run that goes on behind it pays for it no more.
package llm

import (
	"cmp"
	"context"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/journal"
)

// Options are how a model is asked. The zero value is its least thinking, its own
// resolution, and an answer as long as any here should be.
type Options struct {
	Thinking        gemini.Thinking
	MediaResolution gemini.MediaResolution
	// MaxOutputTokens bounds an answer, thoughts not counted; 0 is 8192, three
	// times what the text of a crowded pack takes. What hits it is an answer that
	// repeats itself.
	MaxOutputTokens int32
}

const longestAnswer = 8192

// request is a request of that model by these options.
func (o Options) request(key, model string) gemini.Request {
	return gemini.Request{
		Key: key, Model: model, Thinking: o.Thinking, MediaResolution: o.MediaResolution,
		MaxOutputTokens: cmp.Or(o.MaxOutputTokens, longestAnswer) + thoughts[o.Thinking],
	}
}

// thoughts are the tokens that thinking may take, which the service counts as
// output. A model that thinks more than it is asked to thinks little.
var thoughts = map[gemini.Thinking]int32{
	"": 1024, gemini.ThinkMinimal: 1024, gemini.ThinkLow: 4096, gemini.ThinkMedium: 16384, gemini.ThinkHigh: 32768,
}

// A Prompt asks a model for a T by an instruction and a schema derived from T.
type Prompt[T any] struct {
	name        string
	client      *gemini.Client
	model       string
	options     Options
	instruction *Template
	schema      *jsonschema.Schema
	check       func(*T) error
}

// NewPrompt returns the prompt called name that asks model for a T. The
// instruction is filled from the session at each call. check, which may be nil,
// refuses answers that fit the schema and still make no sense; it may tidy them
// too. A session asks each name once.
func NewPrompt[T any](c *gemini.Client, name, model, instruction string, check func(*T) error, o Options) (*Prompt[T], error) {
	schema, err := gemini.SchemaFor[T]()
	if err != nil {
		return nil, err
	}
	return &Prompt[T]{
		name: name, client: c, model: model, options: o,
		instruction: NewTemplate(instruction), schema: schema, check: check,
	}, nil
}

// Ask makes the call for t's step.
func (p *Prompt[T]) Ask(ctx context.Context, t *agent.Turn, parts ...gemini.Part) (T, error) {
	answer, err := p.ask(ctx, t, p.name, false, parts)
	return answer.Value, err
}

// Grounded is an answer and the web search behind it.
type Grounded[T any] struct {
	Value    T
	Response *gemini.Response
}

// AskGrounded makes the call of the given key with Google Search as the model's
// tool, for models that can search and keep to a schema at once.
func (p *Prompt[T]) AskGrounded(ctx context.Context, t *agent.Turn, key string, parts ...gemini.Part) (Grounded[T], error) {
	return p.ask(ctx, t, key, true, parts)
}

func (p *Prompt[T]) ask(ctx context.Context, t *agent.Turn, key string, search bool, parts []gemini.Part) (Grounded[T], error) {
	return journal.Once(ctx, key, func(ctx context.Context) (Grounded[T], error) {
		system, err := p.instruction.Render(t.Session)
		if err != nil {
			return Grounded[T]{}, err
		}
		request := p.options.request(key, p.model)
		request.System, request.Parts, request.Schema, request.Search = system, parts, p.schema, search
		answer, response, err := gemini.Generate(ctx, p.client, request, p.check)
		emitUsage(t, response)
		return Grounded[T]{answer, response}, err
	})
}

// Agent returns an agent called name that makes the call with the parts found in
// the session and keeps the answer under output.
func (p *Prompt[T]) Agent(name string, output agent.Key[T], parts func(*agent.Session) []gemini.Part) agent.Agent {
	return agent.Step(name, func(ctx context.Context, t *agent.Turn) error {
		answer, err := p.Ask(ctx, t, parts(t.Session)...)
		if err != nil {
			return err
		}
		output.Set(t.Session, answer)
		t.Output(answer)
		return nil
	})
}

// A Search asks a model that may look things up with Google Search and answers
// in prose with its sources.
type Search struct {
	client      *gemini.Client
	model       string
	options     Options
	instruction *Template
}

// NewSearch returns a search by model under an instruction.
func NewSearch(c *gemini.Client, model, instruction string, o Options) *Search {
	return &Search{client: c, model: model, options: o, instruction: NewTemplate(instruction)}
}

// Ask makes the call of the given key for t's step.
func (s *Search) Ask(ctx context.Context, t *agent.Turn, key string, parts ...gemini.Part) (*gemini.Response, error) {
	return journal.Once(ctx, key, func(ctx context.Context) (*gemini.Response, error) {
		system, err := s.instruction.Render(t.Session)
		if err != nil {
			return nil, err
		}
		request := s.options.request(key, s.model)
		request.System, request.Parts, request.Search = system, parts, true
		response, err := s.client.Generate(ctx, request)
		emitUsage(t, response)
		return response, err
	})
}

func emitUsage(t *agent.Turn, r *gemini.Response) {
	if r == nil {
		return
	}
	t.Emit(agent.Event{Kind: agent.ModelUsage, Usage: &agent.Usage{
		Model: r.Model, InputTokens: r.Usage.Input, OutputTokens: r.Usage.Output, TotalTokens: r.Usage.Total, USD: r.USD,
	}})
}
