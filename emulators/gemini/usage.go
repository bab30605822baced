package gemini

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"strings"
	"unicode/utf8"

	_ "golang.org/x/image/webp"
)

// Tokens are counted as the service's documentation says: about four
// characters a token; 258 for an image of up to 384 pixels a side, else 258
// for each tile of 768 × 768. The same request always counts the same.
const (
	charsPerToken = 4
	tileTokens    = 258
	smallSide     = 384
	tileSide      = 768
)

func textTokens(text string) int {
	return (utf8.RuneCountInString(text) + charsPerToken - 1) / charsPerToken
}

// photoTokens counts an image that cannot be decoded as one tile.
func photoTokens(data []byte) int {
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || c.Width <= smallSide && c.Height <= smallSide {
		return tileTokens
	}
	tiles := func(side int) int { return (side + tileSide - 1) / tileSide }
	return tileTokens * tiles(c.Width) * tiles(c.Height)
}

// decodable refuses what calls itself an image and has not even the start of one.
// HEIC and HEIF cannot be told here.
func (i Inline) decodable() error {
	if !strings.HasPrefix(i.MIMEType, "image/") || strings.HasPrefix(i.MIMEType, "image/hei") {
		return nil
	}
	if _, _, err := image.DecodeConfig(bytes.NewReader(i.Data)); err != nil {
		return fmt.Errorf("unable to process input image: %w", err)
	}
	return nil
}

func (q *query) tokens() (text, photos int) {
	text = textTokens(q.System)
	for _, t := range q.Texts {
		text += textTokens(t)
	}
	for _, i := range q.Inline {
		photos += photoTokens(i.Data)
	}
	return text, photos
}

func (q *query) promptTokens() int {
	text, photos := q.tokens()
	return text + photos
}

// usage counts a request and its answer.
func (q *query) usage(answer string) *Usage {
	text, photos := q.tokens()
	u := &Usage{PromptTokens: text + photos, CandidateTokens: textTokens(answer)}
	u.TotalTokens = u.PromptTokens + u.CandidateTokens
	u.PromptDetails = []ModalityUsage{{Modality: "TEXT", Tokens: text}}
	if photos > 0 {
		u.PromptDetails = append(u.PromptDetails, ModalityUsage{Modality: "IMAGE", Tokens: photos})
	}
	return u
}
