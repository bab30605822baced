package answers

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/gemini/geminitest"
)

func TestKindOfEachRequest(t *testing.T) {
	s := start(t, Options{})
	both := geminitest.Wanting("found", "probability")
	both.Tools = geminitest.Searching().Tools
	typed := &genai.GenerateContentConfig{ResponseMIMEType: "application/json", ResponseSchema: &genai.Schema{
		Type: genai.TypeObject, Properties: map[string]*genai.Schema{"pick": {Type: genai.TypeInteger}}}}
	for _, b := range geminitest.Backends {
		client := b.Client(t, s)
		for _, tt := range []struct {
			name           string
			config         *genai.GenerateContentConfig
			kind           gemini.Kind
			search, schema bool
		}{
			{"image", geminitest.Wanting("visible_text", "brand"), KindImage, false, true},
			{"judge", geminitest.Wanting("pick", "seen"), KindJudge, false, true},
			{"judge by responseSchema", typed, KindJudge, false, true},
			{"search", geminitest.Searching(), KindSearch, true, false},
			{"structure", geminitest.Wanting("found", "probability"), KindStructure, false, true},
			{"search and structure", both, KindStructure, true, true},
			{"another schema", geminitest.Wanting("weather"), gemini.KindOther, false, true},
			{"plain", nil, gemini.KindOther, false, false},
		} {
			if b.Name == "vertex" && tt.search && tt.schema {
				continue // refused there
			}
			s.ResetCalls()
			geminitest.MustAsk(t, client, tt.config, nil, "request:\n{}")
			c := s.Calls()[0]
			if c.Kind != tt.kind || c.Search != tt.search || c.Schema != tt.schema {
				t.Errorf("%s: %s is logged as %s, search %v, schema %v; want %s, %v, %v",
					b.Name, tt.name, c.Kind, c.Search, c.Schema, tt.kind, tt.search, tt.schema)
			}
		}
	}
}

// pngHeader is the start of a PNG of that size, all that is read to know it.
func pngHeader(w, h uint32) []byte {
	header := []byte("IHDR")
	header = binary.BigEndian.AppendUint32(header, w)
	header = binary.BigEndian.AppendUint32(header, h)
	header = append(header, 8, 0, 0, 0, 0)
	data := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	return binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(header))
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range min(len(a), len(b)) {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}
