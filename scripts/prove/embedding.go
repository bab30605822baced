package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
)

// unrelated are texts of products that have nothing to do with each other; alike are
// two of the same product each.
var (
	unrelated = []string{
		"Sea Salt Oat Crackers wholegrain 200 g", "lavender fabric softener 2.1 L purple bottle", "현미 누룽지칩 바삭하게 구운 60 g",
		"cordless drill 18 V with two batteries", "sunscreen SPF 50 lotion for children", "멸치 액젓 2년 숙성 900 ml",
	}
	alike = [][2]string{
		{"Sea Salt Oat Crackers wholegrain high in fiber 200 g", "Oat Crackers Sea Salt 200 g cream label slow baked"},
		{"현미 누룽지칩 바삭하게 구운 국산 현미 100% 60 g", "누룽지칩 현미 기름에 튀기지 않은 60 g 노란 봉지"},
	}
)

func (m models) embedding() []Fact {
	facts := []Fact{
		{"embed_scores", "unrelated texts score below the floor and the same product above accept", "internal/catalog/vectorspace.go", m.scores},
		{"embed_dimensions", "a vector has the 768 dimensions that are asked for", "internal/gemini/embed.go", m.dimensions},
	}
	if gemini.EmbedsImages(m.embed) {
		facts = append(facts, Fact{"embed_image", "an image is embedded into the space of texts", embedRulesFile, func(ctx context.Context, p *prober) (Status, string) {
			_, a := m.vector(ctx, p, object{"inlineData": object{"mimeType": "image/jpeg", "data": samples.All()[0].Bytes()}})
			return plain(a, http.StatusOK)
		}})
	}
	if m.vertex {
		return facts
	}
	return append(facts,
		Fact{"embed_batch", "a batch takes 100 contents, and 101 are 400", embedRulesFile, both(takes(m.batch(100)), refuses(400, m.batch(101)))},
		Fact{"embed_text_only", "gemini-embedding-001 refuses images with 400", embedRulesFile, refuses(400, sending{model: "gemini-embedding-001", method: "embedContent",
			body: object{"content": object{"parts": []any{object{"inlineData": object{"mimeType": "image/jpeg", "data": samples.All()[0].Bytes()}}}}}})})
}

// plain returns a status in words.
func plain(a answered, want int) (Status, string) {
	switch {
	case a.err == nil && a.status == want:
		return Held, a.outcome()
	case a.undecided():
		return NotChecked, a.outcome()
	}
	return Failed, a.outcome()
}

func (m models) batch(n int) sending {
	var all []any
	for i := range n {
		all = append(all, object{"model": "models/" + m.embed, "content": turn("user", fmt.Sprint("product ", i)), "outputDimensionality": gemini.Dimensions})
	}
	return sending{name: fmt.Sprint(n), model: m.embed, method: "batchEmbedContents", body: object{"requests": all}}
}

// vector embeds one part.
func (m models) vector(ctx context.Context, p *prober, part object) ([]float64, answered) {
	a := p.ask(ctx, m.embed, "embedContent", m.embedBody(part))
	var v struct{ Embedding struct{ Values []float64 } }
	_ = json.Unmarshal(a.body, &v) // without values it is too short
	return v.Embedding.Values, a
}

func (m models) embedBody(part object) object {
	body := object{"content": object{"role": "user", "parts": []any{part}}}
	if m.vertex {
		body["embedContentConfig"] = object{"outputDimensionality": gemini.Dimensions}
		return body
	}
	body["outputDimensionality"] = gemini.Dimensions
	return body
}

func (m models) dimensions(ctx context.Context, p *prober) (Status, string) {
	v, a := m.vector(ctx, p, object{"text": "oat crackers"})
	if a.status != http.StatusOK {
		return plain(a, http.StatusOK)
	}
	return verdict(len(v) == gemini.Dimensions), fmt.Sprintf("%d dimensions, length %.4f", len(v), math.Sqrt(dot(v, v)))
}

// scores embeds as the catalogue does, with its prefix.
func (m models) scores(ctx context.Context, p *prober) (Status, string) {
	space, err := catalog.VectorSpaceOf(m.embed)
	if err != nil {
		return NotChecked, err.Error()
	}
	var stopped *answered
	embed := func(text string) []float64 {
		v, a := m.vector(ctx, p, object{"text": space.Prefix + text})
		if a.status != http.StatusOK || len(v) == 0 {
			stopped = &a
		}
		return v
	}
	var vectors [][]float64
	for _, text := range unrelated {
		vectors = append(vectors, embed(text))
	}
	nearest, least := -1.0, 1.0
	for i, a := range vectors {
		for _, b := range vectors[:i] {
			nearest = max(nearest, cosine(a, b))
		}
	}
	for _, pair := range alike {
		least = min(least, cosine(embed(pair[0]), embed(pair[1])))
	}
	if stopped != nil {
		return plain(*stopped, http.StatusOK)
	}
	seen := fmt.Sprintf("unrelated texts score %.3f at most (floor %.2f), the same product %.3f at least (accept %.2f)", nearest, space.Floor, least, space.Accept)
	if p.ask(ctx, m.judge, "generateContent", m.question(m.judge, nil)); p.emulated { // a vector does not say who made it
		return NotChecked, "an emulated model answered: " + seen
	}
	return verdict(nearest < space.Floor && least >= space.Accept), seen
}

func cosine(a, b []float64) float64 {
	if len(a) == 0 || len(a) != len(b) {
		return 0
	}
	return dot(a, b) / math.Sqrt(dot(a, a)*dot(b, b))
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
