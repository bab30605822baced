package gemini

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// start runs an emulator for the test.
func start(t testing.TB, o Options) *Server {
	t.Helper()
	o.Responders, o.Embed = []Responder{toy{}}, toyEmbed
	s, err := Start(o)
	if err != nil {
		t.Fatalf("Start(%+v): %v", o, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// The kinds of toy's requests.
const (
	kindPick   Kind = "pick"   // a schema with pick
	kindSearch Kind = "search" // a google search
)

// toy is a responder for the tests of the wire. It says which photos it was shown.
type toy struct{}

func (toy) Kinds(r *Request) (kinds []Kind) {
	properties, _ := r.ResponseSchema["properties"].(map[string]any)
	if properties["pick"] != nil {
		kinds = append(kinds, kindPick)
	}
	if r.Search {
		kinds = append(kinds, kindSearch)
	}
	return kinds
}

func (toy) Answer(_ context.Context, r *Request) (Answer, error) {
	a := Answer{JSON: map[string]any{"pick": len(r.Inline), "said": strings.Repeat("word ", 100)}}
	if r.Search {
		a.Grounding = &Grounding{
			Queries: r.Texts, Chunks: []GroundingChunk{{Web: WebSource{URI: "https://shop.example", Title: "shop"}}},
			Supports: []GroundingSupport{{Chunks: []int{0}, Segment: Segment{End: 1, Text: "{"}}},
		}
	}
	return a, nil
}

func toyEmbed(_ context.Context, text string, photos []Inline, dimensions int) ([]float32, error) {
	return toyVector(text, dimensions), nil
}

// toyVector points along the axis of the text's length.
func toyVector(text string, dimensions int) []float32 {
	v := make([]float32, dimensions)
	v[len(text)%dimensions] = 1
	return v
}

// post sends a raw body to a path of the emulator.
func post(t *testing.T, s *Server, path, body string) *http.Response {
	t.Helper()
	resp, err := http.Post(s.URL()+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatalf("POST %s: %v", path, err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}
