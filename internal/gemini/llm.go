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

// Options configure an [LLM] where the agent's own configuration does not. The zero Options
// request the least thinking and the model's defaults.
type Options struct {
	Thinking        Thinking
	MediaResolution MediaResolution
	MaxOutputTokens int32
	// Key names the calls in the log; it may be empty.
	Key string
}

// LLM lets ADK's agents use a model of a client. Its calls follow the rules of
// [Client.Generate]: they are charged to the context's [Account], limited per day, retried
// and passed to the fallback model in the same way, and their errors are *Error. In
// particular a blocked or truncated answer is an error, not an event.
type LLM struct {
	client  *Client
	name    string
	options Options
}

var _ model.LLM = (*LLM)(nil)

// LLM returns the model with that name for ADK's agents.
func (c *Client) LLM(name string, o Options) *LLM { return &LLM{c, name, o} }

// Name returns the model's name.
func (m *LLM) Name() string { return m.name }

// GetGoogleLLMVariant tells ADK which backend is used.
func (m *LLM) GetGoogleLLMVariant() genai.Backend {
	if m.client.vertex {
		return genai.BackendVertexAI
	}
	return genai.BackendGeminiAPI
}

// GenerateContent calls the model and yields its whole answer or an error. With stream it
// first yields texts as they arrive, marked Partial. The answer's contents, including
// thought signatures, are as the service sent them, and are sent back unchanged. An error
// after the first bytes is not retried, because the consumer would get the text twice.
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
	tools   []*genai.Tool // as sent
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
		if _, err := t.client.chargeAndCheck(ctx, t.options.Key, name, raw, hasAnswer); err != nil {
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
	return send(ctx, t.client.models, name, config)
}

// afterwards returns the error of an answer that was received whole. If parts of it were
// already passed on, it is not retried.
func (t *turn) afterwards(err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.begun = t.heard
	}
	return err
}

// config returns the agent's configuration with this package's settings. It is created anew
// for each try.
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

// agentConfig returns a copy of the agent's configuration.
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

// check refuses requests that the SDK or the service would refuse with a less clear error.
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

// A listener passes on the pieces of an answer.
type listener struct {
	yield       func(*model.LLMResponse, error) bool
	heard, left bool
}

// hear yields the text of a piece, if it has any. The error errLeft means that the consumer
// wants no more. Function calls are only passed on with the whole answer.
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

// answerOf returns the first candidate in ADK's form.
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
