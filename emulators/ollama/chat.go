package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"slices"
	"strings"

	_ "golang.org/x/image/webp"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"example.com/whatis/emulators/gemini"
)

const (
	// contextTokens is how much of a conversation a model sees. It is the same for all
	// requests, as Ollama loads a model again for another one.
	contextTokens = 16_384
	// longestAnswer limits an answer that the request does not limit to less, in tokens: a
	// small model may repeat itself without end.
	longestAnswer = 4096
)

// kind names the requests in the emulator's log.
const kind gemini.Kind = "local"

// Kinds claims every request.
func (m *Model) Kinds(*gemini.Request) []gemini.Kind { return []gemini.Kind{kind} }

// Answer asks the model that the request names. It ends, in Ollama too, when ctx does.
func (m *Model) Answer(ctx context.Context, r *gemini.Request) (gemini.Answer, error) {
	if r.Search {
		return gemini.Answer{}, errors.New("googleSearch is not supported: a local model cannot search the web")
	}
	one := m.of(r)
	chat, err := request(r, one)
	if err != nil {
		return gemini.Answer{}, err
	}
	return m.chat(ctx, chat, one)
}

// of returns the model for r: the one it names, but photos need one that sees.
func (m *Model) of(r *gemini.Request) served {
	if r.Model != m.JudgeName() || len(r.Inline) > 0 && !m.judge.can(model.CapabilityVision) {
		return m.vision
	}
	return m.judge
}

// request returns r in Ollama's form. Thinking is switched off: a model of this size thinks
// longer than people wait. Functions are left out for a model that calls none.
func request(r *gemini.Request, one served) (*api.ChatRequest, error) {
	chat := &api.ChatRequest{
		Model: one.name, Messages: messages(r), Format: format(r),
		Options: map[string]any{"num_ctx": contextTokens, "num_predict": longestAnswer},
		// A prompt that is too long is an error, where it would otherwise lose its
		// beginning; an answer that is too long ends.
		Truncate: new(bool), Shift: new(bool),
	}
	if 0 < r.MaxTokens && r.MaxTokens < longestAnswer {
		chat.Options["num_predict"] = r.MaxTokens
	}
	if one.can(model.CapabilityThinking) {
		chat.Think = &api.ThinkValue{Value: false}
	}
	if one.can(model.CapabilityTools) {
		var err error
		if chat.Tools, err = tools(r.Declared); err != nil {
			return nil, err
		}
	}
	return chat, decodable(r.Inline)
}

// decodable refuses what Ollama cannot decode either: HEIC, HEIF and broken pictures.
func decodable(photos []gemini.Inline) error {
	for _, photo := range photos {
		if _, _, err := image.DecodeConfig(bytes.NewReader(photo.Data)); err != nil {
			return errors.New("unable to process input image: a local model sees JPEG, PNG and WebP")
		}
	}
	return nil
}

// format returns how the answer is held to JSON.
func format(r *gemini.Request) json.RawMessage {
	switch {
	case r.ResponseSchema != nil:
		return r.JSONSchema()
	case r.JSON:
		return json.RawMessage(`"json"`)
	}
	return nil
}

// messages returns the instruction and the conversation. A content becomes one message,
// whose texts are paragraphs, and one more for each result of a function.
func messages(r *gemini.Request) []api.Message {
	var all []api.Message
	if r.System != "" {
		all = append(all, api.Message{Role: "system", Content: r.System})
	}
	for i := range r.Turns {
		message := api.Message{Role: "user"}
		for _, said := range r.Dialog {
			switch {
			case said.Content != i:
			case said.Result != nil:
				all = append(all, api.Message{Role: "tool", ToolName: said.Result.Name, Content: encoded(said.Result.Response)})
			default:
				add(&message, said)
			}
		}
		for _, photo := range r.Inline {
			if photo.Content == i {
				message.Images = append(message.Images, photo.Data)
			}
		}
		if message.Content != "" || message.Images != nil || message.ToolCalls != nil {
			all = append(all, message)
		}
	}
	return all
}

// add adds a text or a call of a function to the message of its content.
func add(message *api.Message, said gemini.Said) {
	if said.Role == "model" {
		message.Role = "assistant"
	}
	if said.Call != nil {
		arguments := api.NewToolCallFunctionArguments()
		for name, v := range said.Call.Args {
			arguments.Set(name, v)
		}
		message.ToolCalls = append(message.ToolCalls, api.ToolCall{ID: said.Call.ID, Function: api.ToolCallFunction{
			Index: len(message.ToolCalls), Name: said.Call.Name, Arguments: arguments,
		}})
		return
	}
	message.Content = strings.TrimPrefix(message.Content+"\n\n"+said.Text, "\n\n")
}

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was JSON a moment ago
	}
	return string(b)
}

// tools returns functions in Ollama's form.
func tools(functions []gemini.Function) (api.Tools, error) {
	var all api.Tools
	for _, f := range functions {
		tool := api.Tool{Type: "function", Function: api.ToolFunction{Name: f.Name, Description: f.Description}}
		tool.Function.Parameters.Type = "object"
		if f.Parameters != nil {
			if err := json.Unmarshal(f.Parameters, &tool.Function.Parameters); err != nil {
				return nil, err
			}
		}
		if tool.Function.Parameters.Properties == nil {
			tool.Function.Parameters.Properties = api.NewToolPropertiesMap()
		}
		all = append(all, tool)
	}
	return all, nil
}

// chat collects the pieces of an answer. The wire sends a stream when it has all of it: an
// answer that Ollama breaks off is then an error before the first piece, after which clients
// ask again, as they do not after a part of an answer. Of the agents' own views none shows
// pieces, as answers are checked whole; ADK's page (-dev) may.
func (m *Model) chat(ctx context.Context, chat *api.ChatRequest, one served) (gemini.Answer, error) {
	a := gemini.Answer{ModelVersion: one.name, FinishReason: "STOP"}
	var text strings.Builder
	done := false
	err := m.client.Chat(ctx, chat, func(piece api.ChatResponse) error {
		text.WriteString(piece.Message.Content)
		for _, call := range piece.Message.ToolCalls {
			a.Calls = append(a.Calls, gemini.FunctionCall{Name: call.Function.Name, Args: call.Function.Arguments.ToMap()})
		}
		if done = piece.Done; done {
			a.Usage = usage(piece.Metrics)
			if piece.DoneReason == "length" {
				a.FinishReason = "MAX_TOKENS"
			}
		}
		return nil
	})
	if err == nil && !done {
		err = errBroken
	}
	a.Text = text.String()
	a.Calls = slices.DeleteFunc(a.Calls, func(c gemini.FunctionCall) bool { return c.Name == "" })
	return a, failure(err, chat.Model)
}

func usage(counted api.Metrics) *gemini.Usage {
	return &gemini.Usage{PromptTokens: counted.PromptEvalCount, CandidateTokens: counted.EvalCount, TotalTokens: counted.PromptEvalCount + counted.EvalCount}
}
