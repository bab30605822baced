package gemini

import "time"

// price holds the prices of a model from a day on, in USD.
type price struct {
	From day `json:"from"` // zero: from the beginning
	// Per million tokens. Input is the price of text and, for generation, of images; audio
	// input costs more and is never sent. Image is that of an image in an embedding. Cached
	// is that of input from the service's cache. Output includes thoughts, and is audio for
	// speech.
	Input  float64 `json:"input"`
	Image  float64 `json:"image"`
	Cached float64 `json:"cached"`
	Output float64 `json:"output"`
	// Per thousand searches, and per thousand answers that searched.
	Query    float64 `json:"query"`
	Grounded float64 `json:"grounded"`
}

// at returns the price at a tier.
func (p price) at(t Tier) price {
	if t == Flex {
		return p.times(knownModels.FlexFactor)
	}
	return p
}

// times returns p with another price of tokens.
func (p price) times(factor float64) price {
	p.Input, p.Image, p.Cached, p.Output = p.Input*factor, p.Image*factor, p.Cached*factor, p.Output*factor
	return p
}

// in returns the price of a kind of model at a location of Vertex AI; "" is the Gemini API.
func (p price) in(location string, k kind) price {
	if k != embedding && location != "" && location != "global" {
		return p.times(knownModels.RegionalFactor)
	}
	return p
}

// priceOf returns the price, at a location of Vertex AI or "", of the first of names that has one. Emulated and
// local models cost nothing. If none has one, it returns the highest value of the kind for each
// figure, and false, so that an unknown cost is overestimated rather than missing.
func priceOf(k kind, location string, at time.Time, names ...string) (p price, known bool) {
	for _, name := range names {
		if m := knownModels.Models[baseName(name)]; len(m.Prices) > 0 {
			return m.priceOn(at).in(location, k), true
		}
		if isFree(name) {
			return price{}, true
		}
	}
	for _, m := range knownModels.Models {
		if m.For == k && len(m.Prices) > 0 {
			p = p.dearer(m.priceOn(at))
		}
	}
	return p.in(location, k), false
}

func (m known) priceOn(day time.Time) price {
	p := m.Prices[0]
	for _, next := range m.Prices[1:] {
		if !day.Before(next.From.Time) {
			p = next
		}
	}
	return p
}

func (p price) dearer(q price) price {
	return price{
		Input: max(p.Input, q.Input), Image: max(p.Image, q.Image), Cached: max(p.Cached, q.Cached), Output: max(p.Output, q.Output),
		Query: max(p.Query, q.Query), Grounded: max(p.Grounded, q.Grounded),
	}
}

// answer returns the cost of an answer, of whose input tokens `cached` came from the cache.
func (p price) answer(r *Response, cached int) float64 {
	cached = min(cached, r.Usage.Input)
	usd := p.tokens(r.Usage.Input-cached, r.Usage.Output) + p.Cached*float64(cached)/1e6
	if n := len(r.Queries); n > 0 {
		usd += (p.Query*float64(n) + p.Grounded) / 1000
	}
	return usd
}

func (p price) tokens(input, output int) float64 {
	return (p.Input*float64(input) + p.Output*float64(output)) / 1e6
}
