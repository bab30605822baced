package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"example.com/whatis/emulators/samples"
)

// shorter returns facts about what answers may leave out, schemas need not say, and streams show
// before they are complete.
func (m models) shorter() []Fact {
	return []Fact{
		{"left_out", "an answer leaves out members that say nothing and are not required", "internal/analyze/analysis.go", observes(m.ask("", m.image, object{
			"contents": []any{turn("user", `On the pack stands "Oat Crackers", and nothing else. Give what is printed, and a date or a code only where one is printed; else leave them out.`)},
			"generationConfig": long(schema(object{"type": "object", "required": []any{"printed"}, "propertyOrdering": []any{"printed", "date", "code"},
				"properties": object{"printed": object{"type": "string"}, "date": object{"type": "string"}, "code": object{"type": "string"}}})),
		}), func(g generated) (bool, string) {
			text := g.text()
			return strings.Contains(text, `"printed"`) && !strings.Contains(text, `"date"`) && !strings.Contains(text, `"code"`), text
		})},
		{"bare_schema", "packs are read as well by a schema that does not describe its members", "internal/analyze/analysis.go", m.bare()},
		{"stream_order", "an answer with a schema is streamed in pieces, its members in propertyOrdering", "internal/gemini/partial.go", m.streamed()},
	}
}

// bare compares the readings of drawn packs by a schema with and without descriptions; what the
// members are says the prompt.
func (m models) bare() func(context.Context, *prober) (Status, string) {
	read := func(pack *samples.Sample, described bool) sending {
		members := object{"brand": object{"type": "string"}, "product_name": object{"type": "string"}}
		if described {
			members = object{"brand": object{"type": "string", "description": "the top-level maker or brand only"}, "product_name": object{"type": "string", "description": "the full product name with its variant, without the brand"}}
		}
		body := m.question(m.image, config(long(schema(object{"type": "object", "required": []any{"product_name", "brand"}, "propertyOrdering": []any{"product_name", "brand"}, "properties": members}))))
		body["contents"] = []any{object{"role": "user", "parts": []any{
			object{"inlineData": object{"mimeType": "image/jpeg", "data": pack.Bytes()}},
			object{"text": "product_name is the full product name with its variant, as printed, without the brand; brand is the top-level maker or brand only."},
		}}}
		return generating("", m.image, body)
	}
	return func(ctx context.Context, p *prober) (Status, string) {
		var right [2]int
		packs := 0
		for _, pack := range samples.All() {
			if pack.Truth.Kind != samples.Product || pack.Truth.Name == "" || !strings.HasSuffix(pack.File, ".jpg") {
				continue
			}
			packs++
			for i, described := range []bool{true, false} {
				g, status, why := p.generated(ctx, read(pack, described))
				if status != "" {
					return status, why
				}
				var said struct{ Brand, Product_name string }
				if json.Unmarshal([]byte(g.text()), &said) == nil && pack.Truth.Is(said.Brand, said.Product_name) {
					right[i]++
				}
			}
		}
		return verdict(right[1] >= right[0]), fmt.Sprintf("of %d packs %d right with descriptions, %d without", packs, right[0], right[1])
	}
}

// streamed asks for an answer in pieces.
func (m models) streamed() func(context.Context, *prober) (Status, string) {
	s := m.ask("", m.image, object{
		"contents": []any{turn("user", "Write two sentences about each: zebras, apples, melons.")}, "generationConfig": long(schema(ordered)),
	})
	s.method = "streamGenerateContent" // one JSON array of pieces, without alt=sse
	return func(ctx context.Context, p *prober) (Status, string) {
		a := p.send(ctx, s)
		if a.err != nil || a.status != http.StatusOK {
			return plain(a, http.StatusOK)
		}
		var pieces []generated
		if err := json.Unmarshal(a.body, &pieces); err != nil || len(pieces) == 0 {
			return Failed, fmt.Sprintf("no list of pieces: %.200q", a.body)
		}
		if pieces[0].ModelVersion == emulatedVersion {
			return NotChecked, "an emulated model answered"
		}
		text := ""
		for _, piece := range pieces {
			text += piece.text()
		}
		return verdict(inThatOrder(text) && len(pieces) > 1), fmt.Sprintf("%d pieces: %s", len(pieces), text)
	}
}
