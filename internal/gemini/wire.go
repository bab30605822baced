package gemini

import (
	"strconv"
	"strings"

	"google.golang.org/genai"
)

// placeholder is passed to the SDK in place of the contents. The SDK converts contents to
// JSON, to maps and to JSON again, which takes 13 ms instead of 2.6 for a photo of 1 MB and
// loses the order of a schema's properties. generateConfig puts the real contents, and the
// instruction, into the finished body.
var placeholder = genai.Text("-")

// userTurn returns parts as the user's turn, with marks of blobs: its requests are made in a
// context of withParts.
func userTurn(parts []Part) *genai.Content {
	turn := &genai.Content{Role: genai.RoleUser}
	for i, p := range parts {
		switch {
		case p.marked():
			turn.Parts = append(turn.Parts, genai.NewPartFromBytes(markOf(i), p.mimeType))
		case p.isBlob():
			turn.Parts = append(turn.Parts, genai.NewPartFromBytes(p.data, p.mimeType))
		default:
			turn.Parts = append(turn.Parts, genai.NewPartFromText(p.text))
		}
	}
	return turn
}

// generateConfig is created anew for each try, because the SDK writes to its HTTPOptions.
// Temperature is deprecated and not set.
func (c *Client) generateConfig(r Request, model string, contents []*genai.Content, f *form) *genai.GenerateContentConfig {
	schema, system := f.wire, r.System
	if f.inWords(model) {
		schema, system = nil, strings.TrimSpace(system+"\n\n"+shapeText(f.wire))
	}
	config := &genai.GenerateContentConfig{
		MaxOutputTokens: r.MaxOutputTokens,
		ThinkingConfig:  thinkingConfig(r.Thinking, model),
		MediaResolution: r.MediaResolution.wire(),
	}
	if f.wire != nil {
		config.ResponseMIMEType = "application/json"
	}
	if r.Search {
		config.Tools = []*genai.Tool{{GoogleSearch: &genai.GoogleSearch{}}}
	}
	c.complete(config, func(body map[string]any) {
		body["contents"] = contents
		if system != "" {
			body["systemInstruction"] = genai.NewContentFromText(system, genai.RoleUser)
		}
		if options, ok := body["generationConfig"].(map[string]any); ok && schema != nil {
			options["responseJsonSchema"] = schema
		}
	})
	return config
}

// complete sets what is the same for every call: one candidate, which the service does not
// store, and fill, which completes the body.
func (c *Client) complete(config *genai.GenerateContentConfig, fill func(body map[string]any)) {
	config.AutomaticContinuation = new(bool)
	if !c.vertex {
		config.Store = new(bool)
	}
	config.HTTPOptions = &genai.HTTPOptions{ExtrasRequestProvider: func(body map[string]any) map[string]any {
		fill(body)
		return body
	}}
}

// version parses 2 and 5 from "gemini-2.5-flash", 3 and 0 from "gemini-3-pro".
func version(model string) (major, minor int, ok bool) {
	number, isGemini := strings.CutPrefix(baseName(model), "gemini-")
	number, _, _ = strings.Cut(number, "-")
	whole, fraction, dotted := strings.Cut(number, ".")
	major, err := strconv.Atoi(whole)
	if err != nil || !isGemini {
		return 0, 0, false
	}
	if dotted {
		minor, err = strconv.Atoi(fraction)
	}
	return major, minor, err == nil
}

// baseName returns the model's name without "models/" or a publisher's path.
func baseName(model string) string {
	return model[strings.LastIndexByte(model, '/')+1:]
}
