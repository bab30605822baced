package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// flexPatience is how long an answer at the flex tier may take.
const flexPatience = 8 * time.Minute

// flexible returns facts about the flex tier, which costs half, of each model that generates: on
// Vertex AI by a header, on the Gemini API by a field.
func (m models) flexible() []Fact {
	var facts []Fact
	asked := map[string]bool{}
	if m.vertex && m.location != "global" {
		return nil // only the global endpoint has it
	}
	for _, r := range m.roles {
		if asked[r.model] {
			continue
		}
		asked[r.model] = true
		facts = append(facts, Fact{
			fmt.Sprintf("flex_%d", len(asked)), fmt.Sprintf("%s is asked at the flex tier, and its answer names the tier", r.model), fieldsFile, m.atFlex(r.model),
		})
	}
	return facts
}

func (m models) atFlex(model string) func(context.Context, *prober) (Status, string) {
	s := m.ask("", model, object{"serviceTier": "flex"})
	if m.vertex {
		s = m.ask("", model, nil)
		s.header = map[string]string{"X-Vertex-AI-LLM-Shared-Request-Type": "flex"}
	}
	s.patience = flexPatience
	return func(ctx context.Context, p *prober) (Status, string) {
		a := p.send(ctx, s)
		if a.err != nil || a.status != http.StatusOK {
			return plain(a, http.StatusOK) // no capacity (429, 503) decides nothing
		}
		tier := a.tier()
		if tier == "" && a.generated().ModelVersion == emulatedVersion {
			return NotChecked, "an emulated model answered, and named no tier"
		}
		return verdict(strings.Contains(strings.ToLower(tier), "flex")), fmt.Sprintf("200, at the tier %q", tier)
	}
}

// tier returns the tier that an answer names: Vertex AI in its usage, the Gemini API in a
// header.
func (a answered) tier() string {
	if traffic := a.generated().Usage.TrafficType; traffic != "" {
		return traffic
	}
	return a.header.Get("X-Gemini-Service-Tier")
}
