package main

import (
	"context"
	"slices"

	"example.com/whatis/emulators/answers"
)

// The models that can be measured. Comparing a figure without a model, with one that
// answers from the labels and with the emulated one shows whether the code or the model
// determines it.
const (
	modelNone     = "none"     // every generate call fails: the code alone
	modelPerfect  = "perfect"  // answers from the labels: the best that the code can do
	modelEmulated = "emulated" // reads the pictures, and knows labelled queries
	modelLocal    = "local"    // of Ollama on this machine
	modelRecorded = "recorded" // answers of files, given once by whoever looked at the pictures
	modelReal     = "real"     // the model of the service, or of the environment
)

// measuredBy has the flags that choose the models to measure.
type measuredBy struct {
	where
	Model []string `placeholder:"none,perfect,emulated,local,real" help:"Measure with each of these models: none (the code alone), one that answers from the labels, the emulated one, that of Ollama on this machine (OLLAMA_VISION, OLLAMA_JUDGE and OLLAMA_EMBED name others than the default ones), or the service's own, which costs money. All but the last run in this process."`
}

// models returns the models to measure, one after the other; "" is the service's own,
// whatever it is.
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
		case !slices.Contains([]string{modelNone, modelPerfect, modelEmulated, modelLocal, modelReal}, model):
			return nil, usage("--model %q: want none, perfect, emulated, local or real", model)
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
	return model == modelNone || model == modelPerfect || model == modelEmulated || model == modelLocal || model == modelRecorded
}

// openWith opens the service with a model. known has the labels that the model knows in
// addition to the project's samples.
func (m measuredBy) openWith(ctx context.Context, c *console, model string, known answers.Options) (*service, error) {
	w := m.where
	if !inProcessModel(model) {
		return w.open(ctx, c)
	}
	if w.URL != nil {
		return nil, usage("--emulated and --url are two different services: choose one")
	}
	models, err := answerersOf(ctx, model, known)
	if err != nil {
		return nil, err
	}
	tellModel(c, model, models)
	return w.inWorld(ctx, c, models)
}

// answerersOf returns a model that runs in this process or is asked from it.
func answerersOf(ctx context.Context, model string, known answers.Options) (answerers, error) {
	if model == modelLocal {
		return localAnswers(ctx)
	}
	known.Model = emulatedModel(model)
	a := emulatedAnswers(known)
	a.priced = model == modelRecorded
	return a, nil
}

// emulatedModel returns the emulators' name of a model that runs in this process.
func emulatedModel(model string) answers.Model {
	if model == modelEmulated || model == modelRecorded {
		return answers.Emulated
	}
	return answers.Model(model)
}

// tellModel prints which model is measured.
func tellModel(c *console, model string, models answerers) {
	switch model {
	case modelLocal:
		c.say("LOCAL MODEL: %v, on this machine. Its figures are not those of Google's models.", models.local)
	case modelNone:
		c.say("NO MODEL: every generate call fails, and all embeddings are equal. Right answers come from the code alone.")
	case modelRecorded:
		c.say("RECORDED ANSWERS: whoever looked at the pictures gave them once; each is charged as if the configured models had answered. What is wrong comes from the prompts or the code.")
	case modelPerfect:
		c.say("PERFECT MODEL: it answers from the labels. Wrong answers come from the code.")
	default:
		c.emulated()
	}
}
