package discover

import (
	"errors"
	"strings"
	"testing"

	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover/fetch"
)

func startSearch(t *testing.T, o site.Options) (*site.Server, *Search) {
	t.Helper()
	s, err := site.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, &Search{BaseURL: s.SearchURL(), Token: s.Token()}
}

func TestFind(t *testing.T) {
	_, c := startSearch(t, site.Options{})
	hits, err := c.Find(t.Context(), "Kenya waste emissions", "en")
	if err != nil || len(hits) == 0 || len(hits) > maxHits {
		t.Fatalf("Find = %d hits, %v", len(hits), err)
	}
	seen := map[string]bool{}
	for _, h := range hits {
		if address, err := fetch.Canonical(h.URL); err != nil || address != h.URL || seen[h.URL] || h.Title == "" || strings.Contains(h.Title+h.Snippet, "<strong>") {
			t.Errorf("hit %+v: not canonical, there before, or with markup (%v)", h, err)
		}
		seen[h.URL] = true
	}
	if hits, err := c.Find(t.Context(), "xyzzy plugh", ""); err != nil || len(hits) > 0 {
		t.Errorf("Find of what nobody writes = %v, %v", hits, err)
	}
}

func TestRefused(t *testing.T) {
	_, c := startSearch(t, site.Options{PerMonth: 1})
	if _, err := c.Find(t.Context(), "Kenya", "en"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Find(t.Context(), "Kenya", "en"); !errors.Is(err, errQuota) {
		t.Errorf("Find beyond the quota = %v, want errQuota", err)
	}
	c.Token = "wrong"
	if _, err := c.Find(t.Context(), "Kenya", "en"); err == nil || strings.Contains(err.Error(), "wrong") {
		t.Errorf("Find with a wrong key = %v, want an error without it", err)
	}
}
