package gemini

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const (
	apiCall    = "/v1beta/models/%s:generateContent"
	vertexCall = "/v1beta1/projects/p/locations/global/publishers/google/models/%s:generateContent"
)

// What the services take and refuse of requests to speak.
func TestSpeechRequests(t *testing.T) {
	const (
		newest = "gemini-3.8-flash-lite-tts"
		older  = "gemini-3.1-flash-tts-preview"
		text   = `"contents":[{"role":"user","parts":[{"text":"Sunny."}]}]`
		sound  = `"generationConfig":{"responseModalities":["AUDIO"]}`
	)
	voice := func(name string) string {
		return `"generationConfig":{"responseModalities":["AUDIO"],"speechConfig":{"voiceConfig":{"prebuiltVoiceConfig":{"voiceName":"` + name + `"}}}}`
	}
	both := strings.Replace(voice("Kore"), `"voiceConfig"`, `"multiSpeakerVoiceConfig":{"speakerVoiceConfigs":[]},"voiceConfig"`, 1)
	long := strings.Repeat("a", 4*maxSpoken)
	for _, tt := range []struct {
		name, model, body, want string // want "" is taken
	}{
		{"no voice", newest, text + "," + sound, ""},
		{"a voice", newest, text + "," + voice("Kore"), ""},
		{"a voice in small letters", older, text + "," + voice("kore"), ""},
		{"how it is said", newest, `"contents":[{"parts":[{"text":"Sunny.","speechMetadata":{"style":"calm"}}]}],` + sound, ""},
		{"as long as it may be", newest, `"contents":[{"parts":[{"text":"` + long + `"}]}],` + sound, ""},

		{"no modality", newest, text, "response modalities (TEXT) is not supported"},
		{"text too", newest, text + `,"generationConfig":{"responseModalities":["TEXT","AUDIO"]}`, "response modalities (TEXT, AUDIO)"},
		{"a model that writes", "gemini-3.6-flash", text + "," + sound, "* TEXT"},
		{"a voice that is none", newest, text + "," + voice("Bob"), "Voice name Bob is not supported"},
		{"one voice and several", newest, text + "," + both, "mutually exclusive"},
		{"how it is said, to an older model", older, `"contents":[{"parts":[{"text":"Sunny.","speechMetadata":{"style":"calm"}}]}],` + sound, "Speech metadata is not enabled"},
		{"too long", newest, `"contents":[{"parts":[{"text":"` + long + `a"}]}],` + sound, "input token count (8193)"},
		{"an instruction", newest, `"systemInstruction":{"parts":[{"text":"Be calm."}]},` + text + "," + sound, "Developer instruction"},
		{"two turns", newest, `"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"user","parts":[{"text":"b"}]}],` + sound, "Multiturn chat"},
		{"a tool", newest, text + `,"tools":[{"googleSearch":{}}],` + sound, "Tool use"},
		{"a schema", newest, text + `,"generationConfig":{"responseModalities":["AUDIO"],"responseMimeType":"application/json"}`, "JSON mode"},
		{"a photo", newest, `"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}],` + sound, "Input that is no text"},
	} {
		s := start(t, Options{})
		for _, path := range []string{apiCall, vertexCall} {
			status, body := speak(t, s.URL()+fmt.Sprintf(path, tt.model), "{"+strings.ReplaceAll(tt.body, `{"parts"`, `{"role":"user","parts"`)+"}")
			if tt.want == "" && status != http.StatusOK || tt.want != "" && (status != http.StatusBadRequest || !strings.Contains(body, tt.want)) {
				t.Errorf("%s on %s: %d %.300s, want %q", tt.name, path, status, body, tt.want)
			}
		}
	}
}

// speak sends a body with all that either service wants of a caller.
func speak(t *testing.T, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Goog-Api-Key", "key")
	r.Header.Set("Authorization", "Bearer token")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, b.String()
}

// Sound that is longer than a model says is cut, and counted as it is.
func TestLongestSound(t *testing.T) {
	s := start(t, Options{})
	s.Script(Answer{Kind: KindSpeak, Audio: make([]byte, maxSound+2)})
	_, body := speak(t, s.URL()+fmt.Sprintf(apiCall, "gemini-2.5-flash-preview-tts"), `{"contents":[{"parts":[{"text":"Sunny."}]}],"generationConfig":{"responseModalities":["AUDIO"]}}`)
	for _, want := range []string{`"finishReason":"MAX_TOKENS"`, `"candidatesTokenCount":16375`, `"mimeType":"audio/L16;codec=pcm;rate=24000"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the answer has no %s: …%s", want, body[max(0, len(body)-300):])
		}
	}
}
