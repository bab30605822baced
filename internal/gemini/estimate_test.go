package gemini

import (
	"math"
	"testing"
)

func TestEstimate(t *testing.T) {
	const million = 1_000_000
	tests := []struct {
		name  string
		calls []Planned
		want  float64
	}{
		{"nothing", nil, 0},
		{"tokens", []Planned{{Model: "gemini-3.5-flash-lite", Input: million, Output: million}}, 0.30 + 2.50},
		{"searches", []Planned{{Model: "gemini-3.5-flash-lite", Queries: 3}}, 0.042},
		{"an embedding", []Planned{{Model: "gemini-embedding-2", Embeds: true, Input: million}}, 0.20},
		{"two calls", []Planned{{Model: "gemini-3.5-flash-lite", Input: million}, {Model: "gemini-embedding-2", Embeds: true, Input: million}}, 0.50},
		{"tokens at the flex tier", []Planned{{Model: "gemini-3.5-flash-lite", Input: million, Output: million, Queries: 3, Tier: Flex}}, (0.30+2.50)/2 + 0.042},
		{"a model without it", []Planned{{Model: "gemini-3.8-flash-tts", Input: million, Tier: Flex}}, 0.50},
		{"an embedding, which has no tier", []Planned{{Model: "gemini-embedding-2", Embeds: true, Input: million, Tier: Flex}}, 0.20},
		{"an emulated model", []Planned{{Model: "emulated-image", Input: million, Output: million, Queries: 3}}, 0},
	}
	for _, test := range tests {
		if got := Estimate(test.calls...); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("Estimate(%s) = %v, want %v", test.name, got, test.want)
		}
	}
	if got := Estimate(Planned{Model: "unheard-of", Input: million}); got < 1 {
		t.Errorf("Estimate of a model without a price = %v, want the dearest price", got)
	}
}
