package gemini

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"google.golang.org/adk/v2/model"
	"google.golang.org/genai"
)

// Options say how an [LLM] asks its model, where the agent's own configuration
// does not. The zero Options ask for the least thinking and the model's defaults.
type Options struct {
	Thinking        Thinking
	MediaResolution MediaResolution
	MaxOutputTokens int32
	// Key names the calls in the log; "" is none.
	Key string
}

// LLM is a model of a client as ADK's agents ask it. Its calls are those of
// [Client.Generate] in all that they have in common: they are charged to the
// context's [Account], held to the day's limit, tried again and handed to the
// fallback model by the same rules, and their errors are *Error. In particular an
// answer that was blocked or truncated is an error, and no event.
type LLM struct {
	client  *Client
	name    string
	options Options
}

var _ model.LLM = (*LLM)(nil)

// LLM returns the model of that name for agents.
func (c *Client) LLM(name string, o Options) *LLM { return &LLM{c, name, o} }

// Name returns the name of the model that is asked.
func (m *LLM) Name() string { return m.name }

// GetGoogleLLMVariant tells ADK whose wire this is.
func (m *LLM) GetGoogleLLMVariant() genai.Backend {
	if m.client.vertex {
		return genai.BackendVertexAI
	}
	return genai.BackendGeminiAPI
}

// GenerateContent asks the model and yields its whole answer or an error. With
// stream it yields texts before, marked Partial, as they come. The answer's
// contents, thought signatures among them, are as the service gave them; sent
// again they go out unchanged. A fault after the first bytes is not tried again:
// whoever heard them would hear them twice.
func (m *LLM) GenerateContent(ctx context.Context, r *model.LLMRequest, stream bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		t := turn{LLM: m, request: r, listener: listener{yield: yield}}
		t.stream = stream
		answer, err := t.ask(ctx)
		switch {
		case t.left:
		case err != nil:
			yield(nil, err)
		default:
			yield(answer, nil)
		}
	}
}

// A turn is one call for an agent.
type turn struct {
	*LLM
	request *model.LLMRequest
	stream  bool
	tools   []*genai.Tool // as they are sent
	form    *form
	listener
}

func (t *turn) ask(ctx context.Context) (*model.LLMResponse, error) {
	name := t.name
	if t.request.Model != "" {
		name = t.request.Model
	}
	contents, err := t.contents()
	if err == nil {
		err = t.check(name)
	}
	if err == nil {
		t.tools, err = declarations(t.agentConfig().Tools)
	}
	if err == nil {
		t.form, err = t.asks()
	}
	if err != nil {
		return nil, &Error{Kind: Invalid, Model: name, Err: err}
	}
	var answer *model.LLMResponse
	err = t.client.call(ctx, name, job{key: t.options.Key, kind: t.kind(), otherwise: t.form.again, try: func(ctx context.Context, name string) error {
		raw, err := t.send(ctx, name, t.config(name, contents))
		if err != nil {
			return t.form.failed(name, err)
		}
		t.form.answered(ctx, name)
		if _, err := t.client.chargeAndCheck(ctx, name, raw, hasAnswer); err != nil {
			return t.afterwards(err)
		}
		answer = answerOf(raw)
		return nil
	}})
	return answer, err
}

func (t *turn) send(ctx context.Context, name string, config *genai.GenerateContentConfig) (*genai.GenerateContentResponse, error) {
	if t.stream {
		return t.client.stream(ctx, name, config, func(raw *genai.GenerateContentResponse) error {
			if err := t.client.allowed(name, raw.ModelVersion); err != nil {
				return err
			}
			return t.hear(raw)
		})
	}
	return t.client.send(ctx, name, config)
}

// afterwards is the error of an answer that came to its end: of one that was
// handed on in pieces there is no second try either.
func (t *turn) afterwards(err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.begun = t.heard
	}
	return err
}

