package gemini

import (
	"net/http"
	"strings"
	"testing"
)

func TestTierRefused(t *testing.T) {
	body := func(tier string) *generateBody { return &generateBody{ServiceTier: tier} }
	header := func(tier string) http.Header {
		h := http.Header{}
		h.Set(vertexTierHeader, tier)
		return h
	}
	api, global := route{model: "gemini-3.6-flash"}, route{model: "gemini-3.6-flash", vertex: true, location: "global"}
	region, tts := route{model: "gemini-3.6-flash", vertex: true, location: "europe-west4"}, route{model: "gemini-3.8-flash-lite-tts"}
	for _, tt := range []struct {
		name    string
		to      route
		header  http.Header
		body    *generateBody
		size    int
		tier    string
		refused string // "" for taken
	}{
		{"none", api, nil, body(""), 1, "", ""},
		{"standard", api, nil, body("standard"), 1, "", ""},
		{"flex", api, nil, body("flex"), maxFlexBody, tierFlex, ""},
		{"priority", api, nil, body("priority"), maxFlexBody + 1, tierPriority, ""},
		{"flex of 20 MB and a byte", api, nil, body("flex"), maxFlexBody + 1, "", "20 MB"},
		{"flex of a model that has none", tts, nil, body("flex"), 1, "", "does not support the flex tier"},
		{"flex on Vertex AI", global, header("flex"), body(""), 1, tierFlex, ""},
		{"flex in a region", region, header("flex"), body(""), 1, "", "global endpoint only"},
		{"standard in a region", region, nil, body(""), maxFlexBody + 1, "", ""},
		{"priority in a region", region, header("priority"), body(""), 1, tierPriority, ""},
		{"an unknown tier on Vertex AI", global, header("express"), body(""), 1, "", "express"},
		{"the Gemini API's header", api, header("flex"), body(""), 1, "", ""},
	} {
		m, _ := modelOf(tt.to)
		tier, err := tierOf(tt.header, tt.to, m, tt.body, tt.size)
		if tier != tt.tier || (err == nil) != (tt.refused == "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
			t.Errorf("%s: tierOf = %q, %v; want %q, %q", tt.name, tier, err, tt.tier, tt.refused)
		}
	}
}
