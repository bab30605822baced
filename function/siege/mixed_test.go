package siege

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
)

// All agents have honest callers, and a tenth of all requests is an attack. Each instance
// has one core and 512 MB: it is not killed, answers no 5xx but 503, takes no more memory
// and goroutines in the second half than in the first, and each honest upload gets its
// result. WHATIS_MIXED is how long, such as 10m.
func TestMixedTraffic(t *testing.T) {
	long(t)
	lasts := 20 * time.Second
	if text := os.Getenv("WHATIS_MIXED"); text != "" {
		var err error
		if lasts, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	m := mix(t)
	halfway, end := time.Now().Add(lasts/2), time.Now().Add(lasts)
	var crowd sync.WaitGroup
	for range 8 {
		crowd.Go(func() {
			for time.Now().Before(end) {
				m.request(int(m.n.Add(1)))
			}
		})
	}
	var first, second load
	for now := range time.Tick(500 * time.Millisecond) {
		if now.After(end) {
			break
		}
		if now.Before(halfway) {
			first.add(m.load())
		} else {
			second.add(m.load())
		}
	}
	crowd.Wait()
	m.settle()
	m.report(first, second)
}

// A mixed is a world of all agents, its instances and what they answered.
type mixed struct {
	*siege
	api, task *instance
	web       *site.Server
	attacks   []attack
	n         atomic.Int64

	mu       sync.Mutex
	statuses map[string]map[int]int // by what was asked
	shots    []shot
	wrong    []string
}

// mix starts an instance of each function, of one core.
func mix(t *testing.T) *mixed {
	t.Helper()
	web, err := site.Start(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	w := emulate.Start(t)
	if err := w.PubSub.CreateTopic("projects/" + w.Project + "/topics/tasks"); err != nil {
		t.Fatal(err)
	}
	env := []string{"GOMAXPROCS=1", "TASKS_TOPIC=tasks", "FETCH_ALLOW=" + web.Allow(), "BRAVE_SEARCH_API_KEY=" + web.Token(), "BRAVE_SEARCH_BASE_URL=" + web.SearchURL(),
		"EMULATED_WEB=Kenya;Argentina", "THINKING_MODEL=emulated-thinking", "STRUCTURED_MODEL=emulated-structured", "RELEVANCE_CHECK_MODEL=emulated-relevance"}
	m := &mixed{siege: buildIn(t, w, 1, env...), web: web, attacks: slices.DeleteFunc(attacks(), func(a attack) bool { return a.access != "" }), statuses: map[string]map[int]int{}}
	m.open(eventarc.Route{})
	stockShop(t, w)
	m.api = start(t, w, append(slices.Clone(env), goroutineFile+"="+filepath.Join(t.TempDir(), "goroutines"))...)
	m.task = start(t, w, append(slices.Clone(env), "FUNCTION_TARGET=Task")...)
	err = w.Events.Add(eventarc.Route{Topic: "tasks", Endpoint: eventarc.Endpoint("http://"+m.task.address, w.Project, "tasks"),
		AckDeadline: 100 * time.Second, MinBackoff: 50 * time.Millisecond, MaxBackoff: time.Second, Concurrency: 4})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// stockShop imports a shop of eyewear.
func stockShop(t *testing.T, w *emulate.World) {
	t.Helper()
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true})
	if err != nil {
		t.Fatal(err)
	}
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		t.Fatal(err)
	}
	_, err = catalog.Import{
		Catalog: catalog.New(w.FirestoreClient(t)), Shop: "eyewear", Space: space, Country: "VN", Lang: "vi",
		Embed: func(ctx context.Context, texts []string) ([][]float32, error) {
			return model.Embed(ctx, gemini.EmbedRequest{Model: space.Model, Prefix: space.Prefix, Texts: texts})
		},
	}.Run(t.Context(), bytes.NewReader(samples.EyewearFile("gs://pictures/")))
	if err != nil {
		t.Fatal(err)
	}
}

// request makes the nth request.
func (m *mixed) request(n int) {
	get := func(what, path string) { m.ask(what, http.MethodGet, path, nil, "", "") }
	sendJSON := func(what, path, body string) { m.ask(what, http.MethodPost, path, asJSON, body, "") }
	switch n % 20 {
	case 0, 10:
		a := m.attacks[n/10%len(m.attacks)]
		m.ask("attack", a.verb(), a.path, a.header, a.body, "")
	case 1, 2, 3, 4, 5:
		m.uploadOne(n)
	case 6, 7, 8, 9:
		sample := samples.All()[0]
		body := append(numbered(n), sample.Bytes()[2:]...)
		m.ask("analyze", http.MethodPost, "/analyze?country="+sample.Country+"&lang="+sample.Lang, map[string]string{"Content-Type": "image/jpeg"}, string(body), sample.Truth.Name)
	case 11, 12, 13:
		sendJSON("search", "/search/text", `{"shop":"eyewear","query":"`+[]string{"round black frames", "gọng vuông", "titanium"}[n%3]+`"}`)
	case 14, 15:
		get("forecast", "/forecast/"+[]string{"Seoul", "Hanoi", "London"}[n%3])
	case 16:
		get("page", []string{"/", "/openapi.json", "/docs/"}[n%3])
	case 17:
		get("results", "/results?limit=20")
	case 18:
		sendJSON("batch", "/batches", `{"prefix":"gs://uploads/`+fmt.Sprintf("p%03d", n)+`","dry_run":true}`)
	case 19:
		if n%200 == 19 {
			sendJSON("discover", "/discover", `{"country":"Kenya","sector":"waste","limits":{"max_iterations":1,"max_searches":1,"max_pages":4}}`)
			return
		}
		get("discoveries", "/discover")
	}
}

