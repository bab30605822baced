package agent

import (
	"cmp"
	"context"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// PromptOptions are how a model is asked. The zero value is its least thinking, its own
// resolution, and an answer as long as any here should be.
type PromptOptions struct {
	Thinking        gemini.Thinking
	MediaResolution gemini.MediaResolution
	// MaxOutputTokens bounds an answer, thoughts not counted; 0 is 8192, three
	// times what the text of a crowded pack takes. What hits it is an answer that
	// repeats itself.
	MaxOutputTokens int32
}

const longestAnswer = 8192

// thoughts are the tokens that thinking may take, which the service counts as
// output. A model that thinks more than it is asked to thinks little.
var thoughts = map[gemini.Thinking]int32{
	"": 1024, gemini.ThinkMinimal: 1024, gemini.ThinkLow: 4096, gemini.ThinkMedium: 16384, gemini.ThinkHigh: 32768,
}

// A Call is one question.
type Call struct {
	Key    string // names the call in the log and among the checkpoints; a run asks each key once
	Values Values // fill the instruction
	Parts  []gemini.Part
	Search bool // with Google Search as the model's tool
}

// request is the request of c to that model by these options.
func (o PromptOptions) request(c Call, model string, instruction *template) (gemini.Request, error) {
	system, err := instruction.Fill(c.Values)
	return gemini.Request{
		Key: c.Key, Model: model, Thinking: o.Thinking, MediaResolution: o.MediaResolution,
		MaxOutputTokens: cmp.Or(o.MaxOutputTokens, longestAnswer) + thoughts[o.Thinking],
		System:          system, Parts: c.Parts, Search: c.Search,
	}, err
}

// A Prompt asks a model for a T by an instruction and a schema derived from T.
type Prompt[T any] struct {
	client      *gemini.Client
	model       string
	options     PromptOptions
	instruction *template
	schema      *jsonschema.Schema
	check       func(*T) error
}

// NewPrompt returns the prompt that asks model for a T. check, which may be nil, refuses
// answers that fit the schema and still make no sense; it may tidy them too.
func NewPrompt[T any](c *gemini.Client, model, instruction string, check func(*T) error, o PromptOptions) (*Prompt[T], error) {
	schema, err := gemini.SchemaFor[T]()
	if err != nil {
		return nil, err
	}
	return &Prompt[T]{client: c, model: model, options: o, instruction: newTemplate(instruction), schema: schema, check: check}, nil
}

// An Answer is what a model answered. The response has the web search behind it,
// if there was one.
type Answer[T any] struct {
	Value    T
	Response *gemini.Response
}

// Ask makes the call for the agent of ctx, unless a checkpoint has its answer. Only
// some models can search and keep to a schema at once.
func (p *Prompt[T]) Ask(ctx context.Context, c Call) (Answer[T], error) {
	return jobs.Once(ctx, c.Key, func(ctx context.Context) (Answer[T], error) {
		request, err := p.options.request(c, p.model, p.instruction)
		if err != nil {
			return Answer[T]{}, err
		}
		request.Schema = p.schema
		if ctx, err = firstTier(ctx, p.client, c.Key); err != nil {
			return Answer[T]{}, err
		}
		for {
			answer, response, err := gemini.Generate(ctx, p.client, request, p.check)
			emitUsage(ctx, response)
			if !gemini.TierRefused(err) {
				return Answer[T]{answer, response}, err
			}
			if ctx, err = standardTier(ctx, p.client, c.Key, err); err != nil {
				return Answer[T]{answer, response}, err
			}
		}
	})
}

// A SearchPrompt asks a model that may look things up with Google Search and answers
// in prose with its sources.
type SearchPrompt struct {
	client      *gemini.Client
	model       string
	options     PromptOptions
	instruction *template
}

// NewSearchPrompt returns a search by model under an instruction.
func NewSearchPrompt(c *gemini.Client, model, instruction string, o PromptOptions) *SearchPrompt {
	return &SearchPrompt{client: c, model: model, options: o, instruction: newTemplate(instruction)}
}

// Ask makes the call for the agent of ctx, unless a checkpoint has its answer.
func (s *SearchPrompt) Ask(ctx context.Context, c Call) (*gemini.Response, error) {
	c.Search = true
	return jobs.Once(ctx, c.Key, func(ctx context.Context) (*gemini.Response, error) {
		request, err := s.options.request(c, s.model, s.instruction)
		if err != nil {
			return nil, err
		}
		if ctx, err = firstTier(ctx, s.client, c.Key); err != nil {
			return nil, err
		}
		for {
			response, err := s.client.Generate(ctx, request)
			emitUsage(ctx, response)
			if !gemini.TierRefused(err) {
				return response, err
			}
			if ctx, err = standardTier(ctx, s.client, c.Key, err); err != nil {
				return response, err
			}
		}
	})
}

// A Question is what a prompt asks whatever it is asked about, for checks that the
// service takes it.
type Question struct {
	Step     string // of the agent, such as image_analyzer
	Model    string
	Thinking gemini.Thinking
	Schema   *jsonschema.Schema // of the answer
}

// Question is that of p, which is asked in a step.
func (p *Prompt[T]) Question(step string) Question {
	return Question{Step: step, Model: p.model, Thinking: p.options.Thinking, Schema: p.schema}
}
