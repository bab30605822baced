package search_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/usererror"
)

func TestBadInput(t *testing.T) {
	b := newBench(t).stock("eyewear", []byte(numbered))
	number := func(n int) *int { return &n }
	long := strings.Repeat("a", search.MaxQuery+1)
	tests := []struct {
		name, field string
		req         search.Request
	}{
		{"nothing", "query", search.Request{}},
		{"spaces", "query", search.Request{Query: " \n"}},
		{"an analysis alone", "query", search.Request{Analysis: &search.FaceAnalysis{FaceDetected: true}}},
		{"too long", "query", search.Request{Query: long}},
		{"no text", "query", search.Request{Query: "a\xff"}},
		{"limit 0", "limit", search.Request{Query: "a", Limit: number(0)}},
		{"limit 51", "limit", search.Request{Query: "a", Limit: number(51)}},
		{"weights NaN", "weights", search.Request{Query: "a", Weights: &search.Weights{Text: math.NaN(), Image: 1}}},
		{"weights infinite", "weights", search.Request{Query: "a", Weights: &search.Weights{Text: math.Inf(1)}}},
		{"weights negative", "weights", search.Request{Query: "a", Weights: &search.Weights{Text: 1, Image: -1}}},
		{"weights zero", "weights", search.Request{Query: "a", Weights: &search.Weights{}}},
		{"min over max", "price", search.Request{Query: "a", Price: &search.PriceRange{Min: 2, Max: 1}}},
		{"price NaN", "price", search.Request{Query: "a", Price: &search.PriceRange{Max: math.NaN()}}},
		{"currency", "price", search.Request{Query: "a", Price: &search.PriceRange{Max: 1, Currency: "đồng"}}},
		{"too many shapes", "analysis_result", search.Request{Query: "a", Analysis: &search.FaceAnalysis{RecommendedFrameShapes: make([]string, 21)}}},
		{"language", "lang", search.Request{Query: "a", Lang: "fr"}},
		{"shop", "shop", search.Request{Query: "a", Shop: "nowhere"}},
		{"like", "like", search.Request{Like: "none"}},
		{"like another", "like", search.Request{Like: strings.Repeat("0", 32)}},
		{"expect", "expect", search.Request{Query: "a", Expect: "none"}},
		{"filter", "filters", search.Request{Query: "a", Filters: map[string]search.Choices{"color": {"ultraviolet"}}}},
		{"facet", "filters", search.Request{Query: "a", Filters: map[string]search.Choices{"taste": {"sweet"}}}},
		{"brand", "filters", search.Request{Query: "a", Filters: map[string]search.Choices{"brand": {"Gucci"}}}},
	}
	for _, test := range tests {
		_, err := b.pipeline.Run(t.Context(), test.req, nil)
		var input *search.InputError
		if !errors.As(err, &input) || input.Field != test.field {
			t.Errorf("%s: %v, want an InputError on %s", test.name, err, test.field)
		} else if text, ok := usererror.Message(err); !ok || !strings.Contains(text, "send") {
			t.Errorf("%s: callers read %q, which does not say what to send", test.name, text)
		}
	}
	var picture *photo.Error
	for _, data := range []string{"no picture", "\x89PNG\r\n\x1a\n\x00\x00"} {
		if _, err := b.pipeline.Run(t.Context(), search.Request{Query: "a", Image: []byte(data)}, nil); !errors.As(err, &picture) {
			t.Errorf("image %q: %v, want a *photo.Error", data, err)
		}
	}
	if n := len(b.Gemini.Calls()); n != 0 {
		t.Errorf("bad input cost %d model calls", n)
	}
}

func TestParseFaceAnalysis(t *testing.T) {
	for text, want := range map[string]bool{
		`{"face_detected":true,"face_shape":"oval","recommended_frame_shapes":["square"],"more":1}`: true, `{"face_detected":false}`: true,
		``: false, `null`: false, `[]`: false, `{}`: false, `{"face_detected":"yes"}`: false, `{"face_detected":true,"recommended_frame_shapes":"square"}`: false, `{"face_detected":true`: false,
	} {
		a, err := search.ParseFaceAnalysis([]byte(text))
		var input *search.InputError
		if want && (err != nil || a == nil) || !want && (!errors.As(err, &input) || input.Field != "analysis_result") {
			t.Errorf("ParseFaceAnalysis(%s) = %+v, %v", text, a, err)
		}
	}
}

// The skill answers, and reports invalid input as such.
func TestSkill(t *testing.T) {
	b := newBench(t).stock("eyewear", []byte(numbered))
	s := search.Skill(b.pipelineOf)
	events := 0
	out, err := s.Run(t.Context(), []byte(`{"query":"frame"}`), func(*agent.Event) { events++ })
	if err != nil || !strings.Contains(string(out), `"name":"Numbered"`) || events < 12 {
		t.Errorf("Run = %s, %v, %d events", out, err, events)
	}
	for _, in := range []string{`{}`, `{"query":"a","limit":0}`, `{"query":"a","shop":"x"}`, `{"query":"a","image":"bm8="}`, `{"query":"a","lang":"fr"}`, `{"query":"a","analysis_result":"x"}`} {
		if _, err := s.Run(t.Context(), []byte(in), nil); !errors.Is(err, agent.ErrInput) || strings.Contains(err.Error(), "search:") {
			t.Errorf("Run(%s) = %v, want ErrInput in plain words", in, err)
		}
	}
}
