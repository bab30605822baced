package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/gemini"
)

// groupsOf returns all assumptions that can be checked on a service, of the models that c
// configures.
func groupsOf(c app.Config, vertex bool, location string) ([]group, error) {
	questions, err := c.Questions()
	if err != nil {
		return nil, err
	}
	m := newModels(c, vertex, location)
	all := []group{
		{"models", m.general()}, {"schemas", m.schemas(questions)}, {"shorter", m.shorter()}, {"thinking", m.thinking(questions)},
		{"functions", m.functions()}, {"signatures", m.signatures()}, {"search", m.searching()},
		{"photos", m.seeing()}, {"embeddings", m.embedding()}, {"speech", m.speaking()}, {"flex", m.flexible()},
	}
	return slices.DeleteFunc(all, func(g group) bool { return len(g.facts) == 0 }), nil
}

// models are the configured models, and the location of the service.
type models struct {
	image, judge, talk, embed, speech string
	roles                             []role
	vertex                            bool
	location                          string // of Vertex AI
}

// A role is a use of a model, with its thinking level.
type role struct {
	name, model string
	thinking    gemini.Thinking
}

func newModels(c app.Config, vertex bool, location string) models {
	a, f := c.Analyze, c.Forecast
	return models{
		image: a.ImageModel, judge: a.JudgeModel, talk: f.Model, embed: c.Catalog.EmbeddingModel, speech: f.Speech, vertex: vertex, location: location,
		roles: []role{{"reads", a.ImageModel, a.ImageThinking}, {"judges", a.JudgeModel, a.JudgeThinking}, {"searches", a.JudgeModel, a.SearchThinking}, {"converses", f.Model, f.Thinking}},
	}
}

// rulesFile and the like are the files with the assumptions.
const (
	rulesFile      = "emulators/gemini/rules.go"
	modelsFile     = "emulators/gemini/models.go"
	schemaFile     = "emulators/gemini/schemarules.go"
	fieldsFile     = "emulators/gemini/newerfields.go"
	embedRulesFile = "emulators/gemini/embedrules.go"
)

// question returns a short question with little thinking and a limited answer, with more
// members if given.
func question(more object) object {
	body := object{"contents": []any{turn("user", "Answer with the word yes.")}, "generationConfig": object{"maxOutputTokens": 256}}
	for name, value := range more {
		if config, ok := value.(object); ok && name == "generationConfig" {
			for n, v := range config {
				body[name].(object)[n] = v
			}
			continue
		}
		body[name] = value
	}
	return body
}

func turn(role, text string) object {
	return object{"role": role, "parts": []any{object{"text": text}}}
}

// question is asked of a model with the thinking of its first role, where more does not
// name another.
func (m models) question(model string, more object) object {
	body := question(more)
	i := slices.IndexFunc(m.roles, func(r role) bool { return r.model == model })
	settings := body["generationConfig"].(object)
	if _, named := settings["thinkingConfig"]; i >= 0 && !named {
		m.roles[i].think(settings)
	}
	return body
}

// think sets in a generationConfig how much r thinks, as this project's client would.
func (r role) think(settings object) {
	if wire, err := gemini.WireThinking(r.thinking, r.model); err == nil && string(wire) != "null" {
		settings["thinkingConfig"] = wire
	}
}

func config(settings object) object { return object{"generationConfig": settings} }

func (m models) ask(name, model string, more object) sending {
	return generating(name, model, m.question(model, more))
}

// generating returns a request to generate.
func generating(name, model string, body any) sending {
	return sending{name: name, model: model, method: "generateContent", body: body}
}

// both returns a request to the image model and one to the judge model.
func (m models) both(name string, more object) []sending {
	return []sending{m.ask(name, m.image, more), m.ask(name, m.judge, more)}
}

