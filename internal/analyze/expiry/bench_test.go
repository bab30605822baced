package expiry

import (
	"strings"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	for _, text := range []string{"2026-12-31", "유통기한 2026.12.31까지", "à consommer de préférence avant le 05/06/2027", "MFG EXP 20250101 20270101 L1234", strings.Repeat("1 de ", 100)} {
		b.Run(text[:min(len(text), 20)], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(text, Hint{})
			}
		})
	}
}
