package analyze

import "example.com/whatis/internal/gemini"

// Estimate returns what one photo may cost, in USD: low if it is clear, high if
// neither the photo nor the catalogue decides and the web is asked twice. A photo
// whose bytes were analysed before costs nothing; one with injected lines is read
// twice.
//
// The calls are those of the decision table. The tokens are assumptions, for a
// photo of 3072 pixels and a pack with much text: 2,500 in and 1,000 out to read
// it, 3,000 and 500 to judge it, once without and once with the catalogue's
// candidates, 2,500 and 800 for each of two searches of one query, 1,500 and 500 to
// structure what they found, 150 to embed. A search that makes two queries at once
// is not followed by another. Google decides how many it makes.
//
// Low is at the price of tier, high at that of the standard tier, which is used
// when another is refused.
func (p *Pipeline) Estimate(look SecondLook, tier gemini.Tier) (low, high float64) {
	read := gemini.Planned{Model: p.Models.Image, Input: 2500, Output: 1000}
	judge := gemini.Planned{Model: p.Models.Judge, Input: 3000, Output: 500}
	embed := gemini.Planned{Model: p.Space.Model, Embeds: true, Input: 150}
	search := gemini.Planned{Model: p.Models.Judge, Input: 2500, Output: 800, Queries: 1}
	structure := gemini.Planned{Model: p.Models.Judge, Input: 1500, Output: 500}

	least := []gemini.Planned{read}
	if look == Always {
		least = append(least, judge)
	}
	for i := range least {
		least[i].Tier = tier
	}
	return gemini.Estimate(least...), gemini.Estimate(read, judge, embed, judge, search, search, structure)
}
