package function_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/site"
)

// checkFrames prints the own functions between a pushed event and a call of the model's
// SDK, and holds how many there are: whoever reads a stack reads them all.
func checkFrames(t *testing.T, what string, frames []string, most int) {
	t.Helper()
	for i, f := range frames {
		t.Logf("%2d %s", i+1, f)
	}
	if len(frames) == 0 || len(frames) > most {
		t.Errorf("%s: %d own frames from the event to the SDK's call, want 1 to %d", what, len(frames), most)
	}
}

// A discovery's first task calls the planner, and a later one the deepest of its models.
func TestFramesOfADiscovery(t *testing.T) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	w := emulate.Start(t)
	web, err := site.Start(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	web.Truth() // makes the web, which on a busy machine takes longer than a page may
	for _, line := range append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "TASKS_TOPIC=tasks", "LONG_TASKS_TOPIC=", "K_SERVICE=",
		"FETCH_ALLOW="+web.Allow(), "BRAVE_SEARCH_API_KEY="+web.Token(), "BRAVE_SEARCH_BASE_URL="+web.SearchURL(), "EMULATED_WEB=Kenya",
		"THINKING_MODEL=emulated-thinking", "STRUCTURED_MODEL=emulated-structured", "RELEVANCE_CHECK_MODEL=emulated-relevance") {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
	}
	if err := w.Storage.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	stacks := modelStacks(t)
	if err := w.Events.Add(eventarc.Route{Topic: "tasks", Endpoint: eventarc.Endpoint(serve(t, "Task"), w.Project, "tasks"), AckDeadline: time.Minute}); err != nil {
		t.Fatal(err)
	}
	const task = `{"agent":"discover","kind":"slice","payload":{"id":"20260101-000000-00000000","slice":0,"begun":"2026-01-01T00:00:00Z",
		"request":{"country":"Kenya","sector":"waste","limits":{"max_iterations":1,"max_searches":1,"max_pages":4}}}}`
	if err := w.Events.Publish("tasks", []byte(task), nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := w.Events.Wait(ctx); err != nil {
		t.Fatalf("the tasks do not settle: %v, %+v", err, w.Events.Stats())
	}
	all := stacks()
	if len(all) < 3 {
		t.Fatalf("%d calls of models, want those of a whole discovery", len(all))
	}
	checkFrames(t, "planner", all[0], 19)
	checkFrames(t, "the deepest", slices.MaxFunc(all, func(a, b []string) int { return len(a) - len(b) }), 20)
}

// modelStacks returns what gives the own frames of each call of a model for an answer,
// the outermost first.
func modelStacks(t *testing.T) func() [][]string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(file)) + "/"
	transport := http.DefaultTransport.(*http.Transport)
	before := transport.Proxy
	t.Cleanup(func() { transport.Proxy = before })
	var mu sync.Mutex
	var all [][]string
	// The client of the models clones the transport, which asks for its proxy in the
	// goroutine of the caller.
	transport.Proxy = func(r *http.Request) (*url.URL, error) {
		if !strings.HasSuffix(r.URL.Path, ":generateContent") {
			return nil, nil
		}
		var own []string
		pc := make([]uintptr, 200)
		frames := runtime.CallersFrames(pc[:runtime.Callers(1, pc)])
		for {
			f, more := frames.Next()
			if strings.HasPrefix(f.Function, "google.golang.org/genai.") {
				own = nil // what it calls, such as our transport, is not on the way to it
			}
			if strings.HasPrefix(f.File, root) && !strings.HasSuffix(f.File, "_test.go") {
				own = append([]string{strings.TrimPrefix(f.Function, "example.com/whatis/")}, own...)
			}
			if !more {
				break
			}
		}
		mu.Lock()
		defer mu.Unlock()
		all = append(all, own)
		return nil, nil
	}
	return func() [][]string {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}
