package gemini

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/genai"
)

// goOn is added after a last turn of the model, in the words of ADK's own client: Gemini
// 3.5 and later require that the last turn is the user's.
const goOn = "Continue processing previous requests as instructed. Exit or provide a summary if no more outputs are needed."

// contents returns the turns of the request as they are sent.
func (t *turn) contents() (any, error) {
	contents := t.request.Contents
	if len(contents) == 0 {
		return nil, errors.New("the request has no contents")
	}
	for i, c := range contents {
		if err := checkContent(c); err != nil {
			return nil, fmt.Errorf("contents[%d]%w", i, err)
		}
	}
	if contents[len(contents)-1].Role != genai.RoleUser {
		contents = append(slices.Clone(contents), genai.NewContentFromText(goOn, genai.RoleUser))
	}
	return wireContents(contents), nil
}

// checkContent returns an error for a turn that the service would refuse. Its text begins
// with the faulty part of the turn.
func checkContent(c *genai.Content) error {
	switch {
	case c == nil:
		return errors.New(" is missing")
	case c.Role != genai.RoleUser && c.Role != genai.RoleModel:
		return fmt.Errorf(".role is %q, not %q or %q", c.Role, genai.RoleUser, genai.RoleModel)
	case len(c.Parts) == 0:
		return errors.New(" has no parts")
	}
	for i, p := range c.Parts {
		switch {
		case p == nil || !hasData(p) && len(p.ThoughtSignature) == 0:
			return fmt.Errorf(".parts[%d] is empty", i)
		case p.FunctionCall != nil && strings.TrimSpace(p.FunctionCall.Name) == "":
			return fmt.Errorf(".parts[%d] calls a function without a name", i)
		case p.FunctionResponse != nil && strings.TrimSpace(p.FunctionResponse.Name) == "":
			return fmt.Errorf(".parts[%d] answers a function without a name", i)
		}
	}
	return nil
}

// wireContents returns contents as they are sent. A part with only a signature must be sent
// back with the empty text it came with, which genai.Part omits from its JSON.
func wireContents(contents []*genai.Content) any {
	bare := func(p *genai.Part) bool { return !hasData(p) }
	if !slices.ContainsFunc(contents, func(c *genai.Content) bool { return slices.ContainsFunc(c.Parts, bare) }) {
		return contents
	}
	type turn struct {
		Role  string `json:"role"`
		Parts []any  `json:"parts"`
	}
	type signature struct {
		Text             string `json:"text"`
		Thought          bool   `json:"thought,omitempty"`
		ThoughtSignature []byte `json:"thoughtSignature"`
	}
	turns := make([]turn, len(contents))
	for i, c := range contents {
		turns[i].Role = c.Role
		for _, p := range c.Parts {
			if bare(p) {
				turns[i].Parts = append(turns[i].Parts, signature{"", p.Thought, p.ThoughtSignature})
				continue
			}
			turns[i].Parts = append(turns[i].Parts, p)
		}
	}
	return turns
}
