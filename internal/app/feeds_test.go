package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
)

// A file at an address is fetched once for an import, however often that is interrupted: an attempt whose download
// breaks off stores nothing, and one that is killed among its products is continued in the file with which it began.
func TestImportOfAnAddress(t *testing.T) {
	s := openShelf(t)
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/feed.jsonl":
			file := ""
			for i := range 1000 {
				file += fmt.Sprintf(`{"product_name":"Tea %d of %d","brand":"Acme","key_features":["a"]}`+"\n", i, requests.Load())
			}
			if requests.Add(1) == 1 {
				w.Header().Set("Content-Length", fmt.Sprint(len(file)))
				file = file[:len(file)/2]
			}
			_, _ = fmt.Fprint(w, file)
		case "/inside":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	s.app.objects, s.app.Platform.ResultsBucket = given(s.objects), "results"
	s.app.Config.Discover = Discover{Allow: "*=" + server.Listener.Addr().String(), Emulated: []string{"here"}}
	task := func(second int64, address string) queue.Delivery {
		m := message(second, "")
		m.Data = []byte(strings.Replace(string(m.Data), "gs://results/products.jsonl", address, 1))
		return m
	}
	feed := task(1, "http://shop.example/feed.jsonl?key=secret")
	if err := s.deliver(t.Context(), feed); err == nil {
		t.Error("a download that breaks off is imported")
	}
	killed := func(context.Context) error { return errors.New("killed") }
	s.behind.Store(&killed)
	if err := s.deliver(t.Context(), feed); err == nil {
		t.Error("an import that is killed has ended")
	}
	s.behind.Store(nil)
	if err := s.deliver(t.Context(), feed); err != nil {
		t.Fatal(err)
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("the file was asked for %d times, want twice: it broke off once", n)
	}
	docs, err := s.db.Collection("products").Documents(t.Context()).GetAll()
	if err != nil || len(docs) != 1000 {
		t.Fatalf("%d products, %v; want the 1000 of one file", len(docs), err)
	}
	if from := fmt.Sprint(docs[0].Data()["provenance"]); from != "[http://shop.example/feed.jsonl]" {
		t.Errorf("a product is from %s; want the address without its query, which may hold a secret", from)
	}
	for second, address := range []string{"http://shop.example/inside", "http://shop.example/gone", "http://169.254.169.254/", "http://localhost/feed.xml"} {
		m := task(int64(second+2), address)
		if err := s.deliver(t.Context(), m); err != nil {
			t.Errorf("%s is tried again: %v", address, err)
		}
		record, err := s.executor.(*jobs.Executor[importResult, any]).Work.Get(t.Context(), s.id(m))
		if err != nil {
			t.Fatal(err)
		}
		if r, err := jobs.Decode[importResult](record.Result); err != nil || r.Error != "import_failed" || r.Imports != (catalog.Imports{}) || r.Message == "" {
			t.Errorf("%s ends as %+v, %v; want import_failed, with why", address, r, err)
		}
	}
}
