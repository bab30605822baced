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
	"example.com/whatis/internal/discover/fetch"
	"example.com/whatis/internal/discover/webdoc"
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
		page, err := a.Get(t.Context(), "pages/1", server.URL+"/page")
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
	if _, err := a.Get(t.Context(), "pages/2", server.URL+"/none"); err == nil || errors.As(err, &fault) {
		t.Errorf("Get of a dead link = %v, want a fault of the page", err)
	}
	a.Bucket = "elsewhere"
	if _, err := a.Get(t.Context(), "pages/1", server.URL+"/page"); !errors.As(err, &fault) {
		t.Errorf("Get without a bucket = %v, want a fault of the storage", err)
	}
}
