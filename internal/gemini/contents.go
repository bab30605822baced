package gemini

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/genai"
)

// goOn is what ADK's own model says, in the same words, after a turn of the model:
// Gemini 3.5 and later refuse a last turn that is not the user's.
const goOn = "Continue processing previous requests as instructed. Exit or provide a summary if no more outputs are needed."

// contents are the turns of the request, as they go over the wire.
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

// checkContent refuses a turn that the service would refuse; the error begins with
// what of the turn is wrong.
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

// wireContents are contents as they are sent. A part that is nothing but a
// signature came with an empty text, which must go back with it and which
// genai.Part leaves out of its JSON.
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
