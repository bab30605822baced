package gemini

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/genai"
)

// Thinking is how much a model thinks before it answers. It is paid as output.
type Thinking string

// The amounts of thinking. A model that takes no such amount thinks the next
// larger one; "" is the least that it takes.
const (
	ThinkMinimal Thinking = "minimal"
	ThinkLow     Thinking = "low"
	ThinkMedium  Thinking = "medium"
	ThinkHigh    Thinking = "high"
)

// Check refuses what is no amount of thinking, and says what is.
func (t Thinking) Check() error {
	return oneOf(t, ThinkMinimal, ThinkLow, ThinkMedium, ThinkHigh)
}

// MediaResolution is how finely a model looks at photos: how many tokens each of
// them takes.
type MediaResolution string

// The resolutions; "" is the model's own.
const (
	ResolutionLow    MediaResolution = "low"
	ResolutionMedium MediaResolution = "medium"
	ResolutionHigh   MediaResolution = "high"
)

// Check refuses what is no resolution, and says what is.
func (m MediaResolution) Check() error {
	return oneOf(m, ResolutionLow, ResolutionMedium, ResolutionHigh)
}

// wire is the resolution as the API names it.
func (m MediaResolution) wire() genai.MediaResolution {
	if m == "" {
		return ""
	}
	return genai.MediaResolution("MEDIA_RESOLUTION_" + strings.ToUpper(string(m)))
}

// oneOf refuses a value that is none of known and not empty.
func oneOf[T ~string](v T, known ...T) error {
	if v == "" || slices.Contains(known, v) {
		return nil
	}
	return fmt.Errorf("%q: use one of %q, or leave it empty", v, known)
}

// budgets are the tokens that models of 2.5 think at most. Those of low, medium
// and high are what Google takes reasoning_effort for
// (ai.google.dev/gemini-api/docs/openai).
var budgets = map[Thinking]int32{ThinkMinimal: 0, ThinkLow: 1024, ThinkMedium: 8192, ThinkHigh: 24576}

// leastOfPro is the smallest budget of 2.5 Pro, which cannot do without.
const leastOfPro = 128

// levels are the words for amounts of thinking that models of 3 take.
var levels = map[Thinking]genai.ThinkingLevel{
	ThinkMinimal: genai.ThinkingLevelMinimal, ThinkLow: genai.ThinkingLevelLow,
	ThinkMedium: genai.ThinkingLevelMedium, ThinkHigh: genai.ThinkingLevelHigh,
}

// thinkingConfig is t as a model takes it: a budget on 2.5, a level on 3, and
// never the two together, which the service refuses. Models that it does not know
// are asked for nothing.
func thinkingConfig(t Thinking, model string) *genai.ThinkingConfig {
	major, minor, ok := version(model)
	pro := strings.Contains(model, "-pro")
	switch {
	case ok && major == 2 && minor == 5:
		budget := budgets[t]
		if pro {
			budget = max(budget, leastOfPro)
		}
		return &genai.ThinkingConfig{ThinkingBudget: &budget}
	case ok && major == 3:
		return &genai.ThinkingConfig{ThinkingLevel: levels[atLeast(t, minor, pro)]}
	}
	return nil
}

// atLeast is the next amount that model 3.minor takes: Pro and Flash from 3.7 on
// begin at low, and 3 Pro has none between low and high.
func atLeast(t Thinking, minor int, pro bool) Thinking {
	switch {
	case (t == "" || t == ThinkMinimal) && (pro || minor >= 7):
		return ThinkLow
	case t == "":
		return ThinkMinimal
	case t == ThinkMedium && pro && minor == 0:
		return ThinkHigh
	}
	return t
}
