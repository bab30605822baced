package site_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"example.com/whatis/emulators/site"
)

func start(t *testing.T, o site.Options) *site.Server {
	t.Helper()
	s, err := site.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// get asks the server for an address of its web.
func get(t *testing.T, s *site.Server, address string) (status int, body string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr()+u.RequestURI(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = u.Host
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text)
}

// Every dataset of the truth is on its page, word for word, and its files and copies
// are there.
func TestTruthIsServed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		s := start(t, site.Options{Seed: seed})
		if n := len(s.Pages()); n < 60 {
			t.Errorf("seed %d has %d pages, want 60 at least", seed, n)
		}
		if len(s.Places()) != 4 {
			t.Errorf("seed %d has the places %v", seed, s.Places())
		}
		for _, d := range s.Truth() {
			status, body := get(t, s, d.URL)
			if old := !utf8.ValidString(body) && d.Tier == "university"; status != 200 || !strings.Contains(html.UnescapeString(body), d.Quote) && !old {
				t.Errorf("seed %d: %s answers %d without the quote %q", seed, d.URL, status, d.Quote)
			}
			if len(d.Files) == 0 || len(d.Sectors) == 0 || d.LastYear <= d.FirstYear {
				t.Errorf("seed %d: the truth has %+v", seed, d)
			}
			for _, address := range slices.Concat(d.Files, d.Also) {
				if status, _ := get(t, s, address); status != 200 {
					t.Errorf("seed %d: %s answers %d", seed, address, status)
				}
			}
		}
		for _, a := range s.Absent() {
			if _, body := get(t, s, a.URL); !strings.Contains(html.UnescapeString(body), a.Quote) {
				t.Errorf("seed %d: %s does not say %q", seed, a.URL, a.Quote)
			}
		}
	}
}

type answer struct {
	Type string
	Web  struct {
		Results []struct{ Title, URL, Description, Language string }
	}
	Query struct {
		More bool `json:"more_results_available"`
	}
	Error struct{ Code string }
}

func search(t *testing.T, s *site.Server, token, query string) (*http.Response, answer) {
	t.Helper()
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.SearchURL()+"/res/v1/web/search?"+query, nil)
	if token != "" {
		r.Header.Set("X-Subscription-Token", token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var a answer
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	return response, a
}

func TestSearchRefuses(t *testing.T) {
	t.Parallel()
	s := start(t, site.Options{Seed: 1, PerMonth: 2})
	for _, c := range []struct {
		token, query string
		status       int
		code         string
	}{
		{"", "q=a", 401, "SUBSCRIPTION_TOKEN_MISSING"},
		{"wrong", "q=a", 422, "SUBSCRIPTION_TOKEN_INVALID"},
		{s.Token(), "q=", 422, "VALIDATION"},
		{s.Token(), "q=a&count=21", 422, "VALIDATION"},
		{s.Token(), "q=a&offset=10", 422, "VALIDATION"},
		{s.Token(), "q=a&search_lang=zh", 422, "VALIDATION"},
		{s.Token(), "q=a&search_lang=ja", 422, "VALIDATION"},
		{s.Token(), "q=" + strings.Repeat("a", 401), 422, "VALIDATION"},
		{s.Token(), "q=" + strings.Repeat("a+", 51), 422, "VALIDATION"},
		{s.Token(), "q=emissions", 200, ""},
		{s.Token(), "q=emissions", 200, ""},
		{s.Token(), "q=emissions", 429, "QUOTA_LIMITED"},
	} {
		r, a := search(t, s, c.token, c.query)
		if r.StatusCode != c.status || a.Error.Code != c.code || c.code != "" && a.Type != "ErrorResponse" {
			t.Errorf("search(%q, %.20q) = %d %q, want %d %q", c.token, c.query, r.StatusCode, a.Error.Code, c.status, c.code)
		}
		if c.status == 200 && r.Header.Get("X-RateLimit-Policy") != "50;w=1, 2;w=2592000" {
			t.Errorf("the policy is %q", r.Header.Get("X-RateLimit-Policy"))
		}
	}
}

// Nothing that speaks to machines can be seen on a page of a dataset, or is found by
// the search engine in one.
func TestInjections(t *testing.T) {
	t.Parallel()
	s := start(t, site.Options{Seed: 1})
	n := 0
	for _, d := range s.Truth() {
		if _, body := get(t, s, d.URL); strings.Contains(body, site.Injected) {
			n++
		}
	}
	if n < 8 {
		t.Errorf("%d pages of datasets hold an injected text, want 8 at least", n)
	}
}
