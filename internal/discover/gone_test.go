package discover

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A record is gone if its page was read and does not print it any more, or if there is no such
// page. Of a run that was stopped, came elsewhere or found the host away, it is not looked at.
func TestGoneOnlyIfLookedAt(t *testing.T) {
	const quote = "Emissions of waste, 1990 to 2020"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/changed", "/unchosen":
			_, _ = w.Write([]byte("<p>This page is being renewed."))
		case "/there":
			_, _ = w.Write([]byte("<p>" + quote))
		case "/away":
			w.WriteHeader(http.StatusBadGateway)
		case "/removed":
			w.WriteHeader(http.StatusGone)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	p := newReader(t, server)
	s := onKenya(nil)
	s.Phase = fetching
	for _, path := range []string{"/changed", "/unchosen", "/there", "/away", "/missing", "/removed"} {
		s.add(Page{URL: server.URL + path})
	}
	if err := p.fetchPages(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	for _, page := range s.pages(fetched) {
		if page.Status = extracted; strings.HasSuffix(page.URL, "/unchosen") {
			page.skip(notChosen)
		}
	}
	s.add(Page{URL: server.URL + "/waits"})
	var before []StructuredDataItem
	for _, path := range []string{"/changed", "/unchosen", "/there", "/away", "/missing", "/removed", "/waits", "/elsewhere"} {
		before = append(before, StructuredDataItem{URL: server.URL + path, Name: path, Quote: quote, Sectors: []string{"waste"}, Subsectors: []Subsector{{path, "waste", path}}})
	}
	c, err := changes("x", before, nil, func(old StructuredDataItem) (string, error) { return p.unseen(t.Context(), s, old) })
	if err != nil {
		t.Fatal(err)
	}
	var gone, unseen []string
	for _, one := range c.Gone {
		gone = append(gone, one.Name)
	}
	for _, one := range c.NotLookedAt {
		if unseen = append(unseen, one.Name); one.Reason == "" {
			t.Errorf("%s was not looked at for no reason", one.Name)
		}
	}
	if got, want := strings.Join(gone, " ")+"; "+strings.Join(unseen, " "), "/changed /missing /removed; /unchosen /there /away /waits /elsewhere"; got != want {
		t.Errorf("gone and not looked at are %s, want %s", got, want)
	}
}
