package gemini

import "time"

// A Planned call is a call whose cost is to be estimated.
type Planned struct {
	Model         string
	Embeds        bool // an embedding; otherwise Generate
	Input, Output int  // tokens
	Queries       int  // web searches
	Tier          Tier // for Generate; a model without that tier is used at the standard tier
}

// Estimate returns the cost of calls at today's prices. As in an account, a model without a
// price costs as much as the most expensive one, and an emulated model nothing.
func Estimate(calls ...Planned) float64 { return EstimateAt(time.Now(), calls...) }

// EstimateAt is Estimate with the prices of a day.
func EstimateAt(day time.Time, calls ...Planned) float64 {
	usd, location := 0.0, ""
	if wantsVertex() {
		location = vertexLocation()
	}
	for _, c := range calls {
		k := generating
		if c.Embeds {
			k = embedding
		}
		p, _ := priceOf(k, location, day, c.Model)
		if k == generating && hasFlex(c.Model) {
			p = p.at(c.Tier)
		}
		usd += p.answer(&Response{Usage: Usage{Input: c.Input, Output: c.Output}, Queries: make([]string, c.Queries)}, 0)
	}
	return usd
}
