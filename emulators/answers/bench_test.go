package answers

import (
	"strings"
	"testing"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// BenchmarkRecognise looks at each sample for the first time: decoding,
// recognising, colours.
func BenchmarkRecognise(b *testing.B) {
	for _, sample := range samples.All() {
		photo := photoOf(b, sample)
		inline := gemini.Inline{MIMEType: photo.MIMEType, Data: photo.Data}
		b.Run(sample.File, func(b *testing.B) {
			e := &observer{}
			for b.Loop() {
				if _, err := e.decode(b.Context(), inline); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEmbedding(b *testing.B) {
	text := strings.Join(sampleNamed(b, "crackers").Truth.Features, " ")
	for b.Loop() {
		embedding(text, 768)
	}
}
