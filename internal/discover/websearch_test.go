package discover

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/fetch"
)

func startSearch(t *testing.T, o site.Options) (*site.Server, *Brave) {
	t.Helper()
	s, err := site.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, &Brave{BaseURL: s.SearchURL(), Token: s.Token()}
}

func TestFind(t *testing.T) {
	_, c := startSearch(t, site.Options{})
	hits, err := c.Find(t.Context(), "Kenya waste emissions", "en", 10)
	if err != nil || len(hits) == 0 || len(hits) > 10 {
		t.Fatalf("Find = %d hits, %v", len(hits), err)
	}
	seen := map[string]bool{}
	for _, h := range hits {
		if address, err := fetch.Canonical(h.URL); err != nil || address != h.URL || seen[h.URL] || h.Title == "" || strings.Contains(h.Title+h.Snippet, "<strong>") {
			t.Errorf("hit %+v: not canonical, there before, or with markup (%v)", h, err)
		}
		seen[h.URL] = true
	}
	if hits, err := c.Find(t.Context(), "xyzzy plugh", "", 10); err != nil || len(hits) > 0 {
		t.Errorf("Find of what nobody writes = %v, %v", hits, err)
	}
}

// A search engine is asked for no files of four kinds, within what Brave takes of a query.
func TestLeftOut(t *testing.T) {
	var asked []string
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.FormValue("q"))
		_, _ = w.Write([]byte("{}"))
	}))
	t.Cleanup(engine.Close)
	for _, e := range []WebSearch{&Brave{BaseURL: engine.URL}, &SearXNG{BaseURL: engine.URL}} {
		if _, err := e.Find(t.Context(), "Kenya waste", "en", 10); err != nil || asked[len(asked)-1] != "Kenya waste -filetype:xls -filetype:doc -filetype:ppt -filetype:zip" {
			t.Errorf("%T asks for %q, %v", e, asked, err)
		}
	}
	if words, letters := maxWords+len(strings.Fields(leftOut)), maxLetters+len(leftOut); words > 50 || letters > 400 {
		t.Errorf("a query may have %d words and %d characters, Brave takes 50 and 400", words, letters)
	}
}

// Each language of a query is asked for as Brave calls it, or left out where Brave has none: it
// refuses other codes, and with them the query.
func TestBraveLanguages(t *testing.T) {
	_, c := startSearch(t, site.Options{})
	for _, language := range []string{"en", "es", "ja", "zh", "pt", "no", "nb", "id", "sw", "fa", "km", "PT", "English", ""} {
		if hits, _, err := c.ask(t.Context(), "Kenya waste emissions", language, 10); err != nil || len(hits) == 0 {
			t.Errorf("a query in %q finds %d, %v", language, len(hits), err)
		}
	}
	for language, want := range map[string]string{"ja": "jp", "zh": "zh-hans", "pt": "pt-br", "vi": "vi", "sw": ""} {
		if got := braveLanguage(language); got != want {
			t.Errorf("braveLanguage(%s) = %q, want %q", language, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	_, c := startSearch(t, site.Options{PerMonth: 1})
	if _, err := c.Find(t.Context(), "Kenya", "en", 10); err != nil {
		t.Fatal(err)
	}
	if _, wait, err := c.ask(t.Context(), "Kenya", "en", 10); !errors.Is(err, errQuota) || wait != 0 {
		t.Errorf("ask beyond the quota = %v, %v, want not to try again, and errQuota", wait, err)
	}
	c.Token = "wrong"
	if _, err := c.Find(t.Context(), "Kenya", "en", 10); err == nil || strings.Contains(err.Error(), "wrong") {
		t.Errorf("Find with a wrong key = %v, want an error without it", err)
	}
}

// SearXNG is asked in a form that it takes, whatever a query holds, and its refusals are told
// from its outages.
func TestSearXNG(t *testing.T) {
	web, err := site.Start(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	c := &SearXNG{BaseURL: web.SearXNGURL() + "/"}
	for _, test := range []struct {
		query, language string
		found           bool
	}{
		{"Kenya waste emissions", "en", true}, {"Kenya waste emissions", "English", true}, {"!!evil :de Kenya waste emissions", "", true}, {"xyzzy plugh", "en", false},
	} {
		hits, err := c.Find(t.Context(), test.query, test.language, 7)
		if err != nil || len(hits) > 7 || len(hits) > 0 != test.found {
			t.Errorf("Find(%q, %q) = %d hits, %v, want some: %v", test.query, test.language, len(hits), err, test.found)
		}
	}
	for _, test := range []struct {
		of   site.Options
		wait time.Duration
		want string
	}{
		{site.Options{NoJSON: true}, 0, "search.formats"}, {site.Options{Unresponsive: true}, 5 * time.Second, "none of the engines"},
	} {
		web, err := site.Start(test.of)
		if err != nil {
			t.Fatal(err)
		}
		hits, wait, err := (&SearXNG{BaseURL: web.SearXNGURL()}).ask(t.Context(), "Kenya waste", "en", 10)
		if web.Close(); len(hits) > 0 || err == nil || wait != test.wait || !strings.Contains(err.Error(), test.want) {
			t.Errorf("ask with %+v = %v, %v, %v, want %q and to wait %v", test.of, hits, wait, err, test.want, test.wait)
		}
	}
}
