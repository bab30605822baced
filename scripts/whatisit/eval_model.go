package main

import (
	"context"
	"slices"

	"example.com/whatis/emulators/answers"
)

// The models that can be measured. What the same figure is with none, with one that
// answers from the labels and with the emulated one says what it is a figure of.
const (
	modelNone     = "none"     // each call that generates fails: code answers alone
	modelPerfect  = "perfect"  // answers from the labels: the best that code makes of it
	modelEmulated = "emulated" // reads what the pictures show, and knows labelled queries
	modelReal     = "real"     // that of the service, or of the environment
)

// measuredBy says whose answers are measured.
type measuredBy struct {
	where
	Model []string `placeholder:"none,perfect,emulated,real" help:"Measure with each of these: code alone, one that answers from the labels, the emulated one, or the service's own, which is paid for. The first three run in this process."`
}

// models are those to measure, one after the other; "" is that of the service, whatever
// it is.
func (m measuredBy) models() ([]string, error) {
	switch {
	case m.Emulated && len(m.Model) > 0:
		return nil, usage("--emulated is --model emulated: leave one out")
	case m.Emulated:
		return []string{modelEmulated}, nil
	case len(m.Model) == 0:
		return []string{""}, nil
	}
	for i, model := range m.Model {
		switch {
		case !slices.Contains([]string{modelNone, modelPerfect, modelEmulated, modelReal}, model):
			return nil, usage("--model %q: want none, perfect, emulated or real", model)
		case slices.Contains(m.Model[:i], model):
			return nil, usage("--model has %s twice", model)
		case model != modelReal && m.URL != nil:
			return nil, usage("--model %s answers in this process: leave --url out", model)
		}
	}
	return m.Model, nil
}

// inProcessModel reports that a model needs neither key nor network.
func inProcessModel(model string) bool {
	return model == modelNone || model == modelPerfect || model == modelEmulated
}

// openWith opens the service that answers with a model. known is what the model knows
// beside the project's samples.
func (m measuredBy) openWith(ctx context.Context, c *console, model string, known answers.Options) (*service, error) {
	w := m.where
	if !inProcessModel(model) {
		return w.open(ctx, c)
	}
	if w.URL != nil {
		return nil, usage("--emulated and --url are two different services: choose one")
	}
	known.Model = mindOf(model)
	tellModel(c, model)
	return w.emulatedAs(ctx, c, known)
}

// mindOf is what the emulators call a model that answers in this process.
func mindOf(model string) answers.Model {
	if model == modelEmulated {
		return answers.Emulated
	}
	return answers.Model(model)
}

// tellModel says who answers.
func tellModel(c *console, model string) {
	switch model {
	case modelNone:
		c.say("NO MODEL: each call that generates is blocked, and embeddings tell nothing apart. What is right is right by code alone.")
	case modelPerfect:
		c.say("PERFECT MODEL: it answers from the labels. What is not right is the code's.")
	default:
		c.emulated()
	}
}
