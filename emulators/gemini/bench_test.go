package gemini

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
)

// BenchmarkScriptedAnswer is a whole HTTP call without and with a photo.
func BenchmarkScriptedAnswer(b *testing.B) {
	data := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1}, 100_000))
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