func (m models) general() []Fact {
	facts := []Fact{
		{"models", "the configured models exist", modelsFile, takes(m.named()...)},
		{"unknown_model", "a model that is not there is 404", "emulators/gemini/apierror.go", refuses(404, m.ask("", "gemini-0.1-none", nil))},
		{"unsuited_model", "an embedding model that is to generate is 404", modelsFile, refuses(404, m.ask("", m.embed, nil))},
		{"unknown_field", "a field that there is not is 400", "emulators/gemini/messages.go", refuses(400, m.ask("", m.image, object{"noSuchField": 1}))},
		{"last_turn", "a last turn of the model's is 400", rulesFile, refuses(400, m.both("", object{"contents": []any{turn("user", "Say yes."), turn("model", "y")}})...)},
		{"temperature", "a temperature is taken, and one above 2 is 400", rulesFile, both(
			takes(m.ask("1", m.image, config(object{"temperature": 1}))), refuses(400, m.ask("3", m.image, config(object{"temperature": 3}))))},
		{"empty_enum", "an enum that holds an empty string is 400", schemaFile, refuses(400, m.ask("", m.image, config(schema(object{
			"type": "object", "properties": object{"answer": object{"type": "string", "enum": []any{"yes", ""}}}}))))},
		{"answer_order", "an answer's members come in propertyOrdering", "internal/gemini/schema.go", observes(m.ask("", m.image, config(long(schema(ordered)))), inOrder)},
		{"usage", "an answer counts its tokens and names its model", "internal/gemini/answer.go", observes(m.ask("", m.image, config(long(object{}))), counted)},
	}
	if m.vertex {
		return facts
	}
	return append(facts,
		Fact{"store", "store: false is taken", fieldsFile, takes(m.both("", object{"store": false})...)},
		Fact{"wrong_key", "a wrong key is 400 with the reason API_KEY_INVALID", "emulators/gemini/apierror.go", wrongKey(m.image)})
}

// named requests the description of each model, which is free.
func (m models) named() (all []sending) {
	for _, model := range []string{m.image, m.judge, m.embed, m.speech} {
		if model != "" {
			all = append(all, sending{model: model})
		}
	}
	return all
}

// long has settings with enough tokens for thoughts and an answer that is checked.
func long(settings object) object {
	settings["maxOutputTokens"] = 4096
	return settings
}

func schema(s object) object {
	return object{"responseMimeType": "application/json", "responseJsonSchema": s}
}

var ordered = object{"type": "object", "required": []any{"zebra", "apple", "melon"}, "propertyOrdering": []any{"zebra", "apple", "melon"},
	"properties": object{"apple": object{"type": "string"}, "melon": object{"type": "string"}, "zebra": object{"type": "string"}}}

func inOrder(g generated) (bool, string) { return inThatOrder(g.text()), g.text() }

// inThatOrder reports whether a text has the members of ordered in their order.
func inThatOrder(text string) bool {
	z, a, m := strings.Index(text, `"zebra"`), strings.Index(text, `"apple"`), strings.Index(text, `"melon"`)
	return 0 <= z && z < a && a < m
}

func counted(g generated) (bool, string) {
	return g.Usage.Prompt > 0 && g.Usage.Answer > 0 && g.ModelVersion != "", fmt.Sprintf("%d in, %d out, %d thoughts, %s", g.Usage.Prompt, g.Usage.Answer, g.Usage.Thoughts, g.ModelVersion)
}

func both(first, second func(context.Context, *prober) (Status, string)) func(context.Context, *prober) (Status, string) {
	return func(ctx context.Context, p *prober) (Status, string) {
		a, seen := first(ctx, p)
		b, more := second(ctx, p)
		if a == Held {
			a = b
		}
		return worse(b, a), seen + "; " + more
	}
}

func wrongKey(model string) func(context.Context, *prober) (Status, string) {
	return func(ctx context.Context, p *prober) (Status, string) {
		stranger := *p
		stranger.key = "AIzaSyThisKeyIsOfNobodyAtAll_0123456789"
		a := stranger.ask(ctx, model, "generateContent", question(nil))
		if a.undecided() && a.status != http.StatusForbidden {
			return NotChecked, a.outcome()
		}
		return verdict(a.status == 400 && bytes.Contains(a.body, []byte("API_KEY_INVALID"))), a.outcome()
	}
}

func (m models) searching() []Fact {
	search := []any{object{"googleSearch": object{}}}
	asked := []any{turn("user", "Which company makes Nutella? Search the web once.")}
	withSchema := m.question(m.judge, config(schema(object{"type": "object", "properties": object{"company": object{"type": "string"}}, "required": []any{"company"}})))
	withSchema["tools"], withSchema["contents"] = search, asked
	function := object{"functionDeclarations": []any{object{"name": "look", "description": "looks", "parameters": object{"type": "object", "properties": object{"at": object{"type": "string"}}}}}}
	functions := object{"tools": []any{search[0], function}, "contents": asked}
	structured := Fact{"search_schema", "search and a schema go together in one call (SEARCH_WITH_SCHEMA)", rulesFile, takes(generating("", m.judge, withSchema))}
	if m.vertex {
		structured = Fact{"search_schema", "search and a schema in one call are 400 on Vertex AI", rulesFile, refuses(400, generating("", m.judge, withSchema))}
	}
	facts := []Fact{structured,
		{"search_sources", "a grounded answer tells its queries and its sources, with addresses", "internal/gemini/answer.go",
			observes(generating("", m.judge, m.question(m.judge, object{"tools": search, "contents": asked, "generationConfig": long(object{})})), grounded)},
	}
	if m.vertex {
		return facts
	}
	return append(facts, Fact{"search_functions", "search with functions is 400 unless server side invocations are asked for", rulesFile, both(
		refuses(400, m.ask("without", m.judge, functions)),
		takes(m.ask("with", m.judge, object{"tools": functions["tools"], "contents": asked, "toolConfig": object{"includeServerSideToolInvocations": true}})))})
}

