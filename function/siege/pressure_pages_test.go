package siege

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/jobs"
)

// A hostileWeb is a search engine and all that it finds: hostile documents.
type hostileWeb struct {
	*httptest.Server
	documents []site.HostileDocument

	mu    sync.Mutex
	found int             // documents that searches were answered with so far
	until int             // and those that they may be answered with
	asked map[string]bool // paths
}

// newHostileWeb returns a web of all hostile documents, and then of a costly one eight times.
func newHostileWeb(t *testing.T) *hostileWeb {
	all := site.Hostile()
	h := &hostileWeb{documents: all, until: len(all), asked: map[string]bool{}}
	costly := slices.IndexFunc(all, func(d site.HostileDocument) bool { return d.Name == "selectors with children" })
	h.documents = append(h.documents, slices.Repeat([]site.HostileDocument{all[costly]}, 8)...)
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

// extensions are those of the documents' names, by content type.
var extensions = map[string]string{"text/html": ".html", "text/csv": ".csv", "application/xml": ".xml", "application/pdf": ".pdf"}

func (h *hostileWeb) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n, err := strconv.Atoi(strings.TrimSuffix(path.Base(r.URL.Path), path.Ext(r.URL.Path)))
	switch {
	case strings.HasSuffix(r.URL.Path, "/web/search"):
		h.search(w)
	case err != nil || n >= len(h.documents):
		http.NotFound(w, r)
	default:
		h.asked[r.URL.Path] = true
		w.Header().Set("Content-Type", h.documents[n].ContentType)
		_, _ = w.Write(h.documents[n].Body)
	}
}

// search answers with the next ten documents, each on a host of its own.
func (h *hostileWeb) search(w http.ResponseWriter) {
	type hit struct {
		URL   string `json:"url"`
		Title string `json:"title"`
	}
	hits := []hit{}
	for ; h.found < h.until && len(hits) < 10; h.found++ {
		extension, ok := extensions[h.documents[h.found].ContentType]
		if !ok {
			extension = ".xlsx"
		}
		hits = append(hits, hit{fmt.Sprintf("http://host%d.example.org/data/%d%s", h.found, h.found, extension), "Emissions"})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"web": map[string]any{"results": hits}}) // the client may have gone
}

// All hostile documents of a web are read by discoveries on one instance of 512 MB, four at a
// time, and it goes on; each is left out, or read. A discovery that is cancelled while it
// reads one ends within 2 s.
func TestHostilePages(t *testing.T) {
	if os.Getenv("WHATIS_SIEGE") == "" {
		t.Skip("it takes half a minute of a core: set WHATIS_SIEGE=1")
	}
	web := newHostileWeb(t)
	all := web.until
	api, task := discoverers(t, emulate.Start(t), "FETCH_ALLOW=*="+web.Listener.Addr().String(), "BRAVE_SEARCH_API_KEY=key", "BRAVE_SEARCH_BASE_URL="+web.URL, "EMULATED_WEB=Kenya")
	peak := task.watchMemory(t)
	begin := time.Now()
	var runs []string
	for _, sector := range []string{"waste", "transportation", "ippu", "afolu"} { // each with two searches for ten
		runs = append(runs, api.discover(t, sector))
	}
	var read, left int
	for _, id := range runs {
		r := api.discovered(t, id)
		for _, s := range r.Sources {
			t.Logf("%s: %s, %s", s.URL, s.Status, s.Reason)
			switch {
			case strings.Contains(s.Reason, "did not answer"), s.Status == "pending":
				t.Errorf("%s was not read: %s, %s", s.URL, s.Status, s.Reason)
			case strings.Contains(s.Reason, "time or memory"), strings.Contains(s.Reason, "damaged"):
				left++
			default:
				read++
			}
		}
	}
	t.Logf("%d documents in %v: %d read, %d left out; at most %.0f MB", len(web.asked), time.Since(begin).Round(100*time.Millisecond), read, left, peak())
	if len(web.asked) != all || read+left != all {
		t.Errorf("%d documents were asked for, %d read, %d left out; want %d", len(web.asked), read, left, all)
	}
	api.cancelWhileReading(t, web)
	if most := peak(); most >= 512 {
		t.Errorf("the instance took %.0f MB, want under 512", most)
	}
	select {
	case err := <-task.ended:
		t.Errorf("the instance has ended: %v", err)
	default:
	}
}

