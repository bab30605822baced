package discover_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
)

// On the small web, precision and recall are 0.9 at least with the emulated model and with a
// perfect one, and without a model nothing is found: at the default seed, and at others in
// other languages. By default that is measured on a few requests, on all of
// them where DISCOVER_SEEDS names seeds, divided by spaces.
func TestPrecisionAndRecall(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	for name, model := range map[string]emulate.Service{"none": emulate.NoModel, "perfect": emulate.PerfectModel, "emulated": emulate.Gemini} {
		for _, m := range measures(t) {
			t.Run(fmt.Sprint(name, m.seed), func(t *testing.T) { measureWeb(t, model, m) })
		}
	}
}

func measureWeb(t *testing.T, model emulate.Service, m measured) {
	l := newLabWith(t, model, site.Options{Seed: m.seed}, nil)
	var all site.Score
	for _, place := range l.web.Places() {
		for _, r := range requests(place) {
			if m.only != nil && !m.only(place, r) {
				continue
			}
			result := l.run(r)
			s := l.measure(place, result.Sectors, result)
			t.Logf("%s %s: %+v, %s after %d iterations, %d calls, %d searches, %d pages", place.Name, r.Sector, s, result.Action, result.Iterations, result.Calls, result.Searches, len(result.Sources))
			all = all.Add(s)
		}
	}
	t.Logf("precision %.3f, recall %.3f (%+v)", all.Precision(), all.Recall(), all)
	if none := model == emulate.NoModel; none && all.Records > 0 || all.Truth == 0 {
		t.Errorf("%d records without a model, of %d: want none, as code judges no page", all.Records, all.Truth)
	} else if !none && (all.Precision() < 0.9 || all.Recall() < 0.9) {
		t.Errorf("precision %.3f, recall %.3f of %d, want 0.9 at least", all.Precision(), all.Recall(), all.Truth)
	}
}

// A measured web is one of a seed, and which requests it is measured by; nil is all.
type measured struct {
	seed uint64
	only func(site.Place, discover.Request) bool
}

// measures are the webs of DISCOVER_SEEDS, or else a country and the city at the default
// seed, and a region at another that is in Korean.
func measures(t *testing.T) (all []measured) {
	for seed := range strings.FieldsSeq(os.Getenv("DISCOVER_SEEDS")) {
		n, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			t.Fatalf("DISCOVER_SEEDS has %q: use numbers, divided by spaces", seed)
		}
		all = append(all, measured{seed: n})
	}
	if all != nil {
		return all
	}
	return []measured{
		{0, func(p site.Place, r discover.Request) bool {
			return p.Kind == "city" || p.Country == "AR" && r.Region == "" && r.Sector == "waste"
		}},
		{3, func(p site.Place, r discover.Request) bool { return p.Kind == "region" && r.Sector == "transportation" }},
	}
}

// requests are what may be asked of a place.
func requests(p site.Place) (all []discover.Request) {
	if p.Kind == "city" {
		return []discover.Request{{City: p.Local, Country: p.Country}}
	}
	for _, sector := range discover.Sectors {
		r := discover.Request{Country: p.Country, Sector: sector}
		if p.Kind == "region" {
			r.Region = p.Region + " " + p.Local
		}
		all = append(all, r)
	}
	return all
}
