package gemini

import "time"

// A Planned call is one that may be made.
type Planned struct {
	Model         string
	Embeds        bool // else it generates
	Input, Output int  // tokens
	Queries       int  // that it searches the web with
	Tier          Tier // of a call that generates; a model without it is asked at the standard one
}

// Estimate is what calls would cost at today's prices, by the rules of the
// account: a model without a price costs as much as the dearest, an emulated one
// nothing.
func Estimate(calls ...Planned) float64 { return EstimateAt(time.Now(), calls...) }

// EstimateAt is what they would cost on a day.
func EstimateAt(day time.Time, calls ...Planned) float64 {
	usd := 0.0
	for _, c := range calls {
		k := generating
		if c.Embeds {
			k = embedding
		}
		p, _ := priceOf(k, day, c.Model)
		if k == generating && hasFlex(c.Model) {
			p = p.at(c.Tier)
		}
		usd += p.answer(&Response{Usage: Usage{Input: c.Input, Output: c.Output}, Queries: make([]string, c.Queries)}, 0)
	}
	return usd
}
