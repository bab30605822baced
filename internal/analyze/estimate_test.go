package analyze

import (
	"math"
	"testing"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
)

func TestEstimate(t *testing.T) {
	const lite = "gemini-3.5-flash-lite" // 0.30 and 2.50 for a million tokens, 14 for a thousand searches
	const read, judge = (2500*0.30 + 1000*2.50) / 1e6, (3000*0.30 + 500*2.50) / 1e6
	const web = (2*2500*0.30+2*800*2.50)/1e6 + 2*0.014 + (1500*0.30+500*2.50)/1e6
	const embed = 150 * 0.20 / 1e6
	tests := []struct {
		image, embedder string
		look            SecondLook
		tier            gemini.Tier
		low, high       float64
	}{
		{lite, "gemini-embedding-2", Doubt, "", read, read + embed + 2*judge + web},
		{lite, "gemini-embedding-2", Never, gemini.Standard, read, read + embed + 2*judge + web},
		{lite, "gemini-embedding-2", Always, "", read + judge, read + embed + 2*judge + web},
		{lite, "gemini-embedding-2", Doubt, gemini.Flex, read / 2, read + embed + 2*judge + web},
		{lite, "gemini-embedding-2", Always, gemini.Flex, (read + judge) / 2, read + embed + 2*judge + web},
		{"emulated-image", "emulated-embedding", Doubt, gemini.Flex, 0, 0},
	}
	for _, test := range tests {
		p := &Pipeline{Config: Config{Models: Models{Image: test.image, Judge: test.image}, Space: catalog.VectorSpace{Model: test.embedder}}}
		low, high := p.Estimate(test.look, test.tier)
		if math.Abs(low-test.low) > 1e-9 || math.Abs(high-test.high) > 1e-9 {
			t.Errorf("Estimate of %s, %s, %q = %v to %v, want %v to %v", test.image, test.look, test.tier, low, high, test.low, test.high)
		}
	}
}
