package gemini

import (
	"fmt"
	"slices"
	"strings"
)

const audio = "AUDIO"

// modalityTaken: a model that speaks answers with sound and nothing else, and has to
// be asked for it; others do not speak (github.com/BerriAI/litellm issue 11118,
// github.com/danielmiessler/Fabric issue 1607).
func modalityTaken(a asked) error {
	accepts, asked := "TEXT", a.Config.Modalities
	switch {
	case a.model.speaks && slices.Equal(asked, []string{audio}), !a.model.speaks && !slices.Contains(asked, audio):
		return nil
	case a.model.speaks:
		accepts = audio
	}
	if len(asked) == 0 {
		asked = []string{"TEXT"}
	}
	return badField("generation_config.response_modalities", fmt.Sprintf(
		"The requested combination of response modalities (%s) is not supported by the model. models/%s accepts the following combination of response modalities:\n* %s\n",
		strings.Join(asked, ", "), a.model.id, accepts))
}

// onlySpoken: a model that speaks takes one turn of texts, and neither instructions,
// tools nor schemas; who says a line and how is for those of 3.8
// (ai.google.dev/gemini-api/docs/speech-generation).
func onlySpoken(a asked) error {
	path, what := a.spoiled()
	if path == "" {
		return nil
	}
	return badField(path, fmt.Sprintf("%s is not enabled for models/%s", what, a.model.id))
}

// spoiled returns the part of the request that its model does not accept.
func (a asked) spoiled() (path, what string) {
	for i, c := range a.Contents {
		for j, p := range c.Parts {
			if at := fmt.Sprintf("contents[%d].parts[%d]", i, j); p.Speech != nil && !a.model.wav {
				return at + ".speech_metadata", "Speech metadata"
			} else if a.model.speaks && p.Text == nil {
				return at + ".data", "Input that is no text"
			}
		}
	}
	switch {
	case !a.model.speaks:
		return "", ""
	case len(a.SystemInstruction.Parts) > 0:
		return "system_instruction", "Developer instruction"
	case len(a.Contents) > 1:
		return "contents", "Multiturn chat"
	case len(a.Tools) > 0:
		return "tools", "Tool use"
	case a.Config.Schema != nil || a.Config.JSONSchema != nil || a.Config.MIMEType == "application/json":
		return "generation_config.response_mime_type", "JSON mode"
	}
	return "", ""
}

// voices are the prebuilt ones (ai.google.dev/gemini-api/docs/speech-generation).
var voices = strings.Fields(`achernar achird algenib algieba alnilam aoede autonoe callirrhoe charon despina
	enceladus erinome fenrir gacrux iapetus kore laomedeia leda orus puck pulcherrima rasalgethi sadachbia
	sadaltager schedar sulafat umbriel vindemiatrix zephyr zubenelgenubi`)

// voiceKnown: one voice, or several that are told apart by who speaks, never both. A
// model that is told no voice has one of its own.
func voiceKnown(a asked) error {
	s := a.Config.Speech
	if s == nil || s.Voice == nil {
		return nil
	}
	const path = "generation_config.speech_config."
	if s.Several != nil {
		return badField(path+"voice_config", path+"voice_config: it is mutually exclusive with multi_speaker_voice_config.")
	}
	if name := s.Voice.Prebuilt.Name; name != "" && !slices.Contains(voices, strings.ToLower(name)) {
		return badField(path+"voice_config", fmt.Sprintf("Voice name %s is not supported. Allowed voice names are: %s", name, strings.Join(voices, ", ")))
	}
	return nil
}

// maxSpoken is the largest number of input tokens of a speech model.
const maxSpoken = 8_192

func spokenLength(a asked) error {
	if !a.model.speaks {
		return nil
	}
	n := 0
	for _, p := range a.Contents[0].Parts {
		n += textTokens(*p.Text)
	}
	if n > maxSpoken {
		return badField("contents", fmt.Sprintf("The input token count (%d) exceeds the maximum number of tokens allowed (%d).", n, maxSpoken))
	}
	return nil
}
