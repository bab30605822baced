package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	emulator "example.com/whatis/emulators/gemini"
)

const tts = "gemini-3.8-flash-lite-tts"

// What is sent to each kind of model on both services, and the answer.
func TestSpeak(t *testing.T) {
	const sentence, style = "It is sunny in Paris.", "Say in the warm tone"
	for _, tt := range []struct {
		model    string
		vertex   bool
		text     string // in the request
		style    string // beside the text
		mimeType string
	}{
		{tts, false, sentence, style, "audio/wav"},
		{tts, true, sentence, style, "audio/wav"},
		{"emulated-speech", false, sentence, style, "audio/wav"},
		{"gemini-2.5-flash-preview-tts", false, style + ": " + sentence, "", "audio/L16;codec=pcm;rate=24000"},
		{"gemini-3.1-flash-tts-preview", true, style + ": " + sentence, "", "audio/L16;codec=pcm;rate=24000"},
	} {
		s := startEmulator(t)
		wire := startTap(t, s)
		var c *Client
		if tt.vertex {
			vertexEnvironment(t, http.StatusOK)
			c = openVertex(t, wire.URL)
		} else {
			c = open(t, Config{BaseURL: wire.URL})
		}
		a := &Account{}
		got, err := c.Speak(WithAccount(t.Context(), a), SpeakRequest{Model: tt.model, Text: sentence, Style: style})
		if err != nil {
			t.Errorf("Speak(%s, vertex %v) = %v", tt.model, tt.vertex, err)
			continue
		}
		if got.MIMEType != tt.mimeType || len(got.Data) < 24_000 || bytes.HasPrefix(got.Data, []byte("RIFF")) != (tt.mimeType == "audio/wav") {
			t.Errorf("Speak(%s) = %d bytes of %s, want a second at least of %s", tt.model, len(got.Data), got.MIMEType, tt.mimeType)
		}
		if l := a.Ledger(); l.Calls.Speak != 1 || l.Calls.Generate != 0 || l.Models[tt.model] != "emulated" || strings.Join(l.Warnings, " ") != WarnEmulatedSpeech {
			t.Errorf("Speak(%s): ledger %+v, want one call to speak, and the warning %s", tt.model, l, WarnEmulatedSpeech)
		}
		var body struct {
			Contents []struct {
				Parts []struct {
					Text           string
					SpeechMetadata struct{ Style string }
				}
			}
			GenerationConfig json.RawMessage
		}
		if err := json.Unmarshal(wire.all()[0].body, &body); err != nil {
			t.Fatal(err)
		}
		if p := body.Contents[0].Parts[0]; p.Text != tt.text || p.SpeechMetadata.Style != tt.style {
			t.Errorf("%s is sent %+v, want %q and the style %q", tt.model, p, tt.text, tt.style)
		}
		const config = `{"responseModalities":["AUDIO"],"speechConfig":{"voiceConfig":{"prebuiltVoiceConfig":{"voiceName":"Kore"}}}}`
		if string(body.GenerationConfig) != config {
			t.Errorf("%s is sent the configuration %s, want %s", tt.model, body.GenerationConfig, config)
		}
	}
}

// Which errors occur, how often the call is retried, and what it costs.
func TestSpeakFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		model  string
		answer emulator.Answer
		kind   Kind
		calls  int
	}{
		{"no sound", tts, emulator.Answer{Text: "I would rather write."}, Malformed, 3},
		{"cut", tts, emulator.Answer{Audio: make([]byte, 48_000), FinishReason: "MAX_TOKENS"}, Truncated, 1},
		{"given up", tts, emulator.Answer{Audio: make([]byte, 48_000), FinishReason: "OTHER"}, Malformed, 2},
		{"withheld", tts, emulator.Answer{FinishReason: "SAFETY", Audio: make([]byte, 10)}, Blocked, 1},
		{"the text is refused", tts, emulator.Answer{BlockReason: "PROHIBITED_CONTENT"}, Blocked, 1},
		{"a model that writes", lite, emulator.Answer{}, Invalid, 1},
		{"no such model", "gemini-9-tts", emulator.Answer{}, Gone, 1},
		{"busy", tts, emulator.Answer{Fault: &emulator.Fault{Type: emulator.Unavailable}}, Unavailable, 3},
	} {
		c, s := start(t, Config{})
		for range 3 {
			tt.answer.Kind = emulator.KindSpeak
			s.Script(tt.answer)
		}
		a := &Account{Attempts: CallerAttempts}
		_, err := c.Speak(WithAccount(t.Context(), a), SpeakRequest{Model: tt.model, Text: "Sunny."})
		if e := failure(t, tt.name, err); e.Kind != tt.kind {
			t.Errorf("%s: Speak = %v, want %s", tt.name, e, tt.kind)
		}
		if n := len(s.Calls()); n != tt.calls {
			t.Errorf("%s: %d calls, want %d", tt.name, n, tt.calls)
		}
	}
	c, s := start(t, Config{})
	for _, r := range []SpeakRequest{{Model: tts, Text: " \n"}, {Text: "Sunny."}} {
		if _, err := c.Speak(t.Context(), r); failure(t, "nothing", err).Kind != Invalid || len(s.Calls()) > 0 {
			t.Errorf("Speak(%+v) = %v after %d calls, want %s after none", r, err, len(s.Calls()), Invalid)
		}
	}
}

// A check refuses the first answer and accepts the second; both are charged, at the price
// of audio, also to the day's limit.
func TestSpeakCheck(t *testing.T) {
	p := &purse{}
	c, s := start(t, Config{MaxUSDPerDay: 1, Spend: p.spend})
	usage := &emulator.Usage{PromptTokens: 1000, CandidateTokens: 2000, TotalTokens: 3000}
	for _, text := range []string{"short", "whole"} {
		s.Script(emulator.Answer{Kind: emulator.KindSpeak, Audio: []byte(text), AudioType: "audio/L16;rate=24000", Usage: usage, ModelVersion: tts})
	}
	got, err := c.Speak(t.Context(), SpeakRequest{Model: tts, Text: "Sunny.", Check: func(s Speech) error {
		if string(s.Data) == "short" {
			return errors.New("too short")
		}
		return nil
	}})
	if err != nil || string(got.Data) != "whole" {
		t.Fatalf("Speak = %q, %v, want whole", got.Data, err)
	}
	price, _ := priceOf(speaking, "", time.Now(), tts)
	if want := 2 * price.tokens(1000, 2000); got.USD != want || p.sum != want || got.Usage.Output != 4000 {
		t.Errorf("two answers cost %v, the day %v, with %d tokens out; want %v and 4000", got.USD, p.sum, got.Usage.Output, want)
	}
}

// A model that is gone is replaced by its fallback, each called in its own form.
func TestSpeakFallback(t *testing.T) {
	const older = "gemini-2.5-flash-preview-tts"
	c, s := start(t, Config{Fallback: map[string]string{tts: older}})
	s.SetFaults(emulator.Fault{Type: emulator.Gone, Model: tts})
	a := &Account{}
	got, err := c.Speak(WithAccount(t.Context(), a), SpeakRequest{Model: tts, Text: "Sunny.", Style: "Say in the calm tone"})
	if err != nil || got.Model != older || !strings.HasPrefix(got.MIMEType, "audio/L16") {
		t.Fatalf("Speak = %s of %s, %v, want samples of %s", got.MIMEType, got.Model, err, older)
	}
	if w := a.Ledger().Warnings; len(w) != 2 || w[0] != WarnFallback {
		t.Errorf("warnings %q, want %s first", w, WarnFallback)
	}
}
