package gemini

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini/geminitest"
)

func TestEmbedOnEveryPath(t *testing.T) {
	s := start(t, Options{})
	for _, tt := range []struct {
		backend, model, method string
		client                 func(testing.TB, geminitest.Server) *genai.Client
		texts                  []string
	}{
		{"gemini_api", "emulated-embedding", "batchEmbedContents", geminitest.API, []string{"oat milk", "red ginseng"}},
		{"gemini_api", "gemini-embedding-2", "batchEmbedContents", geminitest.API, []string{"oat milk", "red ginseng"}},
		{"vertex", "emulated-embedding", "predict", geminitest.Vertex, []string{"oat milk", "red ginseng"}},
		{"vertex", "gemini-embedding-001", "predict", geminitest.Vertex, []string{"oat milk"}},
		{"vertex", "gemini-embedding-2", "embedContent", geminitest.Vertex, []string{"oat milk"}},
	} {
		s.ResetCalls()
		var contents []*genai.Content
		for _, text := range tt.texts {
			contents = append(contents, genai.NewContentFromText(text, genai.RoleUser))
		}
		config := &genai.EmbedContentConfig{OutputDimensionality: genai.Ptr[int32](768)}
		resp, err := tt.client(t, s).Models.EmbedContent(t.Context(), tt.model, contents, config)
		if err != nil || len(resp.Embeddings) != len(tt.texts) {
			t.Errorf("%s %s: EmbedContent = %+v, %v; want %d embeddings", tt.backend, tt.model, resp, err, len(tt.texts))
			continue
		}
		for i, e := range resp.Embeddings {
			if want := toyVector(tt.texts[i], 768); !slices.Equal(e.Values, want) {
				t.Errorf("%s %s: embedding %d is not that of %q", tt.backend, tt.model, i, tt.texts[i])
			}
		}
		if c := s.Calls()[0]; c.Method != tt.method || c.Kind != KindEmbed || c.Model != tt.model {
			t.Errorf("%s %s: logged %s %s %s, want %s %s embed", tt.backend, tt.model, c.Method, c.Model, c.Kind, tt.method, tt.model)
		}
	}
}

func TestScriptedAndSpoiledEmbeddings(t *testing.T) {
	s := start(t, Options{})
	client := geminitest.API(t, s)
	embed := func() (*genai.EmbedContentResponse, error) {
		contents := append(genai.Text("a"), genai.Text("b")...)
		return client.Models.EmbedContent(t.Context(), "emulated-embedding", contents, nil)
	}
	s.Script(Answer{Text: "not for an embedding"}, Answer{Kind: KindEmbed, Embeddings: [][]float32{{0.5, 0.5}}})
	if resp, err := embed(); err != nil || len(resp.Embeddings) != 1 || len(resp.Embeddings[0].Values) != 2 {
		t.Errorf("scripted embedding = %+v, %v; want one of 2 dimensions", resp, err)
	}
	s.SetFaults(Fault{Type: Truncated, Kind: KindEmbed})
	if resp, err := embed(); err != nil || len(resp.Embeddings) != 1 {
		t.Errorf("truncated = %+v, %v; want one embedding of two", resp, err)
	}
	for _, f := range []FaultType{Malformed, WrongTypes} {
		s.SetFaults(Fault{Type: f})
		if resp, err := embed(); err == nil {
			t.Errorf("%s = %+v, want an error", f, resp)
		}
	}
}

func TestStreamHoldsTheWholeAnswer(t *testing.T) {
	s := start(t, Options{})
	want := strings.Repeat("물 한 잔, ", 60)
	for _, b := range geminitest.Backends {
		s.Script(Answer{Text: want})
		var got strings.Builder
		var chunks int
		var last *genai.GenerateContentResponse
		for resp, err := range b.Client(t, s).Models.GenerateContentStream(t.Context(), "emulated-judge", genai.Text("q"), nil) {
			if err != nil {
				t.Fatalf("%s: %v", b.Name, err)
			}
			got.WriteString(resp.Text())
			last = resp
			chunks++
		}
		if got.String() != want || chunks < 2 {
			t.Errorf("%s: stream of %d chunks = %q, want several that join to %q", b.Name, chunks, got.String(), want)
		}
		if last.Candidates[0].FinishReason != genai.FinishReasonStop || last.UsageMetadata.TotalTokenCount == 0 {
			t.Errorf("%s: last chunk = %+v, want STOP and usage", b.Name, last)
		}
	}
}

func TestStreamWithoutSSEIsAnArray(t *testing.T) {
	s := start(t, Options{})
	s.Script(Answer{Text: strings.Repeat("word ", 100)})
	resp := post(t, s, "/v1beta/models/emulated-judge:streamGenerateContent?key=k", `{"contents":[{"parts":[{"text":"q"}]}]}`)
	var chunks []generateAnswer
	if err := json.NewDecoder(resp.Body).Decode(&chunks); err != nil || len(chunks) < 2 {
		t.Errorf("array of %d chunks, %v; want several", len(chunks), err)
	}
}

