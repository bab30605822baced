package gemini

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	"cloud.google.com/go/aiplatform/apiv1/aiplatformpb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// serviceOf is one of the two services: where its models are, and the messages
// of its answers.
type serviceOf struct {
	name, models string
	answers      map[string]proto.Message
}

var bothServices = []serviceOf{
	{"gemini_api", "/v1beta/models/", map[string]proto.Message{
		"generateContent":       &generativelanguagepb.GenerateContentResponse{},
		"streamGenerateContent": &generativelanguagepb.GenerateContentResponse{},
		"countTokens":           &generativelanguagepb.CountTokensResponse{},
		"embedContent":          &generativelanguagepb.EmbedContentResponse{},
		"batchEmbedContents":    &generativelanguagepb.BatchEmbedContentsResponse{},
		"models.get":            &generativelanguagepb.Model{},
		"models.list":           &generativelanguagepb.ListModelsResponse{},
	}},
	{"vertex", "/v1/projects/p/locations/l/publishers/google/models/", map[string]proto.Message{
		"generateContent":       &aiplatformpb.GenerateContentResponse{},
		"streamGenerateContent": &aiplatformpb.GenerateContentResponse{},
		"countTokens":           &aiplatformpb.CountTokensResponse{},
		"embedContent":          &aiplatformpb.EmbedContentResponse{},
		"predict":               &aiplatformpb.PredictResponse{},
		"models.get":            &aiplatformpb.PublisherModel{},
	}},
}

// Google's own messages read every answer, without a field that they do not
// know.
func TestAnswersAreGoogles(t *testing.T) {
	s := start(t, Options{})
	const question = `{"contents":[{"role":"user","parts":[{"text":"image_analysis:\n{\"product_name\":\"Cold Brew Oat Latte\",\"brand\":\"Ostrawell\"}"}]}]`
	const image = `,"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object","properties":{"visible_text":{"type":"array"}}}}`
	full := &Usage{PromptTokens: 5, CandidateTokens: 4, ThoughtTokens: 3, CachedTokens: 2, TotalTokens: 12, PromptDetails: []ModalityUsage{{"TEXT", 3}, {"IMAGE", 2}}}
	for _, service := range bothServices {
		for _, tt := range []struct {
			name, model, method, body string
			script                    *Answer
			fault                     FaultType
			holds                     string
		}{
			{"an image read", "emulated-image", "generateContent", question + image + "}", nil, "", "visible_text"},
			{"a search", "emulated-judge", "generateContent", question + `,"tools":[{"googleSearch":{}}]}`, nil, "", "groundingSupports"},
			{"a plain answer", "gemini-3.6-flash", "generateContent", question + "}", nil, "", "no answer"},
			{"usage of all sorts", "gemini-3.6-flash", "generateContent", question + "}", &Answer{Text: "x", Usage: full}, "", "thoughtsTokenCount"},
			{"a blocked prompt", "gemini-3.6-flash", "generateContent", question + "}", nil, BlockedPrompt, "blockReason"},
			{"a blocked answer", "gemini-3.6-flash", "generateContent", question + "}", nil, BlockedAnswer, "SAFETY"},
			{"a cut text", "gemini-3.6-flash", "generateContent", question + "}", nil, Truncated, "MAX_TOKENS"},
			{"a stream", "gemini-3.6-flash", "streamGenerateContent", question + "}", &Answer{Text: strings.Repeat("word ", 100)}, "", "word"},
			{"a count", "gemini-3.6-flash", "countTokens", question + "}", nil, "", "totalTokens"},
			{"an embedding", "gemini-embedding-2", "embedContent", `{"content":{"parts":[{"text":"tea"}]}}`, nil, "", "values"},
			{"a batch", "gemini-embedding-2", "batchEmbedContents", `{"requests":[{"model":"models/gemini-embedding-2","content":{"parts":[{"text":"tea"}]}}]}`, nil, "", "values"},
			{"a prediction", "gemini-embedding-001", "predict", `{"instances":[{"content":"tea"}]}`, nil, "", "token_count"},
			{"a model", "gemini-3.6-flash", "models.get", "", nil, "", "gemini-3.6-flash"},
			{"the models", "", "models.list", "", nil, "", "emulated-judge"},
		} {
			message := service.answers[tt.method]
			if message == nil {
				continue
			}
			s.SetFaults()
			if tt.fault != "" {
				s.SetFaults(Fault{Type: tt.fault})
			}
			if tt.script != nil {
				s.Script(*tt.script)
			}
			for _, body := range answersOf(t, s, service.models+tt.model, tt.method, tt.body) {
				if err := protojson.Unmarshal(body, proto.Clone(message)); err != nil || !strings.Contains(string(body), tt.holds) {
					t.Errorf("%s: %s = %.300s\n%v; want a %T with %s", service.name, tt.name, body, err, message, tt.holds)
				}
			}
		}
	}
}

// answersOf makes a call and returns its answer, or the pieces of a stream.
func answersOf(t *testing.T, s *Server, path, method, body string) [][]byte {
	t.Helper()
	if strings.HasPrefix(method, "models.") {
		resp, err := http.Get(s.URL() + strings.TrimSuffix(path, "/") + "?key=k")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return [][]byte{readAll(t, resp.Body)}
	}
	resp := post(t, s, path+":"+method+"?key=k&alt=sse", body)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("POST %s:%s = %d %s, want 200", path, method, resp.StatusCode, readAll(t, resp.Body))
	}
	if method != "streamGenerateContent" {
		return [][]byte{readAll(t, resp.Body)}
	}
	var pieces [][]byte
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if piece, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			pieces = append(pieces, []byte(piece))
		}
	}
	return pieces
}

func readAll(t *testing.T, r io.Reader) []byte {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A refusal is Google's error JSON: code, status, a message and typed details.
func TestRefusalsAreGoogles(t *testing.T) {
	s := start(t, Options{})
	for _, tt := range []struct{ model, body, status, field string }{
		{"gemini-3.6-flash", `{"contents":[{"parts":[{"text":"q"}]}],"generationConfig":{"heat":1}}`, "INVALID_ARGUMENT", "generation_config"},
		{"gemini-9.9-imaginary", `{"contents":[{"parts":[{"text":"q"}]}]}`, "NOT_FOUND", ""},
	} {
		resp := post(t, s, "/v1beta/models/"+tt.model+":generateContent?key=k", tt.body)
		var got struct{ Error apiError }
		if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || got.Error.Status != tt.status || got.Error.Code != resp.StatusCode {
			t.Errorf("%s %s = %d %+v (%v), want %s", tt.model, tt.body, resp.StatusCode, got, err, tt.status)
		}
		if details, _ := json.Marshal(got.Error.Details); !strings.Contains(string(details), tt.field) {
			t.Errorf("%s %s: details %s, want the field %s", tt.model, tt.body, details, tt.field)
		}
	}
}
