package gemini

import (
	"fmt"
	"slices"
)

// The messages about the order of turns, bare as the services send them
// (github.com/google-gemini/gemini-cli issues 11814, 16984 and pull request
// 26691; github.com/microsoft/vscode issue 299295 for a call without a
// response; github.com/GoogleCloudPlatform/generative-ai pull request 368 for
// Vertex AI).
var (
	errCallTurn      = badRequest("Please ensure that function call turn comes immediately after a user turn or after a function response turn.")
	errResponseTurn  = badRequest("Please ensure that function response turn comes immediately after a function call turn.")
	errResponseCount = badRequest("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.")
)

// callsInOrder: a turn that calls functions follows one of the user, texts or
// responses, and as many responses as it has calls follow it, all in the next
// turn. Calls in the last turn have no responses yet. Turns of the user may
// follow each other, and a history may begin with text of the model.
func callsInOrder(a asked) error {
	for i, c := range a.Contents {
		switch {
		case c.calls() > 0 && (i == 0 || a.Contents[i-1].Role == "model"):
			return errCallTurn
		case c.calls() > 0 && i+1 < len(a.Contents) && a.Contents[i+1].responses() != c.calls():
			return errResponseCount
		case c.responses() > 0 && (i == 0 || a.Contents[i-1].calls() == 0):
			return errResponseTurn
		}
	}
	return nil
}

// calls returns how many functions the model calls in c.
func (c content) calls() (n int) {
	for _, p := range c.Parts {
		if p.FunctionCall != nil {
			n++
		}
	}
	return n
}

// responses returns how many functions answer in c.
func (c content) responses() (n int) {
	for _, p := range c.Parts {
		if p.FunctionResponse != nil {
			n++
		}
	}
	return n
}

// callsSigned: Gemini 3 wants the thought signature back with the first call of
// each step of the current turn. The current turn begins after the last message
// of the user that is more than responses; calls in older turns, and parallel
// calls after the first, need none. What a signature holds is not checked, so
// that the documented dummies pass. By ai.google.dev/gemini-api/docs/thought-signatures
// and docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures; the
// messages as in github.com/csells/dartantic pull request 86 and, for Vertex AI,
// on its page. Both count contents from 1 in what users report.
func callsSigned(a asked) error {
	if !a.model.signs() {
		return nil
	}
	for i := a.currentTurn(); i < len(a.Contents); i++ {
		first := slices.IndexFunc(a.Contents[i].Parts, func(p part) bool { return p.FunctionCall != nil })
		if first < 0 {
			continue
		}
		p := a.Contents[i].Parts[first]
		if p.ThoughtSignature == nil || *p.ThoughtSignature == "" {
			return a.unsigned(p.FunctionCall.Name, i+1)
		}
	}
	return nil
}

// currentTurn returns the index after the last message of the user that is not only
// responses; 0 if there is none.
func (a asked) currentTurn() int {
	for i, c := range slices.Backward(a.Contents) {
		if c.Role != "model" && c.responses() < len(c.Parts) {
			return i + 1
		}
	}
	return 0
}

func (a asked) unsigned(name string, position int) error {
	if a.vertex {
		return badRequest(fmt.Sprintf("Unable to submit request because function call `default_api:%s` in the %d. content block is missing a `thought_signature`. Learn more: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures", name, position))
	}
	return badRequest(fmt.Sprintf("Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:%s` , position %d. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.", name, position))
}