// discoverers starts the processes that begin discoveries and do them, the second as deployed.
func discoverers(t *testing.T, w *emulate.World, env ...string) (api, task *instance) {
	t.Helper()
	if err := w.Storage.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	env = append(env, "TASKS_TOPIC=tasks", "LONG_TASKS_TOPIC=", "THINKING_MODEL=emulated-thinking", "STRUCTURED_MODEL=emulated-structured", "RELEVANCE_CHECK_MODEL=emulated-relevance")
	task = start(t, w, append(env, "FUNCTION_TARGET=Task")...)
	err := w.Events.Add(eventarc.Route{
		Topic: "tasks", Endpoint: eventarc.Endpoint("http://"+task.address, w.Project, "tasks"), AckDeadline: 10 * time.Minute, MinBackoff: 50 * time.Millisecond, MaxBackoff: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return start(t, w, env...), task
}

// discover begins a discovery with two searches, and returns its ID.
func (p *instance) discover(t *testing.T, sector string) string {
	t.Helper()
	return p.begin(t, fmt.Sprintf(`{"country":"Kenya","sector":%q,"english_only":true,"limits":{"max_iterations":1,"max_searches":2}}`, sector))
}

// begin begins a discovery, and returns its ID.
func (p *instance) begin(t *testing.T, body string) string {
	t.Helper()
	var s discover.Status
	p.call(t, http.MethodPost, "/discover", body, &s)
	if s.ID == "" {
		t.Fatalf("POST /discover with %s has no ID", body)
	}
	return s.ID
}

// status returns the status of a discovery.
func (p *instance) status(t *testing.T, id string) (s discover.Status) {
	t.Helper()
	p.call(t, http.MethodGet, "/discover/"+id, "", &s)
	return s
}

// discovered waits for the result of a discovery.
func (p *instance) discovered(t *testing.T, id string) (r discover.Result) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); !p.status(t, id).State.Over(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("discovery %s does not end: %+v", id, p.status(t, id))
		}
	}
	p.call(t, http.MethodGet, "/discover/"+id+"/result", "", &r)
	return r
}

// cancelWhileReading begins a discovery of the documents that are left, cancels it while one
// is read, and expects its end within 2 s.
func (p *instance) cancelWhileReading(t *testing.T, web *hostileWeb) {
	t.Helper()
	web.mu.Lock()
	web.until = len(web.documents)
	before := len(web.asked)
	web.mu.Unlock()
	id := p.discover(t, "stationary_energy")
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		web.mu.Lock()
		asked := len(web.asked) - before
		web.mu.Unlock()
		if asked > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the last discovery reads nothing")
		}
	}
	p.cancel(t, id)
}

// cancel cancels a discovery, and expects its end within 2 s.
func (p *instance) cancel(t *testing.T, id string) {
	t.Helper()
	var s discover.Status
	begin := time.Now()
	p.call(t, http.MethodDelete, "/discover/"+id, "", &s)
	for ; !s.State.Over() && time.Since(begin) < 30*time.Second; time.Sleep(20 * time.Millisecond) {
		s = p.status(t, id)
	}
	took := time.Since(begin)
	t.Logf("cancelled after %v: %s", took.Round(10*time.Millisecond), s.State)
	if s.State != jobs.Canceled || took > 2*time.Second {
		t.Errorf("a cancelled discovery is %s after %v, want %s within 2 s", s.State, took, jobs.Canceled)
	}
}

// call sends a request to the API and decodes the answer.
func (p *instance) call(t *testing.T, method, at, body string, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+p.address+at, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode > 299 {
		err = fmt.Errorf("%s: %s", resp.Status, answer)
	}
	if err == nil {
		err = json.Unmarshal(answer, into)
	}
	if err != nil {
		t.Fatalf("%s %s: %v", method, at, err)
	}
}

// watchMemory returns a function that tells the most memory, in MB, that the process and its
// children had at one time so far. What they read of the binary counts once, as in an
// instance, and as the program's (see within).
func (p *instance) watchMemory(t *testing.T) func() float64 {
	t.Helper()
	var mu sync.Mutex
	var most float64
	ended, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		for {
			now := ownMemory(p.Process.Pid) + binaryMB
			mu.Lock()
			most = max(most, now)
			mu.Unlock()
			select {
			case <-ended:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() { close(ended); <-left })
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return most
	}
}

// ownMemory returns what a process and its children have in memory of their own, in MB.
func ownMemory(pid int) (mb float64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // nothing of one that has ended
	for line := range strings.Lines(string(status)) {
		if name, value, _ := strings.Cut(line, ":"); name == "RssAnon" || name == "RssShmem" {
			kB, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			mb += float64(kB) / 1024
		}
	}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // a thread that has ended has none
	for _, name := range threads {
		children, _ := os.ReadFile(name)
		for child := range strings.FieldsSeq(string(children)) {
			if id, err := strconv.Atoi(child); err == nil {
				mb += ownMemory(id)
			}
		}
	}
	return mb
}
