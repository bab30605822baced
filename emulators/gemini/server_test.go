package gemini

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini/geminitest"
)

func TestTwentyMegabyteRequest(t *testing.T) {
	photo := make([]byte, 15<<20) // 20 MB in base64
	rand.NewChaCha8([32]byte{1}).Read(photo)
	body := `{"contents":[{"parts":[{"inlineData":{"mimeType":"image/jpeg","data":"` +
		base64.StdEncoding.EncodeToString(photo) + `"}},{"text":"what is it?"}]}]}`
	s := start(t, Options{})
	s.Script(Answer{Text: "large"})
	if got := post(t, s, "/v1beta/models/emulated-judge:generateContent?key=k", body).StatusCode; got != http.StatusOK {
		t.Fatalf("20 MB request: status %d, want 200", got)
	}
	call := s.Calls()[0]
	want := Inline{MIMEType: "image/jpeg", Bytes: len(photo), SHA256: fmt.Sprintf("%x", sha256.Sum256(photo))}
	if got := call.Inline[0]; got.MIMEType != want.MIMEType || got.Bytes != want.Bytes || got.SHA256 != want.SHA256 {
		t.Errorf("logged %s, %d bytes, %s; want %s, %d, %s", got.MIMEType, got.Bytes, got.SHA256, want.MIMEType, want.Bytes, want.SHA256)
	}
	if call.RequestBytes != len(body) {
		t.Errorf("logged request bytes = %d, want %d", call.RequestBytes, len(body))
	}
	if call.Inline[0].Data != nil {
		t.Error("the log keeps the photo's bytes")
	}
}

// Keys, by github.com/cequence-io/openai-scala-client issue 109.
func TestKeys(t *testing.T) {
	const path, body = "/v1beta/models/emulated-judge:generateContent", `{"contents":[{"parts":[{"text":"q"}]}]}`
	const invalid = "API key not valid. Please pass a valid API key."
	for _, tt := range []struct {
		right, query string
		want         int
		message      string
	}{
		{"right", "", 403, errNoKey.Message},
		{"right", "?key=wrong", 400, invalid},
		{"right", "?key=right", 200, ""},
		{"", "", 403, errNoKey.Message},
		{"", "?key=any-KEY_0.1", 200, ""},
		{"", "?key=no%20key", 400, invalid},
		{"", "?key=%3Cyour+key%3E", 400, invalid},
	} {
		s := start(t, Options{APIKey: tt.right})
		if got, _, message := postFor(t, s.URL()+path+tt.query, body); got != tt.want || message != tt.message {
			t.Errorf("POST %s%s, right %q = %d %q, want %d %q", path, tt.query, tt.right, got, message, tt.want, tt.message)
		}
	}
}

func TestRefused(t *testing.T) {
	s := start(t, Options{})
	photo := func(mime, data string) string {
		return `{"contents":[{"parts":[{"inlineData":{"mimeType":"` + mime + `","data":"` + data + `"}}]}]}`
	}
	const gif = "R0lGODlhAQABAAAAACwAAAAAAQABAAAC"
	for _, tt := range []struct {
		name, path, body string
		want             int
	}{
		{"unknown method", "emulated-judge:explain", `{}`, 404},
		{"predict on the Gemini API", "emulated-judge:predict", `{}`, 404},
		{"pictures", "imagen-4.0-generate-001:predict", `{}`, 501},
		{"films", "veo-3.1-generate-preview:predictLongRunning", `{}`, 501},
		{"a batch", "emulated-judge:batchGenerateContent", `{}`, 501},
		{"GIF", "emulated-judge:generateContent", photo("image/gif", gif), 400},
		{"GIF called PNG", "emulated-judge:generateContent", photo("image/png", gif), 400},
		{"no image at all", "emulated-judge:generateContent", photo("image/png", "AAAA"), 400},
		{"no base64", "emulated-judge:generateContent", photo("image/png", "*"), 400},
		{"a forged mark", "emulated-judge:generateContent", photo("image/png", "carved//0009"), 400},
		{"no type", "emulated-judge:generateContent", photo("", gif), 400},
		{"no JSON", "emulated-judge:generateContent", `{"contents":`, 400},
	} {
		resp := post(t, s, "/v1beta/models/"+tt.path+"?key=k", tt.body)
		var got struct{ Error apiError }
		err := json.NewDecoder(resp.Body).Decode(&got)
		if err != nil || resp.StatusCode != tt.want || got.Error.Code != tt.want || got.Error.Message == "" {
			t.Errorf("%s: POST %s = %d %+v (%v), want %d in Google's error JSON", tt.name, tt.path, resp.StatusCode, got, err, tt.want)
		}
	}
}

// What the services have beside models says that it is not here.
func TestNotServed(t *testing.T) {
	s := start(t, Options{})
	for path, want := range map[string]string{
		"/v1beta/files?key=k":                                      "files",
		"/upload/v1beta/files?key=k":                               "files",
		"/v1beta/cachedContents/a?key=k":                           "cachedContents",
		"/v1beta/batches?key=k":                                    "batches",
		"/v1beta1/projects/p/locations/global/batchPredictionJobs": "batchPredictionJobs",
		"//ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent?key=k": "BidiGenerateContent",
	} {
		resp, err := http.Get(s.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var got struct{ Error apiError }
		err = json.NewDecoder(resp.Body).Decode(&got)
		if err != nil || resp.StatusCode != 501 || got.Error.Status != "UNIMPLEMENTED" || !strings.Contains(got.Error.Message, want) {
			t.Errorf("GET %s = %d %+v (%v), want 501 that names %s", path, resp.StatusCode, got, err, want)
		}
	}
}

func TestScriptDoesNotHideAGIF(t *testing.T) {
	s := start(t, Options{})
	s.Script(Answer{Text: "not for a GIF"})
	gif := &genai.Blob{MIMEType: "image/png", Data: []byte("GIF89a\x01\x00\x01\x00")}
	if resp, err := geminitest.Ask(t.Context(), geminitest.API(t, s), nil, gif, "q"); err == nil || s.Scripted() != 1 {
		t.Errorf("a GIF called PNG = %v, %v; want 400 and the script untouched", resp, err)
	}
}

func TestSnakeCaseAndSpaces(t *testing.T) {
	s := start(t, Options{})
	const body = `{"contents": [{"parts": [
		{"inline_data": {"mime_type": "image/heic", "data" : "AAEC-_8="}},
		{"text": "say \"data\": \"x\""}]}],
		"system_instruction": {"parts": [{"text": "short"}]},
		"tools": [{"google_search": {}}]}`
	if got := post(t, s, "/v1beta/models/emulated-judge:generateContent?key=k", body).StatusCode; got != http.StatusOK {
		t.Fatalf("status = %d, want 200", got)
	}
	c := s.Calls()[0]
	if !c.Search || c.System != "short" || c.Kind != kindSearch || len(c.Inline) != 1 || c.Inline[0].Bytes != 5 {
		t.Errorf("logged %+v, want a search, system short and 5 bytes of image/heic", c)
	}
	if want := `say "data": "x"`; !slices.Equal(c.Texts, []string{want}) {
		t.Errorf("Texts = %q, want %q", c.Texts, want)
	}
}

func TestStartRefusesWhatItCannotUse(t *testing.T) {
	for _, o := range []Options{{Latency: -time.Second}, {Addr: "256.0.0.1:0"}} {
		if s, err := Start(o); err == nil {
			s.Close()
			t.Errorf("Start(%+v): want an error", o)
		}
	}
}
