package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/fetch"

	"example.com/whatis/internal/jobs/queue"

	"example.com/whatis/internal/jobs"
)

// discoveriesIn adds the discovery agent to c, over a small web.
func (w *whatis) discoveriesIn(t *testing.T, c *api.Config) {
	t.Helper()
	small, err := site.Start(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(small.Close)
	pages, err := fetch.New(fetch.Config{Agent: "whatis/test (+https://example.com)", Allow: small.Allow(), Delay: time.Millisecond, MaxDelay: time.Millisecond, Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pages.Close)
	model, _ := w.model(t)
	db := w.FirestoreClient(t)
	p, err := discover.New(discover.Config{
		Gemini: model, Fetch: pages, Search: &discover.Brave{BaseURL: small.SearchURL(), Token: small.Token()}, Objects: blob.New(emulate.StorageClient(t, w.World)), Bucket: "results",
		DB: db, Runs: jobs.NewStore(db, jobs.Options{Collection: jobs.Runs}), Tasks: &queue.Publisher{Tasks: queue.NewTopic(w.PubSubClient(t).TopicAdminClient, "projects/emulated/topics/discoveries")},
		Models: discover.Models{Thinking: "emulated-thinking", Structured: "emulated-structured", Relevance: "emulated-relevance"}, Portals: []discover.Portal{}, EmulatedWeb: []string{"Argentina", "Mendoza", "Rosario", "Kenya"},
	})
	if err != nil {
		t.Fatal(err)
	}
	dispatcher := queue.NewDispatcher()
	discover.Handle(dispatcher, func(context.Context) (*discover.Pipeline, error) { return p, nil })
	w.deliver(t, "discoveries", dispatcher)
	c.Discover = func(context.Context) (*discover.Pipeline, error) { return p, nil }
	c.Times.Poll = 20 * time.Millisecond
}

// seek opens the view of discoveries.
func seek(t *testing.T) (*whatis, *tab) {
	t.Helper()
	w := serve(t, false, (*whatis).discoveriesIn)
	b := open(t, w.url+"/#discover")
	b.shows("#runs", "No runs yet")
	return w, b
}

// choice selects a value of a select or of radio buttons.
func (b *tab) choice(name, value string) {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const field = document.getElementById("discover").elements[%q];
		field.value = %q;
		document.getElementById("discover").querySelector("[name=" + %[1]q + "]:checked, select[name=" + %[1]q + "]").dispatchEvent(new Event("change", {bubbles: true}));
	}`, name, value)))
}

// begin fills in the fields of the form, given as names and values, and submits it.
func (b *tab) begin(fields ...string) {
	b.Helper()
	b.until(listening)
	for i := 0; i < len(fields); i += 2 {
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.getElementById("discover").elements[%q].value = %q`, fields[i], fields[i+1])))
	}
	b.click("#discover .buttons button")
}

// outcome returns the result of the run that the page shows.
func (w *whatis) outcome(t *testing.T, b *tab) (r discover.Result) {
	t.Helper()
	id := eval[string](b, `location.hash.split("/")[1]`)
	resp, err := http.Get(w.url + "/discover/" + id + "/result")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&r); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET result of %s = %s, %v", id, resp.Status, err)
	}
	return r
}

// little are limits that end a run soon.
var little = []string{"max_iterations", "1", "max_searches", "2", "max_pages", "12"}

// asked returns the request of the run that the page shows.
func (w *whatis) asked(t *testing.T, b *tab) discover.Request {
	t.Helper()
	resp, err := http.Get(w.url + eval[string](b, `"/" + location.hash.slice(1)`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var s discover.Status
	if err := json.NewDecoder(resp.Body).Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s.Request
}
