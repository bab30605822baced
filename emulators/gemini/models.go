package gemini

import (
	"slices"
	"strings"
)

// A model describes a model of the services.
type model struct {
	id string
	// embeds tells an embedding model from one that generates.
	embeds bool
	// only restricts it to one service.
	only service
	// levels are the thinking levels it takes; nil is none.
	levels []string
	// budgets are the thinking budgets it takes.
	budgets []budgets
	// endsWithUser: the last turn must not be the model's.
	endsWithUser bool
	// flex: it has the flex tier (tier.go).
	flex bool
	// textOnly: it embeds no images.
	textOnly bool
	// speaks: it is a speech model.
	speaks bool
	// wav: it answers with a whole WAV, and takes the text and the style of speech
	// separately (speechMetadata). The others answer with samples.
	wav bool
}

type service string

const (
	geminiAPI service = "the Gemini API"
	vertexAI  service = "Vertex AI"
)

// budgets is a range of thinking budgets, in tokens.
type budgets struct{ least, most int64 }

// Thinking levels and budgets by ai.google.dev/gemini-api/docs/thinking. A
// budget on Gemini 3 is "accepted for backwards compatibility"; -1 lets the
// model choose. gemini-3.5-flash-lite alone refuses 0 (github.com/maragudk/gai
// pull request 369, probed live).
var (
	allLevels   = []string{"MINIMAL", "LOW", "MEDIUM", "HIGH"}
	fromLow     = []string{"LOW", "MEDIUM", "HIGH"}
	anyBudget   = []budgets{{-1, 1 << 31}}
	anyButZero  = []budgets{{-1, -1}, {1, 1 << 31}}
	proBudget   = []budgets{{-1, -1}, {128, 32_768}}
	flashBudget = []budgets{{-1, 24_576}}
	liteBudget  = []budgets{{-1, 0}, {512, 24_576}}
)

// models are those of 2026-11-21, by ai.google.dev/gemini-api/docs/deprecations
// and docs.cloud.google.com/gemini-enterprise-agent-platform/models/model-versions:
// Vertex AI retired Gemini 2.5 on 2026-10-16, the Gemini API shuts 2.5 Pro and
// 2.5 Flash down on 2026-12-01.
//
// flex by the pages of the models, ai.google.dev/gemini-api/docs/models/…, which say
// "Flex inference: Supported", and for Vertex AI by its page on Flex PayGo: "select
// Gemini 3.8 Flash and earlier models", none of which the copies that were read name.
//
// endsWithUser by ai.google.dev/gemini-api/docs/generate-content/whats-new-gemini-3.6,
// for 3.7 and 3.8 by what live requests were answered (github.com/LibreChat-AI/agents
// pull request 412, github.com/anomalyco/opencode issue 47034).
var models = []model{
	{id: "gemini-3.8-flash", levels: fromLow, budgets: anyBudget, endsWithUser: true, flex: true},
	{id: "gemini-3.7-flash", levels: fromLow, budgets: anyBudget, endsWithUser: true, flex: true},
	{id: "gemini-3.6-flash", levels: allLevels, budgets: anyBudget, endsWithUser: true, flex: true},
	{id: "gemini-3.5-flash", levels: allLevels, budgets: anyBudget, flex: true},
	{id: "gemini-3.5-flash-lite", levels: allLevels, budgets: anyButZero, endsWithUser: true, flex: true},
	{id: "gemini-3.1-flash-lite", levels: allLevels, budgets: anyBudget, flex: true},
	{id: "gemini-3.1-pro-preview", levels: fromLow, budgets: anyBudget, flex: true},
	{id: "gemini-3-flash-preview", levels: allLevels, budgets: anyBudget, flex: true},
	{id: "gemini-3.1-flash-image", levels: allLevels, budgets: anyBudget},
	{id: "gemini-3-pro-image", levels: allLevels, budgets: anyBudget},
	{id: "gemini-3.8-flash-tts", levels: allLevels, budgets: anyBudget, speaks: true, wav: true},
	{id: "gemini-3.8-flash-lite-tts", levels: allLevels, budgets: anyBudget, speaks: true, wav: true},
	{id: "gemini-3.1-flash-tts-preview", levels: allLevels, budgets: anyBudget, speaks: true},
	{id: "gemini-2.5-pro", only: geminiAPI, budgets: proBudget, flex: true},
	{id: "gemini-2.5-flash", only: geminiAPI, budgets: flashBudget, flex: true},
	{id: "gemini-2.5-flash-lite", only: geminiAPI, budgets: liteBudget, flex: true},
	{id: "gemini-2.5-flash-preview-tts", only: geminiAPI, budgets: anyBudget, speaks: true},
	{id: "gemini-2.5-pro-preview-tts", only: geminiAPI, budgets: anyBudget, speaks: true},
	{id: "gemini-flash-latest", only: geminiAPI, levels: allLevels, budgets: anyBudget},
	{id: "gemini-flash-lite-latest", only: geminiAPI, levels: allLevels, budgets: anyBudget},
	{id: "gemini-pro-latest", only: geminiAPI, levels: allLevels, budgets: anyBudget},
	{id: "gemini-embedding-2", embeds: true},
	{id: "gemini-embedding-2-preview", embeds: true},
	{id: "gemini-embedding-001", embeds: true, textOnly: true},
	{id: "text-embedding-005", embeds: true, textOnly: true, only: vertexAI},
	{id: "text-multilingual-embedding-002", embeds: true, textOnly: true, only: vertexAI},
}

