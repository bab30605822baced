package discover

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/fetch"
)

// newReader returns a pipeline that reads pages of a server, and does nothing else.
func newReader(t *testing.T, server *httptest.Server) *Pipeline {
	t.Helper()
	world := emulate.Start(t, emulate.Storage)
	if err := world.Storage.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	fetcher, err := fetch.New(fetch.Config{Agent: "whatis/test (+https://example.com)", Allow: strings.TrimPrefix(server.URL, "http://"), Delay: time.Millisecond, MaxDelay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return &Pipeline{Config: Config{Fetch: fetcher, Reader: webdoc.NewReader(webdoc.Limits{}), Objects: blob.New(emulate.StorageClient(t, world)), Bucket: "results"}}
}

// A dataset whose interface is closed is read from its page, also by an attempt that finds the
// copy of one that was killed.
func TestResumedBehindAClosedInterface(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch w.Header().Set("Content-Type", "text/html"); r.URL.Path {
		case "/api":
			w.WriteHeader(http.StatusForbidden)
		case "/dataset/1":
			http.Redirect(w, r, "/dataset/waste", http.StatusFound)
		default:
			_, _ = w.Write([]byte("<p>Emissions of waste, 1990 to 2020"))
		}
	}))
	defer server.Close()
	p := newReader(t, server)
	for _, attempt := range []string{"the first attempt", "a second"} {
		s := onKenya(nil)
		s.Phase = fetching
		s.add(Page{URL: server.URL + "/dataset/1", Source: sourceCatalogue, Fetch: server.URL + "/api"})
		if err := p.fetchPages(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if page := s.Pages[0]; page.URL != server.URL+"/dataset/waste" || page.Fetch != "" || page.Status != fetched {
			t.Errorf("%s: the page is %+v, want the one that it redirects to", attempt, page)
		}
	}
}
