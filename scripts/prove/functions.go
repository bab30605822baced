package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"example.com/whatis/internal/gemini"
)

const turnRulesFile = "emulators/gemini/turnrules.go"

// declared are two functions like those of the weather conversation.
var declared = []any{object{"functionDeclarations": []any{
	object{"name": "get_forecast_from_cache", "description": "Looks up the forecast of a city.", "parametersJsonSchema": object{
		"type": "object", "properties": object{"city": object{"type": "string"}}, "required": []any{"city"}}},
	object{"name": "set_session_value", "description": "Notes a value of this conversation.", "parametersJsonSchema": object{
		"type": "object", "properties": object{"key": object{"type": "string"}, "value": object{"type": "string"}}, "required": []any{"key", "value"}}},
}}}

// mode says whether functions may, must or must not be called, and what more is set.
func mode(name string, more object) object {
	calling := object{"mode": name}
	maps.Copy(calling, more)
	return object{"functionCallingConfig": calling}
}

// opened asks for two calls at once.
var opened = turn("user", "What will the weather be in Seoul tomorrow? Call both functions at once: note that WEATHER_TYPE is tomorrow, and look Seoul up.")

func (m models) conversing(contents []any, calling object) object {
	return m.question(m.talk, object{"contents": contents, "tools": declared, "toolConfig": calling, "generationConfig": long(object{})})
}

// A conversation is the model's turn with its calls, after the one that asked for them.
type conversation struct {
	models
	content object
	calls   []object
	version string
}

// converse makes the model call functions. Without calls it returns the reason.
func (m models) converse(ctx context.Context, p *prober) (c conversation, status Status, seen string) {
	a := p.send(ctx, generating("", m.talk, m.conversing([]any{opened}, mode("ANY", nil))))
	if a.err != nil || a.status != http.StatusOK {
		status, seen = plain(a, http.StatusOK)
		return c, status, seen
	}
	c = conversation{models: m, content: a.content(), version: a.generated().ModelVersion}
	for _, part := range parts(c.content) {
		if call, ok := part["functionCall"].(object); ok {
			c.calls = append(c.calls, call)
		}
	}
	switch {
	case len(c.calls) > 0:
		return c, Held, fmt.Sprintf("%d calls", len(c.calls))
	case c.version == emulatedVersion:
		return c, NotChecked, "an emulated model answered, and called nothing"
	}
	return c, Failed, "no function was called: " + a.generated().text()
}

// content returns the turn of the first candidate as it came, to be sent back.
func (a answered) content() object {
	var g struct{ Candidates []struct{ Content object } }
	if json.Unmarshal(a.body, &g) != nil || len(g.Candidates) == 0 {
		return nil
	}
	return g.Candidates[0].Content
}

// parts returns the parts of a turn.
func parts(content object) (all []object) {
	list, _ := content["parts"].([]any)
	for _, part := range list {
		if p, ok := part.(object); ok {
			all = append(all, p)
		}
	}
	return all
}

// reply sends a turn of the model's back with the responses to the first n of its calls.
func (c conversation) reply(name string, content object, n int) sending {
	var responses []any
	for _, call := range c.calls[:n] {
		response := object{"name": call["name"], "response": object{"status": "success"}}
		if id, ok := call["id"]; ok {
			response["id"] = id
		}
		responses = append(responses, object{"functionResponse": response})
	}
	contents := []any{opened, content, object{"role": "user", "parts": responses}}
	return generating(name, c.talk, c.conversing(contents, mode("AUTO", nil)))
}

// unsigned returns a turn without its signatures.
func unsigned(content object) object {
	var all []any
	for _, part := range parts(content) {
		plain := maps.Clone(part)
		delete(plain, "thoughtSignature")
		all = append(all, plain)
	}
	return object{"role": content["role"], "parts": all}
}

// conversed checks what follows a turn with calls, where there is one.
func (m models) conversed(check func(context.Context, *prober, conversation) (Status, string)) func(context.Context, *prober) (Status, string) {
	return func(ctx context.Context, p *prober) (Status, string) {
		c, status, seen := m.converse(ctx, p)
		if status != Held {
			return status, seen
		}
		return check(ctx, p, c)
	}
}

