package gemini

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/genai"
)

// DefaultVoice is the voice of a SpeakRequest that names none.
const DefaultVoice = "Kore"

// SpeakRequest asks a model for speech to say a text.
type SpeakRequest struct {
	Model string
	// Text is what is said, word for word: 8,192 tokens at most, and in practice as
	// much as the model says in 16,384 tokens of sound, some ten minutes.
	Text string
	// Style is how it is said, such as "Say in the calm tone"; "" leaves it to the
	// model. Models before 3.8 find it before the text, with a colon.
	Style string
	// Voice is one of the prebuilt voices; "" is DefaultVoice.
	Voice string
	// Check refuses speech that is of no use, such as one that breaks off: it is then
	// Malformed, and asked for again. Nil takes all.
	Check func(Speech) error
	// Key names the call in the log; "" is none.
	Key string
}

// Speech is a text said. MIMEType says what Data is: models before 3.8 answer with
// samples alone (audio/L16;rate=24000), 3.8 with a whole WAV. Usage and USD are those
// of all answers to the call.
type Speech struct {
	Data         []byte
	MIMEType     string
	Model        string // that was asked in the end, after a fallback
	ModelVersion string
	Usage        Usage
	USD          float64
}

// Speak says a text. An answer without sound is Malformed, one that the model did not
// end by itself Truncated, Blocked or Malformed, as for Generate.
func (c *Client) Speak(ctx context.Context, r SpeakRequest) (Speech, error) {
	if err := checkSpeak(r); err != nil {
		return Speech{}, &Error{Kind: Invalid, Model: r.Model, Err: err}
	}
	var said, spent Speech
	err := c.call(ctx, r.Model, job{key: r.Key, kind: jobSpeak, try: func(ctx context.Context, model string) error {
		raw, err := c.send(ctx, model, c.speakConfig(r, model))
		if err != nil {
			return err
		}
		said, err = c.chargeSpeech(ctx, model, raw)
		said.Usage, said.USD = said.Usage.plus(spent.Usage), said.USD+spent.USD
		spent = said
		if err == nil && r.Check != nil {
			err = refusedSpeech(model, r.Check(said))
		}
		return err
	}})
	if err != nil {
		return Speech{}, err
	}
	return said, nil
}

func checkSpeak(r SpeakRequest) error {
	if err := checkModel(r.Model); err != nil {
		return err
	}
	if strings.TrimSpace(r.Text) == "" {
		return errors.New("there is nothing to say")
	}
	return nil
}

// speakConfig is made anew for each try, as generateConfig.
func (c *Client) speakConfig(r SpeakRequest, model string) *genai.GenerateContentConfig {
	voice := r.Voice
	if voice == "" {
		voice = DefaultVoice
	}
	config := &genai.GenerateContentConfig{
		ResponseModalities: []string{string(genai.ModalityAudio)},
		SpeechConfig:       &genai.SpeechConfig{VoiceConfig: &genai.VoiceConfig{PrebuiltVoiceConfig: &genai.PrebuiltVoiceConfig{VoiceName: voice}}},
	}
	turn := genai.NewContentFromParts([]*genai.Part{r.part(model)}, genai.RoleUser)
	c.complete(config, func(body map[string]any) { body["contents"] = []*genai.Content{turn} })
	return config
}

// part is the text in the way of the model's kind. To one before 3.8 all that it is
// sent is a prompt, to 3.8 all of it is to be said.
func (r SpeakRequest) part(model string) *genai.Part {
	major, minor, known := version(model)
	switch {
	case r.Style == "":
		return genai.NewPartFromText(r.Text)
	case known && (major < 3 || major == 3 && minor < 8):
		return genai.NewPartFromText(r.Style + ": " + r.Text)
	}
	return &genai.Part{Text: r.Text, SpeechMetadata: &genai.SpeechMetadata{Style: r.Style}}
}

// chargeSpeech takes an answer, books its cost, and refuses it if it is of no use.
func (c *Client) chargeSpeech(ctx context.Context, model string, raw *genai.GenerateContentResponse) (Speech, error) {
	response, err := responseOf(model, raw, func(*genai.Content) bool { return true })
	entry := entryOf(speaking, model, raw, response)
	entry.Calls.Speak = 1
	if response.ModelVersion == emulatedVersion {
		entry.Warnings = []string{WarnEmulatedSpeech}
	}
	c.book(ctx, entry)
	noteAttempt(ctx, entry, response.FinishReason)
	said := Speech{Model: model, ModelVersion: response.ModelVersion, Usage: response.Usage, USD: entry.USD}
	if refused := c.allowed(model, response.ModelVersion); refused != nil {
		return said, refused
	}
	if err != nil {
		return said, err
	}
	said.Data, said.MIMEType, err = soundOf(raw.Candidates[0].Content)
	return said, refusedSpeech(model, err)
}

func refusedSpeech(model string, problem error) error {
	if problem == nil {
		return nil
	}
	return &Error{Kind: Malformed, Model: model, Err: problem}
}

// soundOf is the sound of an answer. Samples may come in several parts.
func soundOf(content *genai.Content) (data []byte, mimeType string, err error) {
	if content == nil {
		return nil, "", errors.New("an answer without sound")
	}
	for _, p := range content.Parts {
		if p == nil || p.InlineData == nil || len(p.InlineData.Data) == 0 {
			continue
		}
		if data != nil && (p.InlineData.MIMEType != mimeType || !strings.HasPrefix(strings.ToLower(mimeType), "audio/l16")) {
			return nil, "", fmt.Errorf("parts of sound that do not go together: %q and %q", mimeType, p.InlineData.MIMEType)
		}
		data, mimeType = append(data, p.InlineData.Data...), p.InlineData.MIMEType
	}
	if data == nil {
		return nil, "", errors.New("an answer without sound")
	}
	return data, mimeType, nil
}