func TestModelsAndTokens(t *testing.T) {
	s := start(t, Options{})
	api := geminitest.API(t, s)
	var names []string
	for m, err := range api.Models.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, m.Name)
	}
	if got := strings.Join(names, " "); got != "models/emulated-image models/emulated-judge models/emulated-embedding models/emulated-speech" {
		t.Errorf("Models.All = %s, want the emulated models", got)
	}
	for _, b := range geminitest.Backends {
		client := b.Client(t, s)
		m, err := client.Models.Get(t.Context(), "emulated-judge", nil)
		if err != nil || !strings.HasSuffix(m.Name, "models/emulated-judge") {
			t.Errorf("%s: Models.Get = %+v, %v; want emulated-judge", b.Name, m, err)
		}
		if _, err := client.Models.List(t.Context(), nil); err != nil {
			t.Errorf("%s: Models.List: %v", b.Name, err)
		}
		n, err := client.Models.CountTokens(t.Context(), "emulated-judge", genai.Text("twelve chars"), nil)
		if err != nil || n.TotalTokens != 3 {
			t.Errorf("%s: CountTokens = %+v, %v; want 3", b.Name, n, err)
		}
	}
}

func TestCountTokensOfAGenerateRequest(t *testing.T) {
	s := start(t, Options{})
	const body = `{"generateContentRequest":{"model":"models/emulated-judge","contents":[{"parts":[{"text":"twelve chars"}]}],"systemInstruction":{"parts":[{"text":"four"}]}}}`
	var got struct{ TotalTokens int }
	err := json.NewDecoder(post(t, s, "/v1beta/models/emulated-judge:countTokens?key=k", body).Body).Decode(&got)
	if err != nil || got.TotalTokens != 4 {
		t.Errorf("countTokens(%s) = %+v, %v; want 4", body, got, err)
	}
}

func TestVertexExpressMode(t *testing.T) {
	s := start(t, Options{})
	client := geminitest.NewClient(t, &genai.ClientConfig{
		Backend: genai.BackendVertexAI, APIKey: "any",
		HTTPOptions: genai.HTTPOptions{BaseURL: s.URL(), APIVersion: "v1"},
	})
	geminitest.MustAsk(t, client, nil, nil, "q")
	if c := s.Calls()[0]; !c.Vertex || c.Model != "emulated-image" {
		t.Errorf("logged %+v, want a Vertex AI call", c)
	}
}

func TestUsage(t *testing.T) {
	s := start(t, Options{})
	client := geminitest.API(t, s)
	for _, tt := range []struct {
		w, h, image uint32
	}{
		{384, 384, 258},
		{385, 300, 258},
		{768, 768, 258},
		{769, 300, 516},
		{1600, 1200, 6 * 258},
	} {
		s.Script(Answer{Text: "sixteen letters."})
		photo := &genai.Blob{MIMEType: "image/png", Data: pngHeader(tt.w, tt.h)}
		u := geminitest.MustAsk(t, client, nil, photo, "eight ch").UsageMetadata
		want := fmt.Sprint(tt.image+2, 4, tt.image+6)
		if got := fmt.Sprint(u.PromptTokenCount, u.CandidatesTokenCount, u.TotalTokenCount); got != want {
			t.Errorf("%d × %d: usage prompt, candidates, total = %s, want %s", tt.w, tt.h, got, want)
		}
	}
}

// pngHeader returns the start of a PNG of that size, all that is read to know it.
func pngHeader(w, h uint32) []byte {
	header := []byte("IHDR")
	header = binary.BigEndian.AppendUint32(header, w)
	header = binary.BigEndian.AppendUint32(header, h)
	header = append(header, 8, 0, 0, 0, 0)
	data := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	return binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(header))
}

func TestGoneModelNamesItself(t *testing.T) {
	s := start(t, Options{})
	s.SetFaults(Fault{Type: Gone, Model: "emulated-image"})
	var e genai.APIError
	if _, err := geminitest.Ask(t.Context(), geminitest.API(t, s), nil, nil, "q"); !errors.As(err, &e) || !strings.Contains(e.Message, "emulated-image") {
		t.Errorf("gone = %v, want an error naming emulated-image", err)
	}
}

// All photos are in the log and in the bill, in order.
func TestAllPhotosAreCounted(t *testing.T) {
	s := start(t, Options{})
	var photos []*genai.Blob
	for _, side := range []uint32{300, 800, 1600} {
		photos = append(photos, &genai.Blob{MIMEType: "image/png", Data: append(pngHeader(side, side), make([]byte, side)...)})
	}
	tokens := map[int]int32{}
	for i, b := range geminitest.Backends {
		n := 1 + 2*i
		content := &genai.Content{Role: "user"}
		for _, p := range photos[:n] {
			content.Parts = append(content.Parts, &genai.Part{InlineData: p})
		}
		resp, err := b.Client(t, s).Models.GenerateContent(t.Context(), "emulated-image", []*genai.Content{content}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tokens[n] = resp.UsageMetadata.PromptTokenCount
	}
	if more, want := tokens[3]-tokens[1], int32((4+9)*tileTokens); more != want {
		t.Errorf("two photos more cost %d tokens more, want %d", more, want)
	}
	var sent []int
	for _, in := range s.Calls()[1].Inline {
		sent = append(sent, in.Bytes)
	}
	if want := []int{len(photos[0].Data), len(photos[1].Data), len(photos[2].Data)}; !slices.Equal(sent, want) {
		t.Errorf("bytes of the photos in the log = %d, want %d", sent, want)
	}
}
