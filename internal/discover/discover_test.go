package discover_test

import (
	"cmp"
	"os"
	"strconv"
	"strings"
	"testing"

	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
)

var allSectors = []string{"afolu", "ippu", "stationary_energy", "transportation", "waste"}

// On the small web, precision and recall are 0.9 at least: at the default seed, and at
// others in other languages.
func TestPrecisionAndRecall(t *testing.T) {
	for _, o := range webs(t) {
		l := newLab(t, o, nil)
		var all score
		for _, place := range l.web.Places() {
			for _, r := range requests(place) {
				result := l.run(r)
				sectors := allSectors
				if r.Sector != "" {
					sectors = []string{r.Sector}
				}
				s := l.measure(place, sectors, result)
				t.Logf("seed %d, %s %s: %+v, %s after %d iterations, %d calls, %d searches, %d pages", o.Seed, place.Name, r.Sector, s, result.Action, result.Iterations, result.Calls, result.Searches, len(result.Sources))
				all.add(s)
			}
		}
		t.Logf("seed %d: precision %.3f, recall %.3f (%+v)", o.Seed, all.precision(), all.recall(), all)
		if all.precision() < 0.9 || all.recall() < 0.9 {
			t.Errorf("seed %d: precision %.3f, recall %.3f, want 0.9 at least", o.Seed, all.precision(), all.recall())
		}
	}
}

// webs are the small webs that are measured: those of the seeds in DISCOVER_SEEDS, or
// the default one and one that is in Korean.
func webs(t *testing.T) (all []site.Options) {
	for seed := range strings.FieldsSeq(cmp.Or(os.Getenv("DISCOVER_SEEDS"), "0 3")) {
		n, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			t.Fatalf("DISCOVER_SEEDS has %q: use numbers, divided by spaces", seed)
		}
		all = append(all, site.Options{Seed: n})
	}
	return all
}

// requests are what may be asked of a place.
func requests(p site.Place) (all []discover.Request) {
	if p.Kind == "city" {
		return []discover.Request{{City: p.Local, Country: p.Country}}
	}
	for _, sector := range allSectors {
		r := discover.Request{Country: p.Country, Sector: sector}
		if p.Kind == "region" {
			r.Region = p.Region + " " + p.Local
		}
		all = append(all, r)
	}
	return all
}