func grounded(g generated) (bool, string) {
	if len(g.Candidates) == 0 {
		return false, "no candidate"
	}
	meta := g.Candidates[0].GroundingMetadata
	ok := len(meta.Queries) > 0 && len(meta.Chunks) > 0 && meta.Chunks[0].Web.URI != ""
	return ok, fmt.Sprintf("queries %q, %d sources", meta.Queries, len(meta.Chunks))
}

func (m models) seeing() []Fact {
	photo := object{"inlineData": object{"mimeType": "image/jpeg", "data": samples.All()[0].Bytes()}}
	see := func(resolution string) object {
		body := m.question(m.image, config(object{}))
		body["contents"] = []any{object{"role": "user", "parts": []any{photo, object{"text": "One word: what is it?"}}}}
		if resolution != "" {
			body["generationConfig"].(object)["mediaResolution"] = "MEDIA_RESOLUTION_" + resolution
		}
		return body
	}
	return []Fact{
		{"media_resolution", "each media resolution is taken, and a finer one takes more tokens", "internal/gemini/settings.go", m.resolutions(see)},
		{"photo_tokens", "a photo takes no more than the 2,500 tokens that estimates assume for all that is sent", "internal/analyze/analyze.go",
			observes(generating("", m.image, see("")), func(g generated) (bool, string) {
				return g.imageTokens() <= 2500, fmt.Sprintf("%d tokens of a photo at the model's own resolution", g.imageTokens())
			})},
	}
}

// imageTokens returns the tokens of the photos in a request.
func (g generated) imageTokens() (n int) {
	for _, d := range g.Usage.Details {
		if d.Modality == "IMAGE" {
			n += d.TokenCount
		}
	}
	return n
}

func (m models) resolutions(see func(string) object) func(context.Context, *prober) (Status, string) {
	return func(ctx context.Context, p *prober) (Status, string) {
		var tokens []int
		for _, resolution := range []string{"LOW", "MEDIUM", "HIGH"} {
			a := p.ask(ctx, m.image, "generateContent", see(resolution))
			g := a.generated()
			switch {
			case a.undecided():
				return NotChecked, a.outcome()
			case a.status != http.StatusOK:
				return Failed, resolution + ": " + a.outcome()
			case g.ModelVersion == emulatedVersion:
				return NotChecked, "an emulated model answered"
			}
			tokens = append(tokens, g.imageTokens())
		}
		return verdict(tokens[0] < tokens[1] && tokens[1] < tokens[2]), fmt.Sprintf("low, medium, high: %v tokens", tokens)
	}
}

func (m models) speaking() []Fact {
	if m.speech == "" {
		return nil
	}
	body := object{
		"contents":         []any{turn("user", "Yes.")},
		"generationConfig": object{"responseModalities": []any{"AUDIO"}, "maxOutputTokens": 512, "speechConfig": object{"voiceConfig": object{"prebuiltVoiceConfig": object{"voiceName": gemini.DefaultVoice}}}},
	}
	heard := func(g generated) (bool, string) {
		if len(g.Candidates) == 0 || len(g.Candidates[0].Content.Parts) == 0 {
			return false, "no sound"
		}
		sound := g.Candidates[0].Content.Parts[0].InlineData
		riff := bytes.HasPrefix(sound.Data, []byte("RIFF"))
		return riff || strings.HasPrefix(sound.MIMEType, "audio/L16"), fmt.Sprintf("%s, %d bytes, a whole WAV: %v", sound.MIMEType, len(sound.Data), riff)
	}
	return []Fact{{"speech", "the speech model answers with a whole WAV, or with samples that say so", "internal/forecast/speech/speech.go", observes(generating("", m.speech, body), heard)}}
}
