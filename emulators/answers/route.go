package answers

import (
	"context"
	"slices"
	"strings"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// KindRoute asks which skill the words beside a picture are for: a schema with skill.
const KindRoute gemini.Kind = "route"

// routing is the responder of skill_router. It knows what labelled words are for; of others,
// and of skills that it may not name, it says none.
type routing struct{}

func (routing) Kinds(r *gemini.Request) []gemini.Kind {
	if asksFor(r, "skill") {
		return []gemini.Kind{KindRoute}
	}
	return nil
}

func (routing) Answer(_ context.Context, r *gemini.Request) (gemini.Answer, error) {
	skill := "none"
	for _, text := range r.Texts {
		words, ok := strings.CutPrefix(text, "words:\n")
		if m, known := samples.MessageOf(words); ok && known && slices.Contains(allowed(r, "skill"), any(m.Skill)) {
			skill = m.Skill
		}
		if u, known := samples.UtteranceOf(words); ok && skill == "none" && known && u.Named() && slices.Contains(allowed(r, "skill"), any("forecast")) {
			skill = "forecast"
		}
	}
	return gemini.Answer{JSON: map[string]any{"skill": skill}}, nil
}

// allowed returns the values that the schema of r allows for a property.
func allowed(r *gemini.Request, name string) []any {
	properties, _ := r.ResponseSchema["properties"].(map[string]any)
	property, _ := properties[name].(map[string]any)
	values, _ := property["enum"].([]any)
	return values
}
