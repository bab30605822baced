package gemini

import (
	"fmt"
	"slices"
)

// asked is a request whose message could be decoded, with the model that it names.
type asked struct {
	model  model
	vertex bool
	method string
	*generateBody
}

// A rule is a documented constraint on requests that their message definitions do not
// express. Its error is the service's refusal.
type rule func(asked) error

func (a asked) judge(rules []rule) error {
	for _, broken := range rules {
		if err := broken(a); err != nil {
			return err
		}
	}
	return nil
}

var generateRules = []rule{
	contentsGiven, rolesKnown, partsGiven, textsGiven, lastTurnTaken, imagesCounted,
	functionsNamed, functionsDeclaredOnce, parametersValid, callingConfigured, allowedFunctions, searchOfToday,
	callsInOrder, callsSigned,
	oneThinkingSetting, thinkingLevelTaken, thinkingBudgetTaken,
	oneSchema, answerTypeKnown, schemaWithJSON, schemasValid,
	searchWithoutSchema, searchWithoutFunctions, settingsInRange, stopsCounted, logprobsInRange, logprobsGiven,
	modalityTaken, onlySpoken, voiceKnown, spokenLength,
	filesExist, cacheExists,
}

func contentsGiven(a asked) error {
	if len(a.Contents) == 0 {
		return badField("contents", "GenerateContentRequest.contents: contents is not specified")
	}
	return nil
}

// rolesKnown: "Must be either 'user' or 'model'"; the older role of a
// function's response is still taken.
func rolesKnown(a asked) error {
	for i, c := range a.Contents {
		if !slices.Contains([]string{"", "user", "model", "function"}, c.Role) {
			path := fmt.Sprintf("contents[%d].role", i)
			return badField(path, fmt.Sprintf("GenerateContentRequest.%s: %q: please use a valid role: user, model.", path, c.Role))
		}
	}
	return nil
}

func partsGiven(a asked) error {
	for i, c := range a.Contents {
		if len(c.Parts) == 0 {
			path := fmt.Sprintf("contents[%d].parts", i)
			return badField(path, "GenerateContentRequest."+path+": contents.parts must not be empty.")
		}
		if j := slices.Index(c.Parts, part{}); j >= 0 {
			path := fmt.Sprintf("contents[%d].parts[%d].data", i, j)
			return badField(path, "GenerateContentRequest."+path+": required oneof field 'data' must have one initialized field")
		}
	}
	return nil
}

// textsGiven: Vertex AI refuses an empty text, the Gemini API passes it on.
func textsGiven(a asked) error {
	for i, c := range a.Contents {
		for j, p := range c.Parts {
			if a.vertex && p.Text != nil && *p.Text == "" {
				path := fmt.Sprintf("contents[%d].parts[%d].text", i, j)
				return badField(path, path+": unable to submit request because it has an empty text parameter. Add a value to the parameter and try again.")
			}
		}
	}
	return nil
}

// lastTurnTaken: see models.
func lastTurnTaken(a asked) error {
	last := a.Contents[len(a.Contents)-1]
	if !a.model.endsWithUser || last.Role != "model" || last.Parts[len(last.Parts)-1].FunctionResponse != nil {
		return nil
	}
	return badField("contents", "contents: requests ending with a model turn are not supported unless the last part is a function response.")
}

// The most images of a request, by the pages on image understanding of the two
// services.
const (
	maxImagesAPI    = 3600
	maxImagesVertex = 3000
)

func imagesCounted(a asked) error {
	most, n := maxImagesAPI, 0
	if a.vertex {
		most = maxImagesVertex
	}
	for _, c := range a.Contents {
		for _, p := range c.Parts {
			if p.InlineData != nil {
				n++
			}
		}
	}
	if n > most {
		return badField("contents", fmt.Sprintf("contents: %d images, at most %d can be in one request", n, most))
	}
	return nil
}

const thinkingPath = "generation_config.thinking_config."

func oneThinkingSetting(a asked) error {
	if t := a.Config.Thinking; t != nil && t.Level != "" && t.Budget != nil {
		return badField(thinkingPath+"thinking_level", thinkingPath+"thinking_level: you can only set one of thinking_budget and thinking_level.")
	}
	return nil
}

func thinkingLevelTaken(a asked) error {
	t := a.Config.Thinking
	if t == nil || t.Level == "" || t.Level == "THINKING_LEVEL_UNSPECIFIED" || slices.Contains(a.model.levels, t.Level) {
		return nil
	}
	message := fmt.Sprintf("%sthinking_level: %s is not a supported thinking level for this model. Allowed values are: %v.", thinkingPath, t.Level, a.model.levels)
	if len(a.model.levels) == 0 {
		message = thinkingPath + "thinking_level: thinking level is not supported for this model."
	}
	return badField(thinkingPath+"thinking_level", message)
}

func thinkingBudgetTaken(a asked) error {
	if a.Config.Thinking == nil || a.Config.Thinking.Budget == nil {
		return nil
	}
	budget := a.Config.Thinking.Budget
	n, err := budget.Int64()
	if err == nil && slices.ContainsFunc(a.model.budgets, func(b budgets) bool { return b.least <= n && n <= b.most }) {
		return nil
	}
	return badField(thinkingPath+"thinking_budget", fmt.Sprintf("%sthinking_budget: the thinking budget %s is invalid for this model.", thinkingPath, *budget))
}

// searches reports that the model may search the web.
func (b *generateBody) searches() bool {
	return slices.ContainsFunc(b.Tools, func(t tool) bool { return t.GoogleSearch != nil })
}

// declares reports that there are functions the model may call.
func (b *generateBody) declares() bool {
	return slices.ContainsFunc(b.Tools, func(t tool) bool { return len(t.Functions) > 0 })
}

// searchWithoutSchema: only Gemini 3 on the Gemini API does both in one call,
// by ai.google.dev/gemini-api/docs/structured-output.
func searchWithoutSchema(a asked) error {
	switch {
	case !a.searches() || a.Config.MIMEType != "application/json" || !a.vertex && !a.model.isGemini2():
		return nil
	case a.vertex:
		return badField("tools", "tools: unable to submit request because controlled generation is not supported with google_search tool.")
	}
	return badField("tools", "tools: tool use with a response mime type: 'application/json' is unsupported")
}

// searchWithoutFunctions: Gemini 2 has one or the other, Gemini 3 on the
// Gemini API wants to be told to show the calls of the service's own tools.
func searchWithoutFunctions(a asked) error {
	switch {
	case !a.searches() || !a.declares():
		return nil
	case a.model.isGemini2():
		return badField("tools", "tools: tool use with function calling is unsupported by the model.")
	case !a.vertex && !a.ToolConfig.ServerSideInvocations:
		return badField("tool_config", "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.")
	}
	return nil
}
