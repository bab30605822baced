package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Card describes a skill to callers.
type Card struct {
	ID          string   `json:"id"` // the agent's name, as in paths and tasks: a-z, 0-9 and _
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags,omitempty"`
	Examples    []string `json:"examples,omitempty"` // of requests

	// Tool is the name of the skill in a list of tools, such as analyze_image; empty is
	// ID.
	Tool string `json:"-"`
	// Noun names a run of a long skill in a list of tools: discovery gives
	// start_discovery, get_discovery and cancel_discovery.
	Noun string `json:"-"`

	Effects Effects `json:"-"`
}

// Effects say what a skill changes besides its answer, for callers that ask a person before
// they use it. The zero value promises nothing.
type Effects struct {
	ReadOnly   bool // nothing, but caches and the caller's own conversation
	Additive   bool // it adds, and neither overwrites nor removes anything
	Idempotent bool // once more with the same input changes nothing further
	Closed     bool // it asks nobody but the model, about nothing but what the deployment has
}

// A Skill is one thing that an agent can do. It has either Run and Check, or Long.
type Skill struct {
	Card
	Input  *jsonschema.Schema
	Output *jsonschema.Schema

	// Run answers input, and emits events meanwhile; emit may be nil. All callers that
	// share a run get the same events. An invalid input returns ErrInput.
	Run func(ctx context.Context, input []byte, emit func(*Event)) (json.RawMessage, error)

	// Check returns ErrInput for an input that Run would refuse by its schema.
	Check func(input []byte) error

	// Render returns an output for people; nil if its type has no method Render() Rendering.
	Render func(output json.RawMessage) (Rendering, error)

	// Long is set for a skill that takes too long for one request.
	Long *Long
}

// id matches IDs of skills.
var id = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// NewSkill returns the skill of run. The schemas are derived from the Go types: jsonschema
// tags describe fields, bytes are base64, and options change the rest. NewSkill panics if
// the ID is invalid or a type has no JSON Schema.
func NewSkill[In, Out any](card Card, run func(ctx context.Context, in In, emit func(*Event)) (Out, error), options ...SkillOption) Skill {
	s := described[In, Out](card, options)
	read := reader[In](s.Input)
	s.Check = func(input []byte) error {
		_, err := read(input)
		return err
	}
	s.Run = func(ctx context.Context, input []byte, emit func(*Event)) (json.RawMessage, error) {
		in, err := read(input)
		if err != nil {
			return nil, err
		}
		if emit == nil {
			emit = func(*Event) {}
		}
		out, err := run(ctx, in, emit)
		if err != nil {
			return nil, err
		}
		return encoded(card.ID, out)
	}
	return s
}

// A SkillOption changes the derived schemas.
type SkillOption func(*schemas)

type schemas struct {
	types  map[reflect.Type]*jsonschema.Schema
	input  func(*jsonschema.Schema)
	output *jsonschema.Schema
}

// WithInput changes the input's schema.
func WithInput(change func(*jsonschema.Schema)) SkillOption {
	return func(o *schemas) { o.input = change }
}

// WithOutput sets the output's schema.
func WithOutput(s *jsonschema.Schema) SkillOption { return func(o *schemas) { o.output = s } }

// described returns a skill with its schemas, without Run and Long.
func described[In, Out any](card Card, options []SkillOption) Skill {
	if !id.MatchString(card.ID) {
		panic(fmt.Sprintf("agent: the ID %q is none: want %s", card.ID, id))
	}
	o := schemas{types: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[[]byte]():          {Type: "string", ContentEncoding: "base64"},
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
		reflect.TypeFor[json.RawMessage](): {},
	}}
	for _, option := range options {
		option(&o)
	}
	s := Skill{Card: card, Input: derived[In](o), Output: o.output, Render: rendererOf[Out](card.ID)}
	if s.Input.Type != "object" {
		panic(fmt.Sprintf("agent: the input of %s is of type %q: want a struct", card.ID, s.Input.Type))
	}
	if o.input != nil {
		o.input(s.Input)
	}
	if s.Output == nil {
		s.Output = derived[Out](o)
	}
	return s
}

func derived[T any](o schemas) *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: o.types})
	if err != nil {
		panic(fmt.Sprintf("agent: the schema of %s: %v", reflect.TypeFor[T](), err))
	}
	return s
}

func encoded(skill string, out any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return nil, fmt.Errorf("agent: the output of %s: %w", skill, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// resumed is the context key of Resume.
type resumed struct{}

// Resume notes in ctx that the caller reconnects after it got a part of the answer of a run
// that began then: if it has ended meanwhile, it need not be done again.
func Resume(ctx context.Context, begun time.Time) context.Context {
	return context.WithValue(ctx, resumed{}, begun)
}

// Resumed returns the time of Resume, zero if ctx is not from it.
func Resumed(ctx context.Context) (begun time.Time) {
	begun, _ = ctx.Value(resumed{}).(time.Time)
	return begun
}
