package gemini

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/whatis/emulators/samples"
)

// BenchmarkScriptedAnswer is a whole HTTP call without and with a photo.
func BenchmarkScriptedAnswer(b *testing.B) {
	data := base64.StdEncoding.EncodeToString(sampleNamed(b, "crackers").Bytes())
	for _, bb := range []struct{ name, body string }{
		{"text", `{"contents":[{"parts":[{"text":"q"}]}]}`},
		{"photo", `{"contents":[{"parts":[{"inlineData":{"mimeType":"image/jpeg","data":"` + data + `"}}]}]}`},
	} {
		b.Run(bb.name, func(b *testing.B) {
			s := start(b, Options{})
			b.SetBytes(int64(len(bb.body)))
			for b.Loop() {
				s.Script(Answer{Text: "{}"})
				resp, err := http.Post(s.URL()+"/v1beta/models/m:generateContent?key=k", "application/json", strings.NewReader(bb.body))
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
}

// BenchmarkRecognise looks at each sample for the first time: decoding,
// recognising, colours.
func BenchmarkRecognise(b *testing.B) {
	for _, sample := range samples.All() {
		photo := photoOf(b, sample)
		inline := Inline{MIMEType: photo.MIMEType, data: photo.Data}
		b.Run(sample.File, func(b *testing.B) {
			e := &eye{open: b.Context()}
			for b.Loop() {
				if _, err := e.see(inline); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEmbedding(b *testing.B) {
	text := strings.Join(sampleNamed(b, "crackers").Truth.Features, " ")
	for b.Loop() {
		embedding(text, defaultDimensions)
	}
}
