package discover

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/fetch"
)

// A page is asked for once: then it is read from the bucket, where it also lies as it
// came. A missing page is an error of the page, and is not kept.
func TestArchiveGet(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/page" {
			http.NotFound(w, r)
			return
		}
		asked.Add(1)
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>Waste</title><p>Emissions of waste, 1990 to 2020"))
	}))
	t.Cleanup(server.Close)
	w := emulate.Start(t, emulate.Storage)
	if err := w.Storage.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	pages, err := fetch.New(fetch.Config{Agent: "whatis/test (+https://example.com)", Allow: strings.TrimPrefix(server.URL, "http://"), Delay: time.Millisecond, MaxDelay: time.Millisecond, Timeout: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	a := archive{Fetch: pages, Reader: webdoc.NewReader(webdoc.Limits{}), Objects: blob.New(emulate.StorageClient(t, w)), Bucket: "results"}
	if _, err := a.Kept(t.Context(), "pages/1"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Kept of nothing = %v", err)
	}
	for range 2 {
		page, err := a.Get(t.Context(), "pages/1", server.URL+"/page", new(AgentState).admits)
		if err != nil || !strings.Contains(page.Document.Markdown, "Emissions of waste, 1990 to 2020") || page.Document.Title != "Waste" {
			t.Fatalf("Get = %+v, %v", page, err)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the page was asked for %d times, want once", n)
	}
	raw, _, err := a.Objects.Read(t.Context(), blob.ObjectRef{Bucket: "results", Name: "pages/1"}, 1<<20)
	if err != nil || !strings.HasPrefix(string(raw), "<title>") {
		t.Errorf("the page as it came is %q, %v", raw, err)
	}
	var fault *outageError
	if _, err := a.Get(t.Context(), "pages/2", server.URL+"/none", new(AgentState).admits); err == nil || errors.As(err, &fault) {
		t.Errorf("Get of a dead link = %v, want a fault of the page", err)
	}
	a.Bucket = "elsewhere"
	if _, err := a.Get(t.Context(), "pages/1", server.URL+"/page", new(AgentState).admits); !errors.As(err, &fault) {
		t.Errorf("Get without a bucket = %v, want a fault of the storage", err)
	}
}

// A redirect into a domain that the run leaves out, or out of those that it keeps to, is not
// followed: nothing is asked for there, not even robots.txt, and nothing kept.
func TestRedirectOutside(t *testing.T) {
	var outside atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "stat.example.org" {
			outside.Add(1)
		}
		if to := map[string]string{"/out": "http://left.example.org/page", "/in": "/page"}[r.URL.Path]; to != "" {
			http.Redirect(w, r, to, http.StatusFound)
		}
	}))
	t.Cleanup(server.Close)
	w := emulate.Start(t, emulate.Storage)
	if err := w.Storage.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	pages, err := fetch.New(fetch.Config{Agent: "whatis/test (+https://example.com)", Allow: "*=" + strings.TrimPrefix(server.URL, "http://"), Delay: time.Millisecond, MaxDelay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	p := &Pipeline{Config: Config{Fetch: pages, Reader: webdoc.NewReader(webdoc.Limits{}), Objects: blob.New(emulate.StorageClient(t, w)), Bucket: "results"}}
	for i, s := range []*AgentState{
		{ID: "1", Limits: defaults, Request: Request{Pointing: Pointing{LeaveOut: []string{"left.example.org"}}}},
		{ID: "2", Limits: defaults, Deployment: Pointing{OnlyDomains: []string{"stat.example.org"}}},
	} {
		for path, status := range map[string]string{"/out": skipped, "/in": fetched} {
			s.add(Page{URL: "http://stat.example.org" + path})
			page := s.known("http://stat.example.org" + path)
			doc, err := p.getPage(t.Context(), s, page)
			if err := s.took(page, doc, err); err != nil || page.Status != status || status == skipped && !strings.Contains(page.Reason, "left.example.org") {
				t.Errorf("%d: %s is %s (%s), %v; want %s", i, path, page.Status, page.Reason, err, status)
			}
			if _, err := p.archive().Kept(t.Context(), page.Object); (err == nil) != (status == fetched) {
				t.Errorf("%d: %s is kept: %v", i, path, err)
			}
		}
	}
	if n := outside.Load(); n != 0 {
		t.Errorf("other domains were asked %d times", n)
	}
}
