package gemini

import (
	"time"
)

// price holds the prices of a model from a day on, in USD.
type price struct {
	from time.Time // zero: from the beginning
	// Per million tokens. input is the price of text and, for generation, of images; audio
	// input costs more and is never sent. image is that of an image in an embedding. cached
	// is that of input from the service's cache. output includes thoughts, and is audio for
	// speech.
	input, image, cached, output float64
	// Per thousand searches, and per thousand answers that searched.
	query, grounded float64
}

// flexFactor is the price of a token at the flex tier relative to the standard tier: "a 50%
// discount", as of 2026-11-23, by ai.google.dev/gemini-api/docs/flex-inference and
// docs.cloud.google.com/gemini-enterprise-agent-platform/models/flex-paygo. Searches cost
// the same.
const flexFactor = 0.5

// regionalFactor is the price of a token at an endpoint of Vertex AI other than global, since July
// 2026, relative to global: github.com/BerriAI/litellm/pull/37543, read on 2026-11-27. Embeddings
// and searches cost the same everywhere.
const regionalFactor = 1.1

// at returns the price at a tier.
func (p price) at(t Tier) price {
	if t == Flex {
		return p.times(flexFactor)
	}
	return p
}

// times returns p with another price of tokens.
func (p price) times(factor float64) price {
	p.input, p.image, p.cached, p.output = p.input*factor, p.image*factor, p.cached*factor, p.output*factor
	return p
}

// here returns the price where this process asks models.
func (p price) here(k kind) price {
	if k != embedding && wantsVertex() && vertexLocation() != "global" {
		return p.times(regionalFactor)
	}
	return p
}

// kind is what a model is for.
type kind int

const (
	generating kind = iota
	embedding
	speaking
)

type tariff struct {
	kind   kind
	prices []price // oldest first
}

var year2027 = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

// priceTable holds the list prices of the paid tier as of 2026-11-20, for prompts up to
// 200,000 tokens, without discounts and free allowances. They come from
// ai.google.dev/gemini-api/docs/pricing, as quoted by:
//
//   - github.com/anomalyco/models.dev: 3.6 Flash, Embedding 2;
//   - github.com/simstudioai/sim: 3.5 Flash-Lite, 3.6 Flash from 2027;
//   - github.com/BerriAI/litellm: 3.8 Flash (discussion 39357), 3.8 Flash TTS
//     and Flash-Lite TTS (discussion 42776), all with their prices from 2027;
//   - tokencost.app/blog/gemini-embedding-2-pricing: images in Embedding 2;
//   - vercel.com/ai-gateway/models: 2.5, 3.1 Pro, Embedding 001, and searches:
//     14 per 1,000 queries on Gemini 3, 35 per 1,000 grounded prompts on 2.5.
//
// None of them names a price of searches for 3.6 and 3.8 Flash and 3.5 Flash-Lite: the
// price for Gemini 3 is assumed.
var priceTable = map[string]tariff{
	"gemini-2.5-flash":      {generating, []price{{input: 0.30, cached: 0.03, output: 2.50, grounded: 35}}},
	"gemini-2.5-flash-lite": {generating, []price{{input: 0.10, cached: 0.01, output: 0.40, grounded: 35}}},
	"gemini-3.5-flash-lite": {generating, []price{{input: 0.30, cached: 0.03, output: 2.50, query: 14}}},
	"gemini-3.6-flash": {generating, []price{
		{input: 0.75, cached: 0.075, output: 3.75, query: 14},
		{from: year2027, input: 1.50, cached: 0.15, output: 7.50, query: 14}}},
	"gemini-3.8-flash": {generating, []price{
		{input: 0.75, cached: 0.075, output: 3.75, query: 14},
		{from: year2027, input: 1.50, cached: 0.15, output: 7.50, query: 14}}},
	"gemini-3.1-pro-preview": {generating, []price{{input: 2.00, cached: 0.20, output: 12.00, query: 14}}},
	"gemini-embedding-001":   {embedding, []price{{input: 0.15}}},
	"gemini-embedding-2":     {embedding, []price{{input: 0.20, image: 0.45}}},
	"gemini-3.8-flash-tts": {speaking, []price{
		{input: 0.50, output: 9.00},
		{from: year2027, input: 1.00, output: 18.00}}},
	"gemini-3.8-flash-lite-tts": {speaking, []price{
		{input: 0.50, output: 6.00},
		{from: year2027, input: 1.00, output: 12.00}}},
}

// priceOf returns the price, at the configured location, of the first of names that is in the table. Emulated and
// local models cost nothing. If none is in the table, it returns the highest value of the kind for each
// figure, and false, so that an unknown cost is overestimated rather than missing.
func priceOf(k kind, at time.Time, names ...string) (p price, known bool) {
	for _, name := range names {
		if t, ok := priceTable[baseName(name)]; ok {
			return t.on(at).here(k), true
		}
		if isFree(name) {
			return price{}, true
		}
	}
	for _, t := range priceTable {
		if t.kind == k {
			p = p.dearer(t.on(at))
		}
	}
	return p.here(k), false
}

func (t tariff) on(day time.Time) price {
	p := t.prices[0]
	for _, next := range t.prices[1:] {
		if !day.Before(next.from) {
			p = next
		}
	}
	return p
}

func (p price) dearer(q price) price {
	return price{
		input: max(p.input, q.input), image: max(p.image, q.image), cached: max(p.cached, q.cached), output: max(p.output, q.output),
		query: max(p.query, q.query), grounded: max(p.grounded, q.grounded),
	}
}

// answer returns the cost of an answer, of whose input tokens `cached` came from the cache.
func (p price) answer(r *Response, cached int) float64 {
	cached = min(cached, r.Usage.Input)
	usd := p.tokens(r.Usage.Input-cached, r.Usage.Output) + p.cached*float64(cached)/1e6
	if n := len(r.Queries); n > 0 {
		usd += (p.query*float64(n) + p.grounded) / 1000
	}
	return usd
}

func (p price) tokens(input, output int) float64 {
	return (p.input*float64(input) + p.output*float64(output)) / 1e6
}
