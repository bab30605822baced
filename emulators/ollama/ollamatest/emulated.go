package ollamatest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/gemini"
)

// StartEmulated serves models that answer what the emulated model answers to the same question:
// so the way there and back through Ollama's API loses nothing that an answer depends on.
func StartEmulated(tb testing.TB, models map[string]Pulled) *Server {
	tb.Helper()
	behind, err := answers.Start(gemini.Options{}, answers.Options{Tesseract: "off"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { behind.Close() })
	s := Start(tb, models)
	s.Answer, s.Embed = emulated(behind.URL(), "emulated-embedding")
	return s
}

// emulated returns the answers of the emulated models at that address.
func emulated(address, embedder string) (answer func(context.Context, *api.ChatRequest) Reply, embed func(string) []float32) {
	answer = func(ctx context.Context, r *api.ChatRequest) Reply {
		body, err := post(ctx, address+"/v1beta/models/emulated-judge:generateContent", question(r))
		if err != nil {
			return Reply{Status: http.StatusInternalServerError, Text: err.Error()}
		}
		return replyOf(body)
	}
	embed = func(text string) []float32 {
		body, err := post(context.Background(), address+"/v1beta/models/"+embedder+":embedContent", map[string]any{
			"content": map[string]any{"parts": []any{map[string]any{"text": text}}}, "outputDimensionality": 768,
		})
		var answer struct{ Embedding struct{ Values []float32 } }
		if err != nil || json.Unmarshal(body, &answer) != nil {
			return nil
		}
		return answer.Embedding.Values
	}
	return answer, embed
}

func post(ctx context.Context, url string, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-Goog-Api-Key", "emulated")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", answer.Status, body)
	}
	return body, err
}

// label begins a part of a prompt, such as "image_analysis:".
var label = regexp.MustCompile(`\n\n([a-z][a-z_ 0-9]*:\n)`)

// question returns a chat in Google's form.
func question(r *api.ChatRequest) map[string]any {
	q, config := map[string]any{}, map[string]any{}
	var contents []any
	for _, m := range r.Messages {
		switch m.Role {
		case "system":
			q["systemInstruction"] = map[string]any{"parts": []any{map[string]any{"text": m.Content}}}
			continue
		case "tool":
			var result any
			_ = json.Unmarshal([]byte(m.Content), &result)
			contents = append(contents, map[string]any{"role": "user", "parts": []any{map[string]any{"functionResponse": map[string]any{"name": m.ToolName, "response": result}}}})
			continue
		}
		contents = append(contents, map[string]any{"role": strings.Replace(m.Role, "assistant", "model", 1), "parts": parts(m)})
	}
	q["contents"] = contents
	if len(r.Format) > 0 {
		config["responseMimeType"] = "application/json"
		if r.Format[0] == '{' {
			config["responseJsonSchema"] = r.Format
		}
		q["generationConfig"] = config
	}
	if len(r.Tools) > 0 {
		var functions []any
		for _, t := range r.Tools {
			functions = append(functions, map[string]any{"name": t.Function.Name, "description": t.Function.Description, "parametersJsonSchema": t.Function.Parameters})
		}
		q["tools"] = []any{map[string]any{"functionDeclarations": functions}}
	}
	return q
}

func parts(m api.Message) (all []any) {
	for _, picture := range m.Images {
		all = append(all, map[string]any{"inlineData": map[string]any{"mimeType": http.DetectContentType(picture), "data": []byte(picture)}})
	}
	if m.Content != "" {
		for text := range strings.SplitSeq(label.ReplaceAllString(m.Content, "\x00$1"), "\x00") {
			all = append(all, map[string]any{"text": text})
		}
	}
	for _, call := range m.ToolCalls {
		all = append(all, map[string]any{"functionCall": map[string]any{"name": call.Function.Name, "args": call.Function.Arguments}, "thoughtSignature": []byte("signed")})
	}
	return all
}

// replyOf returns an answer of Google's in Ollama's form.
func replyOf(body []byte) (reply Reply) {
	var answer struct {
		Candidates []struct {
			Content struct {
				Parts []struct {
					Text         string
					FunctionCall *struct {
						Name string
						Args api.ToolCallFunctionArguments
					}
				}
			}
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil || len(answer.Candidates) != 1 {
		return Reply{Status: http.StatusInternalServerError, Text: "no candidate"}
	}
	for _, p := range answer.Candidates[0].Content.Parts {
		reply.Text += p.Text
		if p.FunctionCall != nil {
			reply.Calls = append(reply.Calls, api.ToolCall{Function: api.ToolCallFunction{Name: p.FunctionCall.Name, Arguments: p.FunctionCall.Args}})
		}
	}
	return reply
}
