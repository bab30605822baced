package gemini

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/genai"
)

// Thinking is how much a model thinks before it answers. Thoughts are charged as output.
type Thinking string

// The amounts of thinking. A model that does not support an amount uses the next larger
// one; "" is the least that it supports.
const (
	ThinkMinimal Thinking = "minimal"
	ThinkLow     Thinking = "low"
	ThinkMedium  Thinking = "medium"
	ThinkHigh    Thinking = "high"
)

// Check returns an error for an unknown value, which names the known ones.
func (t Thinking) Check() error {
	return oneOf(t, ThinkMinimal, ThinkLow, ThinkMedium, ThinkHigh)
}

// MediaResolution is the resolution at which a model sees photos: how many tokens each of
// them takes.
type MediaResolution string

// The resolutions; "" is the model's default.
const (
	ResolutionLow    MediaResolution = "low"
	ResolutionMedium MediaResolution = "medium"
	ResolutionHigh   MediaResolution = "high"
)

// Check returns an error for an unknown value, which names the known ones.
func (m MediaResolution) Check() error {
	return oneOf(m, ResolutionLow, ResolutionMedium, ResolutionHigh)
}

// wire returns the API's name of the resolution.
func (m MediaResolution) wire() genai.MediaResolution {
	if m == "" {
		return ""
	}
	return genai.MediaResolution("MEDIA_RESOLUTION_" + strings.ToUpper(string(m)))
}

// oneOf returns an error for a value that is not empty and not among known.
func oneOf[T ~string](v T, known ...T) error {
	if v == "" || slices.Contains(known, v) {
		return nil
	}
	return fmt.Errorf("%q: use one of %q, or leave it empty", v, known)
}

// budgets are the thinking budgets of the 2.5 models, in tokens. Those of low, medium and
// high are Google's values for reasoning_effort (ai.google.dev/gemini-api/docs/openai).
var budgets = map[Thinking]int32{ThinkMinimal: 0, ThinkLow: 1024, ThinkMedium: 8192, ThinkHigh: 24576}

// leastOfPro is the smallest budget of 2.5 Pro, which cannot turn thinking off.
const leastOfPro = 128

// levels are the thinking levels of the 3 models.
var levels = map[Thinking]genai.ThinkingLevel{
	ThinkMinimal: genai.ThinkingLevelMinimal, ThinkLow: genai.ThinkingLevelLow,
	ThinkMedium: genai.ThinkingLevelMedium, ThinkHigh: genai.ThinkingLevelHigh,
}

// thinkingConfig returns t in the form that a model supports: a budget for 2.5, a level for
// 3, and never both, which the service refuses. For unknown models it returns nil.
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

// atLeast returns the next larger amount that model 3.minor supports: Pro, and Flash from
// 3.7 on, start at low, and 3 Pro has none between low and high.
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
