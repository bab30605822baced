package discover_test

import (
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/goldens"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/gemini"
)

// The first request of each step, as it is sent by the models of the default
// configuration. A country asks by the guide of its sector, a city by those of all.
func TestRequests(t *testing.T) {
	files := goldens.Open(t)
	var tap *goldens.Tap
	l := newLab(t, site.Options{}, func(l *lab, c *discover.Config) {
		tap = files.Tap(t, l.Gemini.URL())
		model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: tap.URL, AllowEmulated: true, Backoff: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		c.Gemini = model
		c.AtOnce = 1 // so that the first request is always the same
		c.Models = discover.Models{Thinking: "gemini-3.6-flash", Structured: "gemini-3.5-flash-lite", Relevance: "gemini-3.5-flash-lite", Effort: gemini.ThinkLow}
	})
	l.Gemini.Script(emulated.Answer{Kind: answers.KindReview, JSON: discover.Review{
		RelevanceScore: "High", CredibilityScore: "High", CompletenessScore: "Low", OverallConfidence: "Medium",
		SuggestedAction: "deep_dive", RefinementDetails: "Read the archive of the ministry.",
	}})
	l.run(discover.Request{Country: "Argentina", Sector: "waste", Limits: discover.Limits{Iterations: 2}})
	tap.CompareFirst(t, map[string]string{
		`"primary_languages"`: "planner", `"is_relevant"`: "relevance", `"promising_pages"`: "raw_review",
		`"method_of_access"`: "extractor", `"suggested_action"`: "reviewer", `"action_type"`: "deep_diver",
	})
	for _, place := range l.web.Places() {
		if place.Kind == "city" {
			l.run(discover.Request{City: place.Local, Country: place.Country, Limits: discover.Limits{Iterations: 1, Searches: 1}})
			break
		}
	}
	tap.CompareFirst(t, map[string]string{`"primary_languages"`: "planner_city", `"method_of_access"`: "extractor_city"})
}