// The names of models that only the emulator has: its own begin with emulatedPrefix,
// those of a model on this machine, which a Responder asks, with LocalPrefix.
const (
	emulatedPrefix = "emulated-"
	LocalPrefix    = "local-"
)

// modelOf finds the model that a call names, on the service it is made to.
func modelOf(to route) (model, bool) {
	if strings.HasPrefix(to.model, emulatedPrefix) || strings.HasPrefix(to.model, LocalPrefix) {
		return emulatedModel(to.model), true
	}
	i := slices.IndexFunc(models, func(m model) bool { return m.id == to.model })
	if i < 0 || models[i].only == geminiAPI && to.vertex || models[i].only == vertexAI && !to.vertex {
		return model{}, false
	}
	return models[i], true
}

// emulatedModel returns a model of the emulator: one that embeds, or speaks, if it has that
// in its name, and for the rest takes what some model takes.
func emulatedModel(id string) model {
	speaks := strings.Contains(id, "speech")
	embeds := strings.Contains(id, "embed")
	return model{id: id, embeds: embeds, levels: allLevels, budgets: anyBudget, speaks: speaks, wav: speaks, flex: !embeds && !speaks}
}

// suits reports whether the model is made for a method.
func (m model) suits(method string) bool {
	switch {
	case generates(method):
		return !m.embeds
	case embeds(method):
		return m.embeds
	}
	return true
}

// isGemini2 tells the models that search the web or follow a schema, but not
// both in one call.
func (m model) isGemini2() bool { return strings.HasPrefix(m.id, "gemini-2") }

// signs tells the models that send a thought signature with the calls of a turn
// and want it back. Those that draw do not insist on it
// (docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures).
func (m model) signs() bool {
	return !m.isGemini2() && !(strings.HasPrefix(m.id, "gemini-") && strings.HasSuffix(m.id, "-image"))
}

// emulatedModels are the emulator's models in lists of models.
var emulatedModels = []string{"emulated-image", "emulated-judge", "emulated-embedding", "emulated-speech"}

func modelList(to route) map[string]any {
	var list []map[string]any
	for _, name := range emulatedModels {
		list = append(list, modelInfo(route{vertex: to.vertex, model: name}))
	}
	if to.vertex {
		return map[string]any{"publisherModels": list}
	}
	return map[string]any{"models": list}
}

// modelInfo describes a model as its family of paths does.
func modelInfo(to route) map[string]any {
	if to.vertex {
		return map[string]any{"name": "publishers/google/models/" + to.model, "versionId": ModelVersion, "launchStage": "GA"}
	}
	methods := []string{"generateContent", "streamGenerateContent", "countTokens"}
	limit := 1_048_576
	if m, _ := modelOf(to); m.embeds {
		methods, limit = []string{"embedContent", "batchEmbedContents", "countTokens"}, 8192
	} else if m.speaks {
		limit = maxSpoken
	}
	return map[string]any{
		"name": "models/" + to.model, "version": ModelVersion, "displayName": to.model,
		"description":     "An emulated model.",
		"inputTokenLimit": limit, "outputTokenLimit": 65_536,
		"supportedGenerationMethods": methods,
	}
}
