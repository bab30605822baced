package analyze_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
)

// result returns a complete result of row 5.
func result(edit func(*analyze.Result)) analyze.Result {
	r := analyze.Result{
		Description: "description",
		Identification: &analyze.Identification{
			ProductName: "Barley Tea", ProductNameConfidence: 0.8, Brand: "Haetsal", BrandConfidence: 0.8, Source: analyze.FromGoogleSearch,
		},
		InferenceTime: "3.00s", TokenUsage: analyze.TokenUsage{Input: 1, Output: 2, Total: 3}, CostUSD: 0.01,
		Decision:  &analyze.Decision{Row: 5, Suspicions: []analyze.Suspicion{}},
		Citations: []gemini.Citation{{Title: "title", URI: "https://shop.example/tea"}}, SearchSuggestions: "<b>chips</b>",
		ModelCalls: analyze.ModelCalls{Generate: 3, Embed: 1, GroundedQueries: 1}, Country: "KR", Lang: "ko",
		Image: &analyze.Image{URI: "gs://photos/other.jpg", Generation: 1, SHA256: "other"},
	}
	if edit != nil {
		edit(&r)
	}
	return r
}

func TestDoubtful(t *testing.T) {
	tests := []struct {
		name string
		edit func(*analyze.Result)
		want bool
	}{
		{"found", nil, false},
		{"failed", func(r *analyze.Result) { *r = r.Failed("message", true) }, true},
		{"no product", func(r *analyze.Result) { *r = analyze.Result{Error: analyze.NotAProduct} }, false},
		{"not identified", func(r *analyze.Result) { r.Identification = nil }, true},
		{"not decided", func(r *analyze.Result) { r.Decision = nil }, true},
		{"nobody knew it", func(r *analyze.Result) { r.Decision.Row = 6 }, true},
		{"suspicious", func(r *analyze.Result) { r.Decision.Suspicions = []analyze.Suspicion{analyze.NameUnread} }, true},
		{"at 0.7", func(r *analyze.Result) { r.ProductNameConfidence = 0.7 }, true},
		{"above 0.7", func(r *analyze.Result) { r.ProductNameConfidence = 0.71 }, false},
	}
	for _, test := range tests {
		if got := result(test.edit).Doubtful(); got != test.want {
			t.Errorf("%s: Doubtful = %v, want %v", test.name, got, test.want)
		}
	}
}

// A cached result has no cost, keeps the product, and has no citations or search
// suggestions of Google.
func TestFromCache(t *testing.T) {
	photo := *picture(t)
	photo.SHA256 = "sha256"
	req := analyze.Request{Photo: &photo, Origins: []analyze.Origin{{URI: "gs://photos/tea.jpg", Generation: 2}}, Country: "US", Lang: "en"}
	first := result(nil)
	want := `{"product_name":"Barley Tea","product_name_confidence":0.8,"category":"","brand":"Haetsal","brand_confidence":0.8,` +
		`"image_features":"","key_features":null,"expiration_date":"","source":"google_search",` +
		`"inference_time":"0.00s","token_usage":{"input_tokens":0,"output_tokens":0,"total_tokens":0},` +
		`"decision":{"row":5,"suspicions":[]},"country":"US","lang":"en",` +
		`"image":{"uri":"gs://photos/tea.jpg","generation":"2","sha256":"sha256","width":64,"height":48,"mime_type":"image/jpeg"},` +
		`"cached":true,"age_seconds":90,"outcome":"product"}`
	first.Description = ""
	got, err := json.Marshal(first.FromCache(req, 90*time.Second+time.Millisecond))
	if err != nil || string(got) != want {
		t.Errorf("FromCache =\n%s, %v; want\n%s", got, err, want)
	}
	if len(first.Citations) != 1 || first.CostUSD == 0 || first.Image.SHA256 != "other" {
		t.Errorf("FromCache changed the result it is of: %+v", first)
	}
}

func TestFailed(t *testing.T) {
	for _, retryable := range []bool{true, false} {
		r := result(nil).Failed("message", retryable)
		if r.Error != analyze.AnalysisFailed || r.Message != "message" || r.Retryable == nil || *r.Retryable != retryable {
			t.Errorf("Failed(message, %v) = %q, %q, retryable %v", retryable, r.Error, r.Message, r.Retryable)
		}
		if r.Description != "" || r.Identification != nil || r.Decision != nil {
			t.Errorf("Failed keeps %q, %+v, %+v; want none of what the photo shows", r.Description, r.Identification, r.Decision)
		}
		if r.TokenUsage.Total != 3 || r.CostUSD != 0.01 || r.ModelCalls.Generate != 3 || r.Image == nil {
			t.Errorf("Failed = %+v, want what was spent and on what", r)
		}
	}
}

// All that affects the answer changes the key; the photo's URI does not.
func TestKey(t *testing.T) {
	b := newBench(t, nil)
	seen := map[string]string{b.pipeline.Key(b.req): "the request"}
	for name, change := range map[string]func(*bench){
		"bytes":           func(b *bench) { b.req.Photo = &photo.Photo{SHA256: "other"} },
		"country":         func(b *bench) { b.req.Country = "US" },
		"lang":            func(b *bench) { b.req.Lang = "en" },
		"policy":          func(b *bench) { b.req.Policy = policyNamed(t, "strict") },
		"second look":     func(b *bench) { b.req.SecondLook = analyze.Always },
		"image model":     func(b *bench) { b.config.Models.Image = "other" },
		"judge model":     func(b *bench) { b.config.Models.Judge = "other" },
		"embedding model": func(b *bench) { b.config.Space.Model = "other" },
		"shop":            func(b *bench) { b.config.Shop = "other" },
	} {
		other := *b
		change(&other)
		other.build()
		key := other.pipeline.Key(other.req)
		if same, ok := seen[key]; ok {
			t.Errorf("Key is the same for another %s as for %s", name, same)
		}
		seen[key] = "another " + name
	}
	elsewhere := b.req
	elsewhere.Origins, elsewhere.Attempts = []analyze.Origin{{URI: "gs://photos/tea.jpg", Generation: 2}}, 3
	if got, want := b.pipeline.Key(elsewhere), b.pipeline.Key(b.req); got != want {
		t.Errorf("Key of the photo elsewhere = %s, want %s", got, want)
	}
}

// New names the missing field of Config.
func TestNewRefuses(t *testing.T) {
	b := newBench(t, nil)
	for field, drop := range map[string]func(*analyze.Config){
		"Config.Gemini":       func(c *analyze.Config) { c.Gemini = nil },
		"Config.Catalog":      func(c *analyze.Config) { c.Catalog = nil },
		"Config.Models.Image": func(c *analyze.Config) { c.Models.Image = "" },
		"Config.Models.Judge": func(c *analyze.Config) { c.Models.Judge = "" },
		"Config.Space":        func(c *analyze.Config) { c.Space.Model = "" },
		"Config.Shop":         func(c *analyze.Config) { c.Shop = "" },
	} {
		c := b.config
		drop(&c)
		if _, err := analyze.New(c); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("New without %s = %v, want an error that names it", field, err)
		}
	}
	for name, req := range map[string]analyze.Request{"a photo": {Policy: b.req.Policy}, "a policy": {Photo: b.photo}} {
		if _, err := b.pipeline.Run(t.Context(), req, nil); err == nil {
			t.Errorf("Run without %s = nil error, want one", name)
		}
	}
}