// config is the agent's with what is ours, made anew for each try.
func (t *turn) config(name string, contents any) *genai.GenerateContentConfig {
	config := t.agentConfig()
	config.Tools = t.tools
	t.formulate(&config, name)
	if config.ThinkingConfig == nil {
		config.ThinkingConfig = thinkingConfig(t.options.Thinking, name)
	}
	if config.MediaResolution == "" {
		config.MediaResolution = t.options.MediaResolution.wire()
	}
	if config.MaxOutputTokens == 0 {
		config.MaxOutputTokens = t.options.MaxOutputTokens
	}
	t.client.complete(&config, func(body map[string]any) { body["contents"] = contents })
	return &config
}

// agentConfig is a copy of what the agent asks for.
func (t *turn) agentConfig() genai.GenerateContentConfig {
	if t.request.Config == nil {
		return genai.GenerateContentConfig{}
	}
	return *t.request.Config
}

func (t *turn) kind() string {
	if t.searches() {
		return jobSearch
	}
	return jobGenerate
}

func (t *turn) searches() bool {
	return slices.ContainsFunc(t.agentConfig().Tools, func(tool *genai.Tool) bool { return tool != nil && tool.GoogleSearch != nil })
}

// check refuses what the SDK or the service would refuse less clearly.
func (t *turn) check(name string) error {
	config := t.agentConfig()
	functions := config.ToolConfig != nil && config.ToolConfig.FunctionCallingConfig != nil
	switch {
	case functions && config.ToolConfig.FunctionCallingConfig.StreamFunctionCallArguments != nil:
		return errors.New("the arguments of a function's call are not streamed here: leave StreamFunctionCallArguments unset")
	case t.searches() && (config.ResponseSchema != nil || config.ResponseJsonSchema != nil) && t.client.cannotSearchBySchema(name):
		return errSearchBySchema
	}
	if err := t.options.Thinking.Check(); err != nil {
		return fmt.Errorf("Thinking is %w", err)
	}
	if err := t.options.MediaResolution.Check(); err != nil {
		return fmt.Errorf("MediaResolution is %w", err)
	}
	return checkModel(name)
}

// A listener hands the pieces of an answer on.
type listener struct {
	yield       func(*model.LLMResponse, error) bool
	heard, left bool
}

// hear yields the text of a piece, if it has any; errLeft says that no more is
// wanted. Calls of functions come with the whole answer only.
func (l *listener) hear(raw *genai.GenerateContentResponse) error {
	part := answerOf(raw)
	if part.Content == nil || !slices.ContainsFunc(part.Content.Parts, saysText) {
		return nil
	}
	said := &model.LLMResponse{
		Content:      &genai.Content{Role: genai.RoleModel, Parts: texted(part.Content.Parts)},
		ModelVersion: part.ModelVersion, Partial: true,
	}
	l.heard = true
	if l.left = !l.yield(said, nil); l.left {
		return errLeft
	}
	return nil
}

func saysText(p *genai.Part) bool { return p != nil && p.Text != "" }

func texted(parts []*genai.Part) []*genai.Part {
	var kept []*genai.Part
	for _, p := range parts {
		if saysText(p) {
			kept = append(kept, &genai.Part{Text: p.Text, Thought: p.Thought})
		}
	}
	return kept
}

// answerOf is the first candidate as ADK takes it.
func answerOf(raw *genai.GenerateContentResponse) *model.LLMResponse {
	answer := &model.LLMResponse{UsageMetadata: raw.UsageMetadata, ModelVersion: raw.ModelVersion}
	if len(raw.Candidates) == 0 || raw.Candidates[0] == nil {
		return answer
	}
	c := raw.Candidates[0]
	answer.Content, answer.FinishReason = c.Content, c.FinishReason
	answer.GroundingMetadata, answer.CitationMetadata = c.GroundingMetadata, c.CitationMetadata
	answer.AvgLogprobs, answer.LogprobsResult = c.AvgLogprobs, c.LogprobsResult
	return answer
}
