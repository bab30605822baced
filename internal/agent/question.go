package agent

import (
	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/gemini"
)

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