func (m models) functions() []Fact {
	if m.talk == "" {
		return nil
	}
	return []Fact{
		{"function_call", "a model that must call a function calls one that is declared", "internal/gemini/llm.go", m.conversed(callsDeclared)},
		{"function_response", "calls that are sent back with their responses are taken", turnRulesFile, m.conversed(func(ctx context.Context, p *prober, c conversation) (Status, string) {
			return plain(p.send(ctx, c.reply("", c.content, len(c.calls))), http.StatusOK)
		})},
		{"parallel_calls", "of two calls in one turn both responses are taken, and one alone is 400", turnRulesFile, m.conversed(bothOrNone)},
		{"function_order", "a response that answers no call, and a history that begins with a call, are 400", turnRulesFile, refuses(400,
			generating("response", m.talk, m.conversing([]any{respondedAlone}, mode("AUTO", nil))),
			generating("call", m.talk, m.conversing([]any{calledAlone, respondedAlone}, mode("AUTO", nil))))},
		{"function_modes", "mode ANY without functions, and allowedFunctionNames under AUTO, are 400", turnRulesFile, refuses(400,
			m.ask("ANY", m.talk, object{"toolConfig": mode("ANY", nil)}),
			generating("AUTO", m.talk, m.conversing([]any{opened}, mode("AUTO", object{"allowedFunctionNames": []any{"set_session_value"}}))))},
	}
}

var (
	respondedAlone = object{"role": "user", "parts": []any{object{"functionResponse": object{"name": "get_forecast_from_cache", "response": object{"status": "success"}}}}}
	calledAlone    = object{"role": "model", "parts": []any{object{"functionCall": object{"name": "get_forecast_from_cache", "args": object{"city": "Seoul"}}}}}
)

func callsDeclared(_ context.Context, _ *prober, c conversation) (Status, string) {
	if c.version == emulatedVersion {
		return NotChecked, "an emulated model answered"
	}
	var names []string
	for _, call := range c.calls {
		names = append(names, fmt.Sprint(call["name"]))
	}
	wrong := slices.ContainsFunc(names, func(name string) bool { return name != "get_forecast_from_cache" && name != "set_session_value" })
	return verdict(!wrong), fmt.Sprintf("%q", names)
}

func bothOrNone(ctx context.Context, p *prober, c conversation) (Status, string) {
	if len(c.calls) < 2 {
		return NotChecked, "the model made one call"
	}
	return both(takes(c.reply("both", c.content, len(c.calls))), refuses(400, c.reply("one", c.content, 1)))(ctx, p)
}

// signatures are of Gemini 3: the first call of a turn is signed, and comes back so.
func (m models) signatures() []Fact {
	if !gemini.SignsThoughts(m.talk) {
		return nil
	}
	signed := func(then func(context.Context, *prober, conversation) (Status, string)) func(context.Context, *prober) (Status, string) {
		return m.conversed(func(ctx context.Context, p *prober, c conversation) (Status, string) {
			given := slices.ContainsFunc(parts(c.content), func(part object) bool { return part["thoughtSignature"] != nil })
			switch {
			case given:
				return then(ctx, p, c)
			case c.version == emulatedVersion:
				return NotChecked, "an emulated model answered, and signed nothing"
			}
			return Failed, "no call is signed"
		})
	}
	return []Fact{
		{"signature_back", "the first call is signed, and taken with its signature", "internal/gemini/contents.go", signed(func(ctx context.Context, p *prober, c conversation) (Status, string) {
			return plain(p.send(ctx, c.reply("", c.content, len(c.calls))), http.StatusOK)
		})},
		{"signature_left_out", "the first call of the turn under way is 400 without its signature", turnRulesFile, signed(func(ctx context.Context, p *prober, c conversation) (Status, string) {
			return plain(p.send(ctx, c.reply("", unsigned(c.content), len(c.calls))), http.StatusBadRequest)
		})},
	}
}
