package gemini

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// The package's own time for a call.
func BenchmarkGenerate(b *testing.B) {
	schema, err := SchemaFor[verdict]()
	if err != nil {
		b.Fatal(err)
	}
	answer := `{"modelVersion":"gemini-3.6-flash","candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"{}"}]}}]}`
	for _, kb := range []int{100, 1000} {
		b.Run(fmt.Sprintf("%dkB", kb), func(b *testing.B) {
			c := open(b, Config{BaseURL: raw(b, http.StatusOK, nil, answer)})
			data := make([]byte, kb<<10)
			b.ReportAllocs()
			for b.Loop() {
				r := Request{Model: judge, Schema: schema, Parts: []Part{Blob("image/jpeg", data), Text("x")}}
				if _, err := c.Generate(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEmbed(b *testing.B) {
	one := `{"values":[` + strings.TrimSuffix(strings.Repeat("0.0123456,", Dimensions), ",") + `]},`
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := open(b, Config{BaseURL: raw(b, http.StatusOK, nil, `{"embeddings":[`+strings.TrimSuffix(strings.Repeat(one, n), ",")+`]}`)})
			r := EmbedRequest{Model: "gemini-embedding-2", Texts: strings.Fields(strings.Repeat("x ", n))}
			for b.Loop() {
				if _, err := c.Embed(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
