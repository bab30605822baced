package discover_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/discover"
)

// drawnSeeds is the number of drawn webs that are searched: all with WHATIS_LONG.
func drawnSeeds() uint64 {
	if os.Getenv("WHATIS_LONG") != "" {
		return 20
	}
	return 2
}

// A perfect model finds nearly all that a web has whose shapes and words were written without
// these rules, invents nothing, and every quote stands where it is said to.
func TestDrawnWebs(t *testing.T) {
	for seed := range drawnSeeds() {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			l := newLabWith(t, emulate.PerfectModel, site.Options{Drawn: true, Seed: seed}, nil)
			place, sector := l.web.Places()[0], site.DrawnSector(seed)
			r := l.run(discover.Request{Country: place.Country, Sector: sector})
			score := l.measure(place, []string{sector}, r)
			t.Logf("%s, %s: precision %.2f of %d, recall %.2f of %d; %d calls, %d searches, %d pages, %s", place.Name, sector, score.Precision(), score.Records, score.Recall(), score.Truth, r.Calls, r.Searches, len(r.Sources), r.Action)
			if score.Recall() < 0.9 || score.Precision() < 0.97 {
				t.Errorf("precision %.2f, recall %.2f, want 0.97 and 0.9", score.Precision(), score.Recall())
			}
			kept := func(ctx context.Context, name string) ([]byte, error) {
				data, _, err := l.Objects.Read(ctx, blob.ObjectRef{Bucket: l.Bucket, Name: name}, 32<<20)
				return data, err
			}
			if os.Getenv("SHOW") != "" {
				for _, d := range r.Log {
					t.Logf("LOG %s %s %s", d.Agent, d.Action, d.Reason)
				}
			}
			if broken, err := discover.Verify(t.Context(), r, kept); err != nil || len(broken) > 0 {
				t.Errorf("Verify = %v, %v", broken, err)
			}
		})
	}
}
