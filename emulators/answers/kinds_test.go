package answers

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini"
)

func TestKindOfEachRequest(t *testing.T) {
	s := start(t, Options{})
	both := wanting("found", "probability")
	both.Tools = searching().Tools
	typed := &genai.GenerateContentConfig{ResponseMIMEType: "application/json", ResponseSchema: &genai.Schema{
		Type: genai.TypeObject, Properties: map[string]*genai.Schema{"pick": {Type: genai.TypeInteger}}}}
	for _, b := range backends {
		client := b.client(t, s)
		for _, tt := range []struct {
			name           string
			config         *genai.GenerateContentConfig
			kind           gemini.Kind
			search, schema bool
		}{
			{"image", wanting("visible_text", "brand"), KindImage, false, true},
			{"judge", wanting("pick", "seen"), KindJudge, false, true},
			{"judge by responseSchema", typed, KindJudge, false, true},
			{"search", searching(), KindSearch, true, false},
			{"structure", wanting("found", "probability"), KindStructure, false, true},
			{"search and structure", both, KindStructure, true, true},
			{"another schema", wanting("weather"), gemini.KindOther, false, true},
			{"plain", nil, gemini.KindOther, false, false},
		} {
			if b.name == "vertex" && tt.search && tt.schema {
				continue // refused there
			}
			s.ResetCalls()
			mustAsk(t, client, tt.config, nil, "request:\n{}")
			c := s.Calls()[0]
			if c.Kind != tt.kind || c.Search != tt.search || c.Schema != tt.schema {
				t.Errorf("%s: %s is logged as %s, search %v, schema %v; want %s, %v, %v",
					b.name, tt.name, c.Kind, c.Search, c.Schema, tt.kind, tt.search, tt.schema)
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