// uploadOne uploads a photo that has a result of its own.
func (m *mixed) uploadOne(n int) {
	s := shot{mark: fmt.Sprintf("p%03d", n), way: allWays[n%len(allWays)], data: pixels(uint64(n))}
	m.mu.Lock()
	m.shots = append(m.shots, s)
	m.mu.Unlock()
	m.Gemini.Script(s.script()...)
	if _, err := m.put("uploads", s.name(), s.mark, s.data); err != nil {
		m.blame("upload %s: %v", s.mark, err)
	}
}

// ask makes a request, whose answer must have want if it is 200.
func (m *mixed) ask(what, method, path string, header map[string]string, body, want string) {
	status, retry, answer, err := m.send(method, path, header, body)
	if errors.Is(err, syscall.ECONNRESET) && what == "attack" {
		return // a body that is refused need not be read to its end
	}
	if err != nil {
		m.blame("%s %s: %v", method, path, err)
		return
	}
	m.mu.Lock()
	if m.statuses[what] == nil {
		m.statuses[what] = map[int]int{}
	}
	m.statuses[what][status]++
	m.mu.Unlock()
	switch {
	case status >= 500 && status != http.StatusServiceUnavailable:
		m.blame("%s %s: %d %.300s", method, path, status, answer)
	case status == http.StatusServiceUnavailable && retry == "":
		m.blame("%s %s: 503 without Retry-After: %.300s", method, path, answer)
	case status == http.StatusOK && !strings.Contains(answer, want):
		m.blame("%s %s: %.300s, want %q", method, path, answer, want)
	case what != "attack" && status >= 400 && status != http.StatusServiceUnavailable && status != http.StatusTooManyRequests && !(what == "batch" && status == http.StatusUnprocessableEntity):
		m.blame("%s %s: %d %.300s", method, path, status, answer)
	}
}

func (m *mixed) send(method, path string, header map[string]string, body string) (status int, retry, answer string, err error) {
	r, err := http.NewRequestWithContext(m.t.Context(), method, "http://"+m.api.address+path, strings.NewReader(body))
	if err != nil {
		return 0, "", "", err
	}
	setHeader(r, header)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header.Get("Retry-After"), string(data), err
}

func (m *mixed) blame(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wrong = append(m.wrong, fmt.Sprintf(format, args...))
}

// A load is the most that the instances took of memory, in MB, and of goroutines.
type load struct {
	api, task, upload float64
	goroutines        int
}

func (l *load) add(more load) {
	l.api, l.task, l.upload = max(l.api, more.api), max(l.task, more.task), max(l.upload, more.upload)
	l.goroutines = max(l.goroutines, more.goroutines)
}

func (l load) String() string {
	return fmt.Sprintf("API %.0f, Task %.0f, Upload %.0f MB, %d goroutines", l.api, l.task, l.upload, l.goroutines)
}

// load returns what the instances take now.
func (m *mixed) load() load {
	upload := &instance{Cmd: m.processes[0].cmd}
	return load{m.api.memory(m.t, "VmRSS"), m.task.memory(m.t, "VmRSS"), upload.memory(m.t, "VmRSS"), m.api.goroutines(m.t)}
}

// report fails the test for what went wrong.
func (m *mixed) report(first, second load) {
	m.t.Helper()
	for _, shot := range m.shots {
		if r, ok := m.result(shot.name()); !ok || r.Source != shot.way.source || r.ProductName != shot.product() {
			m.blame("%s (%s) has the result %+v", shot.mark, shot.way.name, r)
		}
	}
	statuses, _ := json.Marshal(m.statuses) // of numbers
	m.t.Logf("%d requests, %d uploads: %s; first half %v; second half %v", m.n.Load(), len(m.shots), statuses, first, second)
	if len(m.wrong) > 0 {
		m.t.Errorf("%d answers are wrong:\n\t%s", len(m.wrong), lines(m.wrong))
	}
	for name, p := range map[string]*instance{"API": m.api, "Task": m.task, "Upload": {Cmd: m.processes[0].cmd}} {
		if peak := p.memory(m.t, "VmHWM") - p.memory(m.t, "RssFile") + binaryMB; peak >= 512 {
			m.t.Errorf("%s took %.0f MB, want under 512", name, peak)
		}
	}
	if second.goroutines > first.goroutines*3/2 {
		m.t.Errorf("%d goroutines in the second half, %d in the first", second.goroutines, first.goroutines)
	}
	for _, half := range [][2]float64{{first.api, second.api}, {first.task, second.task}, {first.upload, second.upload}} {
		if half[1] > half[0]*1.25+20 {
			m.t.Errorf("an instance took %.0f MB in the second half, %.0f in the first", half[1], half[0])
		}
	}
}

// goroutineFile in the environment of an instance names the file in which it writes how
// many goroutines it has.
const goroutineFile = "WHATIS_TEST_GOROUTINES"

// goroutines returns the number that the instance wrote last.
func (p *instance) goroutines(tb testing.TB) int {
	tb.Helper()
	i := slices.IndexFunc(p.Env, func(line string) bool { return strings.HasPrefix(line, goroutineFile+"=") })
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		data, err := os.ReadFile(strings.TrimPrefix(p.Env[i], goroutineFile+"="))
		if n, _ := strconv.Atoi(string(data)); err == nil && n > 0 {
			return n
		}
		if time.Now().After(end) {
			tb.Fatalf("the instance wrote no number of goroutines: %v", err)
		}
	}
}
