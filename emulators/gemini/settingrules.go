package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// A setting is a number of the generationConfig and the range that the
// references give it.
type setting struct {
	name, jsonName string
	value          *json.Number
	least, most    float64
	whole          bool
}

// settingsInRange checks the numbers whose ranges the reference gives:
// temperature from 0 to 2, top_p from 0 to 1, one to eight candidates; an
// answer of at most 65,536 tokens on Vertex AI, which says so.
func settingsInRange(a asked) error {
	most := float64(1 << 31)
	if a.vertex {
		most = 65_536
	}
	return errors.Join(
		a.inRange(setting{"temperature", "temperature", a.Config.Temperature, 0, 2, false}),
		a.inRange(setting{"top_p", "topP", a.Config.TopP, 0, 1, false}),
		a.inRange(setting{"candidate_count", "candidateCount", a.Config.Candidates, 1, 8, true}),
		a.inRange(setting{"max_output_tokens", "maxOutputTokens", a.Config.MaxTokens, 1, most, true}))
}

// inRange answers as the services do: the Gemini API names the field and its
// range ("temperature must be in the range [0.0, 2.0]", by what users measured of
// it), Vertex AI the value (github.com/continuedev/continue issue 7849).
func (a asked) inRange(s setting) error {
	if s.value == nil {
		return nil
	}
	if n, err := s.value.Float64(); err == nil && s.least <= n && n <= s.most {
		return nil
	}
	if a.vertex {
		return outOfRange(s.jsonName, s.value.String(), s.least, s.above())
	}
	least, most := fmt.Sprintf("%.1f", s.least), fmt.Sprintf("%.1f", s.most)
	if s.whole {
		least, most = fmt.Sprintf("%.0f", s.least), fmt.Sprintf("%.0f", s.most)
	}
	return badLine("generation_config."+s.name, fmt.Sprintf("%s must be in the range [%s, %s].", s.name, least, most))
}

// above returns the first number out of range, as Vertex AI writes it.
func (s setting) above() string {
	if s.whole {
		return fmt.Sprintf("%.0f", s.most+1)
	}
	return fmt.Sprintf("%.7f", s.most+1e-7)
}

func outOfRange(name, value string, least float64, above string) error {
	return badRequest(fmt.Sprintf("Unable to submit request because it has a %s value of %s but the supported range is from %g (inclusive) to %s (exclusive). Update the value and try again.", name, value, least, above))
}

// badLine returns a refusal of the Gemini API whose only text is a line that names a
// field of the request.
func badLine(path, message string) error {
	return badRequest("* GenerateContentRequest." + path + ": " + message + "\n")
}

// maxStops: "The set of character sequences (up to 5) that will stop output
// generation."
const maxStops = 5

// stopsCounted: the messages as in github.com/continuedev/continue issues 2702
// and, for Vertex AI, 7849.
func stopsCounted(a asked) error {
	n := len(a.Config.Stops)
	switch {
	case n <= maxStops:
		return nil
	case a.vertex:
		return outOfRange("stopSequences", fmt.Sprint(n), 1, fmt.Sprint(maxStops+1))
	}
	return badLine("generation_config.stop_sequences", "the number of stop_sequences must not exceed 5.")
}

// logprobsInRange: "Only valid if response_logprobs=True. […] The number must be
// in the range of [0, 20]" (ai.google.dev/api/generate-content); on Vertex AI
// from 1 to 20 (GoogleCloudPlatform/generative-ai, intro_logprobs.ipynb). No
// report has the messages: their wording follows that of similar messages.
func logprobsInRange(a asked) error {
	s := setting{"logprobs", "logprobs", a.Config.Logprobs, 0, 20, true}
	if a.vertex {
		s.least = 1
	}
	if s.value == nil || a.Config.ResponseLogprobs {
		return a.inRange(s)
	}
	return badLine("generation_config.logprobs", "logprobs can only be set when response_logprobs is true.")
}

// Models that give no log probabilities: github.com/googleapis/python-genai issue
// 1921, github.com/Vela-Research/think-reason-learn issue 34, and for Vertex AI
// github.com/GoogleCloudPlatform/generative-ai issue 2947.
var (
	noLogprobsAPI    = []string{"gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"}
	noLogprobsVertex = []string{"gemini-3.5-flash"}
)

func logprobsGiven(a asked) error {
	switch {
	case !a.Config.ResponseLogprobs:
		return nil
	case a.vertex && slices.Contains(noLogprobsVertex, a.model.id):
		return badRequest("Unable to submit request because Logprobs is not supported for this model.")
	case !a.vertex && slices.Contains(noLogprobsAPI, a.model.id):
		return badRequest("Logprobs is not enabled for models/" + a.model.id)
	}
	return nil
}
