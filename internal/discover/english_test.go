package discover_test

import (
	"slices"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
)

// planIn is a plan of five queries in what a model calls a language.
func planIn(language string) discover.SearchPlan {
	var p discover.SearchPlan
	for _, q := range []string{"Kenya waste", "Kenya landfill", "Kenya sewage", "Kenya emissions", "Kenya inventory"} {
		p.Queries = append(p.Queries, discover.SearchQuery{Query: q, Language: language, Rank: len(p.Queries) + 1, TargetType: "inventory"})
	}
	return p
}

// Queries in English are kept whatever a model calls the language. A run whose plan has none is never
// accepted with nothing sought.
func TestEnglishOnly(t *testing.T) {
	for _, test := range []struct {
		language string
		warns    bool
	}{{"en-US", false}, {"English", false}, {"Kiswahili", true}} {
		l := newLabSerial(t, site.Options{})
		l.Gemini.Script(emulated.Answer{Kind: answers.KindSearchPlan, JSON: planIn(test.language)})
		r := l.run(discover.Request{Country: "Kenya", Sector: "waste", EnglishOnly: true, Limits: discover.Limits{Iterations: 1}})
		if slices.Contains(r.Warnings, discover.WarnNoPlan) != test.warns || (r.Searches == 0) != test.warns || r.Action == "accept" && r.Searches == 0 {
			t.Errorf("a plan in %q: %d searches, %s, warnings %q", test.language, r.Searches, r.Action, r.Warnings)
		}
	}
}
