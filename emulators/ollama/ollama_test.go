package ollama_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/ollama"
	"example.com/whatis/emulators/ollama/ollamatest"
	"example.com/whatis/emulators/samples"
)

var pulled = map[string]ollamatest.Pulled{
	ollama.DefaultVision: ollamatest.Sees,
	"another":            {Able: []model.Capability{model.CapabilityCompletion}},
	"judge:1b":           {Able: []model.Capability{model.CapabilityCompletion, model.CapabilityTools, model.CapabilityThinking}},
	ollama.DefaultEmbed:  ollamatest.Embeds,
}

// open starts a stand-in, and the emulated Gemini API before it.
func open(t *testing.T) (*ollamatest.Server, *ollama.Model, *gemini.Server) {
	t.Helper()
	served := ollamatest.Start(t, pulled)
	m, err := ollama.Open(t.Context(), ollama.Options{URL: served.URL, Judge: "judge:1b"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Start(gemini.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return served, m, s
}

// ask posts a request and returns the answer.
func ask(t *testing.T, url, body string) (string, int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Goog-Api-Key", "any")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer), resp.StatusCode
}

// photo is one inlineData part.
func photo(data []byte, mimeType string) string {
	return `{"inlineData":{"mimeType":"` + mimeType + `","data":"` + base64.StdEncoding.EncodeToString(data) + `"}}`
}

// What a request holds arrives: instruction, history, photos, functions and their results,
// the schema in the order that is asked for, and the limit.
func TestChat(t *testing.T) {
	t.Parallel()
	served, m, s := open(t)
	served.Answer = func(context.Context, *api.ChatRequest) ollamatest.Reply {
		arguments := api.NewToolCallFunctionArguments()
		arguments.Set("city", "Seoul")
		return ollamatest.Reply{Text: `{"seen":"x","brand":"y"}`, Calls: []api.ToolCall{{Function: api.ToolCallFunction{Name: "weather", Arguments: arguments}}}}
	}
	jpeg := samples.All()[0].Bytes()
	const schema = `{"type":"OBJECT","properties":{"brand":{"type":"STRING","nullable":true},"seen":{"type":"STRING"}},"propertyOrdering":["seen","brand"],"required":["seen"]}`
	body := `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[
		{"role":"user","parts":[{"text":"a"},{"text":"b"}]},
		{"role":"model","parts":[{"text":"c"}]},
		{"role":"user","parts":[{"text":"d"}]},
		{"role":"model","parts":[{"functionCall":{"name":"weather","args":{"city":"Busan"}},"thoughtSignature":"c2ln"}]},
		{"role":"user","parts":[{"functionResponse":{"name":"weather","response":{"temp":21}}}]}],
		"tools":[{"functionDeclarations":[{"name":"weather","description":"The weather.","parameters":{"type":"OBJECT","properties":{"city":{"type":"STRING","description":"Where."}},"required":["city"]}}]}],
		"generationConfig":{"responseMimeType":"application/json","responseSchema":` + schema + `,"maxOutputTokens":99}}`
	for _, method := range []string{"generateContent", "streamGenerateContent?alt=sse"} {
		answer, code := ask(t, s.URL()+"/v1beta/models/"+m.JudgeName()+":"+method, body)
		if code != 200 || !strings.Contains(answer, `"modelVersion":"judge:1b"`) || !strings.Contains(answer, `"functionCall":{"name":"weather","args":{"city":"Seoul"}}`) || !strings.Contains(answer, `\"seen\":\"x\"`) {
			t.Errorf("%s = %d, %s, want the text, the call and judge:1b", method, code, answer)
		}
	}
	got, err := json.Marshal(served.Asked()[1])
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"model":"judge:1b","messages":[` +
		`{"role":"system","content":"Be brief."},{"role":"user","content":"a\n\nb"},{"role":"assistant","content":"c"},{"role":"user","content":"d"},` +
		`{"role":"assistant","content":"","tool_calls":[{"function":{"index":0,"name":"weather","arguments":{"city":"Busan"}}}]},` +
		`{"role":"tool","content":"{\"temp\":21}","tool_name":"weather"}],` +
		`"format":{"properties":{"seen":{"type":"string"},"brand":{"type":["string","null"]}},"required":["seen"],"type":"object"},` +
		`"tools":[{"type":"function","function":{"name":"weather","description":"The weather.","parameters":{"type":"object","required":["city"],"properties":{"city":{"type":"string","description":"Where."}}}}}],` +
		`"options":{"num_ctx":16384,"num_predict":99},"think":false,"truncate":false,"shift":false}`
	if string(got) != want {
		t.Errorf("asked\n%s\nwant\n%s", got, want)
	}

	// A photo goes to the model that sees, whichever is asked for, and in its turn.
	body = `{"contents":[{"role":"user","parts":[{"text":"before"}]},{"role":"model","parts":[{"text":"yes"}]},{"role":"user","parts":[` + photo(jpeg, "image/jpeg") + `,{"text":"this?"}]}]}`
	if answer, code := ask(t, s.URL()+"/v1beta/models/"+m.JudgeName()+":generateContent", body); code != 200 {
		t.Fatalf("a photo: %d, %s", code, answer)
	}
	seen := served.Asked()[2]
	if seen.Model != ollama.DefaultVision || len(seen.Messages) != 3 || seen.Messages[0].Images != nil || len(seen.Messages[2].Images) != 1 || !bytes.Equal(seen.Messages[2].Images[0], jpeg) {
		t.Errorf("a photo: asked %s with %d messages, want the vision model with the photo in the last of 3", seen.Model, len(seen.Messages))
	}
}

// What a local model cannot do is refused as Google refuses it.
func TestRefused(t *testing.T) {
	t.Parallel()
	served, m, s := open(t)
	vision, embed := "/v1beta/models/"+m.VisionName()+":generateContent", "/v1beta/models/"+m.EmbedName()+":embedContent"
	for _, tt := range []struct{ name, path, body, want string }{
		{"a search", vision, `{"contents":[{"role":"user","parts":[{"text":"q"}]}],"tools":[{"googleSearch":{}}]}`, "400 googleSearch is not supported"},
		{"a picture in HEIC", vision, `{"contents":[{"role":"user","parts":[` + photo([]byte("....ftypheic"), "image/heic") + `]}]}`, "400 unable to process input image"},
		{"a prompt that is too long", vision, `{"contents":[{"role":"user","parts":[{"text":"` + strings.Repeat("word ", 16_384) + `"}]}]}`, "400 ollama: qwen3-vl:4b-instruct: the input length exceeds"},
		{"vectors of 3072", embed, `{"content":{"parts":[{"text":"a"}]},"outputDimensionality":3072}`, "400 output_dimensionality is 3072: a local model embeds in 768"},
		{"speech", "/v1beta/models/local-speech:generateContent", `{"contents":[{"role":"user","parts":[{"text":"hello"}]}],"generationConfig":{"responseModalities":["AUDIO"],"speechConfig":{"voiceConfig":{"prebuiltVoiceConfig":{"voiceName":"Kore"}}}}}`, "400 a local model does not speak"},
	} {
		answer, code := ask(t, s.URL()+tt.path, tt.body)
		var got struct{ Error struct{ Message string } }
		if err := json.Unmarshal([]byte(answer), &got); err != nil || code != 400 || !strings.HasPrefix("400 "+got.Error.Message, tt.want) {
			t.Errorf("%s: %d %s, want %s", tt.name, code, answer, tt.want)
		}
	}
	if n := len(served.Asked()); n != 0 {
		t.Errorf("Ollama was asked %d times, want none", n)
	}
}

// A picture's vector is made of the words that the vision model reads off it.
func TestPictureInWords(t *testing.T) {
	t.Parallel()
	served, m, s := open(t)
	served.Answer = func(context.Context, *api.ChatRequest) ollamatest.Reply { return ollamatest.Reply{Text: "OAT LATTE"} }
	var embedded string
	served.Embed = func(text string) []float32 {
		embedded = text
		return append([]float32{1}, make([]float32, 767)...)
	}
	answer, code := ask(t, s.URL()+"/v1beta/models/"+m.EmbedName()+":embedContent", `{"content":{"parts":[`+photo(samples.All()[2].Bytes(), "image/webp")+`]},"outputDimensionality":768}`)
	if code != 200 || !strings.HasPrefix(answer, `{"embedding":{"values":[1,0,`) || strings.TrimSpace(embedded) != "OAT LATTE" {
		t.Errorf("embed = %d, %.60s of %q, want the vector of what was read", code, answer, embedded)
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	served, m, s := open(t)
	if sizes, err := m.Memory(t.Context()); err != nil || len(sizes) != 0 {
		t.Errorf("Memory before a call = %v, %v, want nothing loaded", sizes, err)
	}
	served.Answer = func(context.Context, *api.ChatRequest) ollamatest.Reply { return ollamatest.Reply{Text: "yes"} }
	ask(t, served.URL+"/api/chat", `{"model":"another","messages":[{"role":"user","content":"of another program"}]}`)
	ask(t, s.URL()+"/v1beta/models/"+m.VisionName()+":generateContent", `{"contents":[{"role":"user","parts":[{"text":"a"}]}]}`)
	ask(t, s.URL()+"/v1beta/models/"+m.EmbedName()+":embedContent", `{"content":{"parts":[{"text":"a"}]},"outputDimensionality":768}`)
	want := map[string]int64{ollama.DefaultVision: ollamatest.Size, ollama.DefaultEmbed: ollamatest.Size}
	if sizes, err := m.Memory(t.Context()); err != nil || !maps.Equal(sizes, want) {
		t.Errorf("Memory = %v, %v, want %v", sizes, err, want)
	}
}

// The stand-in refuses what Ollama refuses.
func TestStandIn(t *testing.T) {
	t.Parallel()
	served, _, _ := open(t)
	for _, tt := range []struct{ path, body, want string }{
		{"/api/chat", `{"model":"none","messages":[]}`, "404 model 'none' not found"},
		{"/api/chat", `{"model":"judge:1b","message":[]}`, `400 json: unknown field "message"`},
		{"/api/chat", `{"model":"judge:1b","messages":[{"role":"user","text":"a"}]}`, `400 json: unknown field "text"`},
		{"/api/chat", `{"model":"judge:1b","messages":[{"role":"model","content":"a"}]}`, `400 invalid role "model"`},
		{"/api/chat", `{"model":"qwen3-vl:4b-instruct","messages":[{"role":"user","images":["bm9uZQ=="]}]}`, "400 Failed to load image"},
		{"/api/chat", `{"model":"judge:1b","messages":[],"options":{"num_ctx":"many"}}`, `400 option "num_ctx" must be of type integer`},
		{"/api/chat", `{"model":"qwen3-vl:4b-instruct","messages":[],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]}`, "400 registry.ollama.ai/library/qwen3-vl:4b-instruct does not support tools"},
		{"/api/chat", `{"model":"qwen3-vl:4b-instruct","messages":[],"think":true}`, `400 "qwen3-vl:4b-instruct" does not support thinking`},
		{"/api/chat", `{"model":"judge:1b","messages":[],"format":"yaml"}`, `400 invalid format: "\"yaml\""`},
		{"/api/chat", `{"model":"judge:1b","messages":[],"format":{"type":7}}`, "400 invalid JSON schema in format"},
		{"/api/embed", `{"model":"embeddinggemma","input":7}`, "400 invalid input type"},
	} {
		answer, code := ask(t, served.URL+tt.path, tt.body)
		var said struct{ Error string }
		_ = json.Unmarshal([]byte(answer), &said)
		if got := fmt.Sprintf("%d %s", code, said.Error); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s %s = %s, want %s", tt.path, tt.body, got, tt.want)
		}
	}
}

// A real Ollama that has the models is asked what a photo shows.
func TestRealOllama(t *testing.T) {
	m, err := ollama.Open(t.Context(), ollama.Options{})
	if err != nil {
		t.Skipf("no Ollama with a pulled model here (OLLAMA_HOST, OLLAMA_VISION, OLLAMA_EMBED): %v", err)
	}
	s, err := m.Start(gemini.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	begin := time.Now()
	answer, code := ask(t, s.URL()+"/v1beta/models/"+m.VisionName()+":generateContent", `{"contents":[{"role":"user","parts":[`+photo(samples.All()[0].Bytes(), "image/jpeg")+`,{"text":"Which words are printed on the pack?"}]}],
		"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"words":{"type":"ARRAY","items":{"type":"STRING"}}},"required":["words"]}}}`)
	if code != 200 || !strings.Contains(strings.ToLower(answer), "oat") {
		t.Errorf("%v, after %v: %d, %s, want the words of the oat crackers", m, time.Since(begin), code, answer)
	}
	if answer, code := ask(t, s.URL()+"/v1beta/models/"+m.EmbedName()+":embedContent", `{"content":{"parts":[{"text":"oat crackers"}]},"outputDimensionality":768}`); code != 200 {
		t.Errorf("embed: %d, %s", code, answer)
	}
}
