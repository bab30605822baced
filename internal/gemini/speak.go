package gemini

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/genai"
)

// DefaultVoice is used if a SpeakRequest names no voice.
const DefaultVoice = "Kore"

// SpeakRequest asks a model to speak a text.
type SpeakRequest struct {
	Model string
	// Text is spoken word for word: at most 8,192 tokens, and in practice as much as fits
	// into 16,384 tokens of audio, about ten minutes.
	Text string
	// Style is how the text is spoken, such as "Say in the calm tone"; "" leaves it to the
	// model. For models before 3.8 it is put before the text, with a colon.
	Style string
	// Voice is one of the prebuilt voices; "" is DefaultVoice.
	Voice string
	// Check refuses unusable speech, such as one that breaks off: it is then Malformed, and
	// requested again. Nil accepts all.
	Check func(Speech) error
	// Key names the call in the log; it may be empty.
	Key string
}

// Speech is a spoken text. MIMEType is the format of Data: models before 3.8 return bare
// samples (audio/L16;rate=24000), 3.8 a whole WAV file. Usage and USD are those of all
// answers to the call.
type Speech struct {
	Data         []byte
	MIMEType     string
	Model        string // the model that answered, which may be the fallback
	ModelVersion string
	Usage        Usage
	USD          float64
}

// Speak returns a text as speech. An answer without audio is Malformed; one that ended
// early is Truncated, Blocked or Malformed, as for Generate.
func (c *Client) Speak(ctx context.Context, r SpeakRequest) (Speech, error) {
	if err := checkSpeak(r); err != nil {
		return Speech{}, &Error{Kind: Invalid, Model: r.Model, Err: err}
	}
	var said, spent Speech
	err := c.call(ctx, r.Model, job{key: r.Key, kind: jobSpeak, try: func(ctx context.Context, model string) error {
		raw, err := send(ctx, c.speaks, model, c.speakConfig(r, model))
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

// speakConfig is created anew for each try, like generateConfig.
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

// part returns the text in the form for the model: a model before 3.8 gets one prompt with
// the style in it, 3.8 speaks all of the text it gets.
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

// chargeSpeech books the cost of an answer, and returns an error if the answer is unusable.
func (c *Client) chargeSpeech(ctx context.Context, model string, raw *genai.GenerateContentResponse) (Speech, error) {
	response, err := responseOf(model, raw, func(*genai.Content) bool { return true })
	entry := c.entryOf(speaking, model, raw, response)
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

// soundOf returns the audio of an answer. Samples may be in several parts.
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
