package siege

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/whatis/docs"
	"example.com/whatis/emulators/emulate"
)

// An attack is a request that is made to do harm, and what it gets.
type attack struct {
	kind, what string
	method     string // POST unless set
	path       string
	header     map[string]string
	body       string
	status     int
	says       string // stands in the answer
	calls      int    // of a model; none unless set
	access     string // who reaches the service; open unless set
}

// leaks are texts that no answer may have: of Go, of its sources, of what the process runs on.
var leaks = []string{"goroutine ", "runtime error", ".go:", "127.0.0.1", "dial tcp", "rpc error", "storage.googleapis", "http://127"}

// Each attack gets its answer within seconds, in the form of every answer, without a call
// of a model, and without a word about the inside; and the process keeps nothing of it.
func TestAttacks(t *testing.T) {
	w, services := underAttack(t)
	p := services["open"]
	goroutines := 0
	for round := range 2 { // the first one opens what stays open
		for _, a := range attacks() {
			calls := len(w.Gemini.Calls())
			a.check(t, services[cmp.Or(a.access, "open")])
			if n := len(w.Gemini.Calls()) - calls; n != a.calls {
				t.Errorf("%s, %s: %d calls of a model, want %d", a.kind, a.what, n, a.calls)
			}
		}
		http.DefaultClient.CloseIdleConnections()
		if round == 0 {
			time.Sleep(time.Second)
			goroutines = p.goroutines(t)
		}
	}
	for end := time.Now().Add(5 * time.Second); p.goroutines(t) > goroutines && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
	}
	if n := p.goroutines(t); n > goroutines+5 {
		t.Errorf("%d goroutines after the second round, %d after the first", n, goroutines)
	}
	p.within(t, 512)
	attack{what: "the health check", method: "GET", path: "/health", status: http.StatusOK, says: "ok"}.check(t, p)
}

// check sends the attack and checks its answer.
func (a attack) check(t *testing.T, p *instance) {
	t.Helper()
	begin := time.Now()
	status, header, answer := a.send(t, p)
	if status != a.status || !strings.Contains(answer, a.says) {
		t.Errorf("%s, %s: %d %.300q; want %d with %q", a.kind, a.what, status, answer, a.status, a.says)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("%s, %s took %v", a.kind, a.what, took)
	}
	for _, leak := range leaks {
		if strings.Contains(answer, leak) {
			t.Errorf("%s, %s: the answer says %q: %.300q", a.kind, a.what, leak, answer)
		}
	}
	if kind := header.Get("Content-Type"); status >= 400 && !strings.HasPrefix(kind, "application/problem+json") && !strings.Contains(answer, `"jsonrpc"`) {
		t.Errorf("%s, %s is answered as %q, %.100q; want a problem document", a.kind, a.what, kind, answer)
	}
}

// underAttack starts the API, in each of the ways in which it may be reached. Beside the
// buckets of the service there is one that is private.
func underAttack(t *testing.T) (*emulate.World, map[string]*instance) {
	t.Helper()
	w := emulate.Start(t)
	if err := w.PubSub.CreateTopic("projects/" + w.Project + "/topics/tasks"); err != nil {
		t.Fatal(err)
	}
	for _, bucket := range []string{"uploads", "results", "private"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	w.Put(t, "private", "secret.jpg", []byte("secret"))
	return w, map[string]*instance{
		"open":   start(t, w, "HOST=127.0.0.1", "TASKS_TOPIC=tasks", goroutineFile+"="+filepath.Join(t.TempDir(), "goroutines")),
		"public": start(t, w, "TASKS_TOPIC=tasks", "ACCESS=public", "CALLER_AUDIENCES="+audience, "OWNERS="+owner),
		"iap":    start(t, w, "TASKS_TOPIC=tasks", "ACCESS=iap", "CALLER_AUDIENCES="+audience, "OWNERS="+owner),
	}
}

// verb returns the attack's method.
func (a attack) verb() string { return cmp.Or(a.method, http.MethodPost) }

// setHeader sets the header of r, and its host.
func setHeader(r *http.Request, header map[string]string) {
	for name, value := range header {
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
}

func (a attack) send(t *testing.T, p *instance) (status int, header http.Header, answer string) {
	t.Helper()
	var resp *http.Response
	var err error
	for range 3 { // who refuses a body may close the connection before all of it was sent
		var r *http.Request
		if r, err = http.NewRequestWithContext(t.Context(), a.verb(), "http://"+p.address+a.path, strings.NewReader(a.body)); err != nil {
			t.Fatalf("%s, %s: %v", a.kind, a.what, err)
		}
		setHeader(r, a.header)
		if resp, err = http.DefaultClient.Do(r); err == nil {
			break
		}
	}
	if err != nil {
		t.Errorf("%s, %s: %v", a.kind, a.what, err)
		return 0, nil, ""
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("%s, %s: %v", a.kind, a.what, err)
	}
	return resp.StatusCode, resp.Header, string(data)
}

// What each attack gets stands in docs/security.md.
func TestDocsAttacks(t *testing.T) {
	var b strings.Builder
	b.WriteString("| kind | attack | gets |\n| --- | --- | --- |\n")
	for _, a := range attacks() {
		says := ""
		if a.says != "" {
			says = fmt.Sprintf(" `%s`", strings.ReplaceAll(a.says, "|", "\\|"))
		}
		kind := a.kind
		if a.access != "" {
			kind += ", " + a.access
		}
		fmt.Fprintf(&b, "| %s | %s | %d%s |\n", kind, a.what, a.status, says)
	}
	docs.Section(t, "security.md", "attacks", b.String())
}
