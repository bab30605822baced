package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"example.com/whatis/internal/jobs/queue"

	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/samples"
)

// batches is a service with one batch, b1, whose streams are scripted.
type batches struct {
	mu      sync.Mutex
	asked   []string
	streams []string // of the events, one a request; the last again and again
	result  string
}

func serveBatches(t *testing.T, b *batches) (url string) {
	t.Helper()
	const status = `{"id":"b1","state":"expanding","prefix":"gs://u/","number":3,"bytes":2500000,"random":true,"seed":"77","ended":0,"cost_usd":0,"estimate":{"usd_low":0.01,"usd_high":0.3}}`
	mux := http.NewServeMux()
	answer := func(pattern string, code int, body string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			sent, _ := io.ReadAll(r.Body)
			b.note(strings.Join(strings.Fields(r.Method+" "+r.URL.Path+" "+string(sent)), " "))
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			fmt.Fprint(w, body)
		})
	}
	answer("POST /batches", 202, status)
	answer("GET /batches/b1", 200, status)
	answer("DELETE /batches/b1", 202, strings.Replace(status, "expanding", "cancelling", 1))
	answer("GET /batches/b1/result", 200, b.result)
	mux.HandleFunc("GET /batches/b1/events", func(w http.ResponseWriter, r *http.Request) {
		n := b.note("GET events " + r.Header.Get("Last-Event-ID"))
		w.Header().Set("Content-Type", "text/event-stream")
		stream := b.streams[min(n, len(b.streams))-1]
		fmt.Fprint(w, strings.TrimSuffix(stream, "hang"))
		if strings.HasSuffix(stream, "hang") {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		problemDocument(w, 404, "not_found", "there is no such batch")
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// note keeps what was asked, and returns how often that kind was.
func (b *batches) note(asked string) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = append(b.asked, asked)
	for _, a := range b.asked {
		if a[:8] == asked[:8] {
			n++
		}
	}
	return n
}

func item(index int, outcome, more string) string {
	return event(index+10, "item", fmt.Sprintf(`{"index":%d,"file":"gs://u/%d.jpg","outcome":%q,"cost_usd":0.01%s}`, index, index, outcome, more))
}

func ending(state, counts string) string {
	return event(99, "end", `{"id":"b1","state":"`+state+`","prefix":"gs://u/","number":3,"ended":3,"counts":{`+counts+`},"cost_usd":0.03,"estimate":{"usd_low":0,"usd_high":0},"result":"gs://r/result.json"}`)
}

const batchResult = `[{"file":"gs://u/0.jpg","result":{"product_name":"Tea","brand":"<B>"}},{"file":"gs://u/1.jpg","result":{"error":"analysis_failed","message":"m","retryable":false}},{"file":"gs://u/2.jpg","result":{}}]`

func TestBatch(t *testing.T) {
	tea := item(0, "image", `,"product_name":"Tea","brand":"B"`)
	failed := item(1, "failed", `,"reason":"the photo is damaged"`)
	last := item(2, "no_product", "")
	progress := event(3, "progress", `{"id":"b1","state":"running","prefix":"gs://u/","number":3,"ended":1,"cost_usd":0.01,"estimate":{"usd_low":0,"usd_high":0}}`)
	good, bad := ending("done", `"image":2,"no_product":1`), ending("done", `"image":2,"failed":1`)
	tests := []struct {
		name    string
		args    string
		streams []string
		code    int
		asked   string
		says    []string
	}{
		{
			"all well", "gs://u/ --out outputs/ --html page.html --country US --sample 3 --random --seed 77", []string{": hello\n\n" + tea + progress + last + item(1, "image", "") + good}, 0,
			`POST /batches { "prefix": "gs://u/", "sample": 3, "random": true, "seed": "77", "country": "US" }; GET events ; GET /batches/b1/result`,
			[]string{"batch b1 of 3 photos under gs://u/, 2.5 MB, about $0.01 to $0.30; --seed 77 draws them again", "[1/3] gs://u/0.jpg image: Tea, B\n", "[3/3] gs://u/2.jpg no_product\n", "batch b1 is done: 3 of 3 photos, 0 failed, $0.0300; outputs/result_", "; gs://r/result.json\n"},
		},
		{
			"cut twice, items repeated", "gs://u/", []string{tea, tea + failed, last + bad}, 1,
			`POST /batches { "prefix": "gs://u/" }; GET events ; GET events 10; GET events 11; GET /batches/b1/result`,
			[]string{"[2/3] gs://u/1.jpg failed: the photo is damaged\n", "3 of 3 photos, 1 failed"},
		},
		{"followed", "--follow b1", []string{tea + failed + last + good}, 0, "GET /batches/b1; GET events ; GET /batches/b1/result", []string{"[3/3]"}},
		{"cancelled by another", "gs://u/", []string{ending("cancelled", `"cancelled":3`)}, 1, `POST /batches { "prefix": "gs://u/" }; GET events ; GET /batches/b1/result`, []string{"batch b1 is cancelled"}},
		{"never handed out", "gs://u/", []string{strings.Replace(ending("failed", ""), `"ended":3`, `"ended":0,"reason":"the bucket is gone"`, 1)}, 1, `POST /batches { "prefix": "gs://u/" }; GET events`, []string{"batch b1 is failed: 0 of 3 photos, 0 failed, $0.0300: the bucket is gone"}},
		{"a dry run", "gs://u/ --dedupe --dry-run", nil, 0, `POST /batches { "prefix": "gs://u/", "dedupe": true, "dry_run": true }`, []string{"about $0.01 to $0.30"}},
		{"detached", "gs://u/ --detach", nil, 0, `POST /batches { "prefix": "gs://u/" }`, []string{"whatisit batch --follow b1 looks again, --cancel b1 ends it"}},
		{"cancelled", "--cancel b1", nil, 0, "DELETE /batches/b1", []string{"batch b1 is cancelling: 0 of 3 photos have ended"}},
		{"unknown", "--follow b2/../b1", nil, 1, "", []string{"whatisit: there is no such batch"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := &batches{streams: test.streams, result: batchResult}
			c := prepared(t, []string{"API_URL=" + serveBatches(t, b)}, append([]string{"batch"}, strings.Fields(test.args)...)...)
			if code := c.ends(len(test.streams) > 1); code != test.code {
				t.Errorf("exit %d, want %d; %q", code, test.code, &c.stderr)
			}
			asked := strings.TrimSuffix(strings.Join(b.asked, "; "), " ")
			if asked != test.asked {
				t.Errorf("asked %q, want %q", asked, test.asked)
			}
			c.says(test.says...)
			if n := strings.Count(c.stderr.String(), "[1/3]"); n > 1 {
				t.Errorf("the first item is told %d times in %q", n, &c.stderr)
			}
			if !strings.Contains(test.asked, "/result") {
				if files, _ := filepath.Glob(filepath.Join(c.Dir, "outputs", "*")); len(files) > 0 {
					t.Errorf("outputs holds %q, want nothing", files)
				}
				return
			}
			if l := c.list(); len(l) != 3 || l[0].Result.ProductName != "Tea" || l[1].Result.Error != "analysis_failed" || !strings.Contains(c.stdout.String(), `"<B>"`) {
				t.Errorf("printed %q, want the batch's result", &c.stdout)
			}
		})
	}
}

// Ctrl-C leaves the batch alone, and says how to come back.
func TestBatchDetaches(t *testing.T) {
	t.Parallel()
	b := &batches{streams: []string{item(0, "image", "") + "hang"}}
	c := prepared(t, nil, "batch", "gs://u/", "--out", "outputs/", "--url", serveBatches(t, b))
	code := c.interrupted("[1/3]", syscall.SIGINT)
	if files := left(t, filepath.Join(c.Dir, "outputs")); code != 130 || c.stdout.Len() > 0 || len(files) > 0 {
		t.Errorf("exit %d, %q, files %v; want 130 and nothing", code, &c.stdout, files)
	}
	c.says("the batch goes on: whatisit batch --follow b1 looks again, --cancel b1 ends it", "whatisit: interrupted")
	if slices.ContainsFunc(b.asked, func(a string) bool { return strings.HasPrefix(a, "DELETE") }) {
		t.Errorf("asked %q, want nothing deleted", b.asked)
	}
}

// The real batches, whose tasks a function would get from Pub/Sub.
func TestBatchOfTheRealService(t *testing.T) {
	a, w, url := served(t)
	for _, s := range samples.All()[4:7] {
		upload(t, w, "shelf/"+s.File, s.Bytes())
	}
	upload(t, w, "shelf/z.jpg", []byte("no photo"))
	topic := "projects/" + w.Project + "/topics/tasks"
	if err := w.PubSub.CreateTopic(topic); err != nil {
		t.Fatal(err)
	}
	var tasks sync.WaitGroup
	defer tasks.Wait()
	w.PubSub.Subscribe(topic, func(m pubsub.Message) {
		tasks.Go(func() {
			if err := a.Tasks().Dispatch(t.Context(), queue.Delivery{Data: m.Data, Meta: queue.Meta{Published: m.PublishTime}}); err != nil {
				t.Errorf("task: %v", err)
			}
		})
	})
	c := prepared(t, nil, "batch", "gs://uploads/shelf/", "--url", url, "--html", "page.html")
	if code := c.run(); code != 1 {
		t.Errorf("exit %d, want 1 for the one that is no photo; %q", code, &c.stderr)
	}
	c.says("batch 2", " of 4 photos under gs://uploads/shelf/", "[1/4] gs://uploads/shelf/05-barley-tea.gif image: ", "[4/4] gs://uploads/shelf/z.jpg failed: ", "is done: 4 of 4 photos, 1 unidentified, 1 failed", "EMULATED MODEL")
	l := c.list()
	if len(l) != 4 || l[0].Result.Source != "image" || l[1].Result.Error != "Unable to identify product image" || l[3].Result.Error != "analysis_failed" {
		t.Errorf("%+v, want four results in order", l)
	}
	page := pageOf(t, c, filepath.Join(c.Dir, "page.html"))
	if shown := dataURI.FindAllStringSubmatch(page, -1); len(shown) != 3 || shown[0][2] != "gs://uploads/shelf/05-barley-tea.gif" || !strings.Contains(page, "gs://uploads/shelf/z.jpg") {
		t.Errorf("the page shows %d photos, want the three that the service keeps, and the name of the one that is none", len(shown))
	}
	dry := prepared(t, nil, "batch", "gs://uploads/nowhere/", "--url", url, "--dry-run")
	if code := dry.run(); code != 1 {
		t.Errorf("a batch of nothing: exit %d, want 1; %q", code, &dry.stdout)
	}
}
