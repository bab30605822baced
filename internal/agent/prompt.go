package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// PromptOptions are the options of a model call. The zero value means the least thinking,
// the model's default resolution and 8192 output tokens.
type PromptOptions struct {
	Thinking        gemini.Thinking
	MediaResolution gemini.MediaResolution
	// MaxOutputTokens bounds an answer, thoughts not counted; 0 is 8192, three
	// times what the text of a crowded pack takes. Only answers that repeat
	// themselves reach it.
	MaxOutputTokens int32
}

const longestAnswer = 8192

// thoughts bounds the tokens of thinking, which the service counts as output, with
// space for a model that thinks a little more than it is asked to.
var thoughts = map[gemini.Thinking]int32{
	"": 1024, gemini.ThinkMinimal: 1024, gemini.ThinkLow: 4096, gemini.ThinkMedium: 16384, gemini.ThinkHigh: 32768,
}

// A Call is one call of a prompt.
type Call struct {
	Key    string // names the call in the log, and with what it asks among the checkpoints
	Values Values // fill the instruction
	Parts  []gemini.Part
	Search bool // with Google Search as the model's tool
	// RetryTruncated asks again, once, if the answer hits its limit: with twice the
	// limit and the least thinking.
	RetryTruncated bool
}

// request returns the request of c to model with these options.
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
// invalid answers that fit the schema; it may also correct them.
func NewPrompt[T any](c *gemini.Client, model, instruction string, check func(*T) error, o PromptOptions) (*Prompt[T], error) {
	schema, err := gemini.SchemaFor[T]()
	if err != nil {
		return nil, err
	}
	return &Prompt[T]{client: c, model: model, options: o, instruction: newTemplate(instruction), schema: schema, check: check}, nil
}

// Narrowed returns p with a schema that change has made narrower, such as by the words that
// a field may have at this time.
func (p *Prompt[T]) Narrowed(change func(*jsonschema.Schema)) *Prompt[T] {
	of := *p
	of.schema = p.schema.CloneSchemas()
	change(of.schema)
	return &of
}

// An Asker is a Prompt as a field has it: each package that names a struct with a field of
// type *Prompt would compile all its methods again, with the decoding of its answers.
type Asker[T any] interface {
	Ask(ctx context.Context, c Call) (Answer[T], error)
	Question(name string) Question
}

// An Answer is a model's answer. Its response has the queries and sources of the web
// search, if there was one.
type Answer[T any] struct {
	Value    T
	Response *gemini.Response
}

// Ask makes the call for the agent of ctx, unless a checkpoint has its answer. Only
// some models support search and a schema in one call.
func (p *Prompt[T]) Ask(ctx context.Context, c Call) (Answer[T], error) {
	request, err := p.options.request(c, p.model, p.instruction)
	if err != nil {
		return Answer[T]{}, err
	}
	request.Schema, request.Said = p.schema, p.partials(ctx)
	key := checkpointKey(ctx, request)
	return jobs.Once(ctx, key, func(ctx context.Context) (Answer[T], error) {
		if ctx, err = firstTier(ctx, p.client, key); err != nil {
			return Answer[T]{}, err
		}
		for {
			answer, response, err := gemini.Generate(ctx, p.client, request, p.check)
			emitUsage(ctx, response)
			if c.RetryTruncated && isTruncated(err) {
				request, c.RetryTruncated = roomier(request), false
				continue
			}
			if !gemini.TierRefused(err) {
				return Answer[T]{answer, response}, err
			}
			if ctx, err = standardTier(ctx, p.client, key, err); err != nil {
				return Answer[T]{answer, response}, err
			}
		}
	})
}

// An Early answer is of use before all of it is written: Early returns what may be shown of one
// that is complete so far, nil for nothing.
type Early interface{ Early() any }

type earlyKey struct{}

// WithEarly returns a context for a request whose events somebody follows as they come: answers
// that are Early are streamed, and their events of the kind Partial are emitted.
func WithEarly(ctx context.Context) context.Context { return context.WithValue(ctx, earlyKey{}, true) }

// partials returns what emits the early parts of an answer, nil if nobody follows them.
func (p *Prompt[T]) partials(ctx context.Context) func(text string) {
	r := running(ctx)
	if _, early := any(*new(T)).(Early); !early || r.closed || ctx.Value(earlyKey{}) == nil || gemini.TierOf(ctx) == gemini.Flex {
		return nil
	}
	last := ""
	return func(text string) {
		part := gemini.Partial(text)
		if part == last {
			return
		}
		last = part
		var so T
		if json.Unmarshal([]byte(part), &so) != nil {
			return
		}
		if known := any(so).(Early).Early(); known != nil {
			r.emitPartial(known)
		}
	}
}

// checkpointKey names the call of r and what it asks, so that the answer for another item, or
// by another instruction, model or schema, is never taken for its own.
func checkpointKey(ctx context.Context, r gemini.Request) string {
	if j := jobs.CheckpointsOf(ctx); j.Keep == nil && len(j.Kept) == 0 {
		return r.Key // nothing is kept
	}
	return r.Key + " " + r.Fingerprint()
}

// mostOutputTokens is the most that a model of Gemini 2.5 and 3 answers.
const mostOutputTokens = 65536

// roomier returns r with twice the limit of the answer and the least thinking, which
// counts as output.
func roomier(r gemini.Request) gemini.Request {
	r.MaxOutputTokens, r.Thinking = min(2*r.MaxOutputTokens, mostOutputTokens), gemini.ThinkMinimal
	return r
}

func isTruncated(err error) bool {
	var e *gemini.Error
	return errors.As(err, &e) && e.Kind == gemini.Truncated
}

// A SearchPrompt asks a model that uses Google Search and answers in prose with its
// sources.
type SearchPrompt struct {
	client      *gemini.Client
	model       string
	options     PromptOptions
	instruction *template
}

// NewSearchPrompt returns the prompt that asks model with an instruction.
func NewSearchPrompt(c *gemini.Client, model, instruction string, o PromptOptions) *SearchPrompt {
	return &SearchPrompt{client: c, model: model, options: o, instruction: newTemplate(instruction)}
}

// Ask makes the call for the agent of ctx, unless a checkpoint has its answer.
func (s *SearchPrompt) Ask(ctx context.Context, c Call) (*gemini.Response, error) {
	c.Search = true
	request, err := s.options.request(c, s.model, s.instruction)
	if err != nil {
		return nil, err
	}
	key := checkpointKey(ctx, request)
	return jobs.Once(ctx, key, func(ctx context.Context) (*gemini.Response, error) {
		if ctx, err = firstTier(ctx, s.client, key); err != nil {
			return nil, err
		}
		for {
			response, err := s.client.Generate(ctx, request)
			emitUsage(ctx, response)
			if !gemini.TierRefused(err) {
				return response, err
			}
			if ctx, err = standardTier(ctx, s.client, key, err); err != nil {
				return response, err
			}
		}
	})
}

// A Question is the part of a prompt that all its calls share, for checks that the
// service accepts it.
type Question struct {
	Step     string // of the agent, such as image_analyzer
	Model    string
	Thinking gemini.Thinking
	Schema   *jsonschema.Schema // of the answer
}

// Question returns the question of p, which the named step asks.
func (p *Prompt[T]) Question(step string) Question {
	return Question{Step: step, Model: p.model, Thinking: p.options.Thinking, Schema: p.schema}
}
