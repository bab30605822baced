package gemini

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini/geminitest"
)

// atFlex returns a question at the flex tier, as each of the two services is asked it.
func atFlex(vertex bool) *genai.GenerateContentConfig {
	if vertex {
		return &genai.GenerateContentConfig{HTTPOptions: &genai.HTTPOptions{Headers: http.Header{vertexTierHeader: {"flex"}}}}
	}
	return &genai.GenerateContentConfig{ServiceTier: genai.ServiceTierFlex}
}

// globalClient speaks Vertex AI's global endpoint.
func globalClient(t *testing.T, s *Server) *genai.Client {
	t.Helper()
	return geminitest.NewClient(t, &genai.ClientConfig{
		Backend: genai.BackendVertexAI, Project: "p", Location: "global", HTTPOptions: genai.HTTPOptions{BaseURL: s.URL()},
	})
}

func TestAnswersNameTheirTier(t *testing.T) {
	s := start(t, Options{})
	for _, client := range []*genai.Client{geminitest.API(t, s), globalClient(t, s)} {
		vertex := client.ClientConfig().Backend == genai.BackendVertexAI
		for _, tt := range []struct {
			name            string
			config          *genai.GenerateContentConfig
			traffic, header string
		}{
			{"standard", nil, "ON_DEMAND", "standard"},
			{"flex", atFlex(vertex), "ON_DEMAND_FLEX", "flex"},
		} {
			answer, err := client.Models.GenerateContent(t.Context(), "gemini-3.6-flash", genai.Text("q"), tt.config)
			if err != nil {
				t.Errorf("Vertex AI %v: %s: %v", vertex, tt.name, err)
				continue
			}
			traffic, header := string(answer.UsageMetadata.TrafficType), answer.SDKHTTPResponse.Headers.Get(apiTierHeader)
			if vertex && traffic != tt.traffic || !vertex && (traffic != "" || header != tt.header) {
				t.Errorf("Vertex AI %v: %s: trafficType %q, header %q; want %q or %q", vertex, tt.name, traffic, header, tt.traffic, tt.header)
			}
		}
		if calls := s.Calls(); calls[len(calls)-2].Tier != "" || calls[len(calls)-1].Tier != tierFlex {
			t.Errorf("Vertex AI %v: the log has the tiers %q and %q, want none and flex", vertex, calls[len(calls)-2].Tier, calls[len(calls)-1].Tier)
		}
	}
}

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

// A fault of a tier is met by its calls alone.
func TestFaultOfATier(t *testing.T) {
	s := start(t, Options{})
	for _, client := range []*genai.Client{geminitest.API(t, s), globalClient(t, s)} {
		config := func() *genai.GenerateContentConfig {
			return atFlex(client.ClientConfig().Backend == genai.BackendVertexAI)
		}
		for _, fault := range []Fault{{Type: RateLimited, Delay: time.Second}, {Type: Unavailable}} {
			fault.Tier = tierFlex
			s.SetFaults(fault)
			var e genai.APIError
			if _, err := client.Models.GenerateContent(t.Context(), "gemini-3.6-flash", genai.Text("q"), config()); !errors.As(err, &e) {
				t.Errorf("%s: flex = %v, want it refused", fault.Type, err)
			}
			if _, err := client.Models.GenerateContent(t.Context(), "gemini-3.6-flash", genai.Text("q"), nil); err != nil {
				t.Errorf("%s: standard = %v, want an answer", fault.Type, err)
			}
		}
		s.SetFaults()
	}
}
