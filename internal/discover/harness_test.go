package discover_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"cloud.google.com/go/firestore"
	gcppubsub "cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/storage"
	"google.golang.org/api/option"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/gemini"

	"example.com/whatis/internal/jobs/queue"

	"example.com/whatis/internal/jobs"
)

func TestMain(m *testing.M) {
	emulate.Program(serveTasks)
	emulate.Run(m)
}

const longTasks = "projects/emulated/topics/long"

// lab is the pipeline over emulators and a small web. Tasks wait until they are done.
type lab struct {
	*emulate.World
	*discover.Pipeline
	t          *testing.T
	web        *site.Server
	dispatcher *queue.Dispatcher

	mu   sync.Mutex
	tray []queue.Delivery
}

// newLab opens the pipeline on the web of o; change may alter its configuration. The test
// runs in parallel, since most of its time is waiting for servers that never answer.
func newLab(t *testing.T, o site.Options, change func(*lab, *discover.Config)) *lab {
	t.Helper()
	return newLabWith(t, emulate.Gemini, o, change)
}

// newLabWith does newLab with a given model. A perfect one knows the datasets of all webs that
// this process serves, and plans from those of other tests, too: it runs alone.
func newLabWith(t *testing.T, model emulate.Service, o site.Options, change func(*lab, *discover.Config)) *lab {
	t.Helper()
	if model != emulate.PerfectModel {
		t.Parallel()
	}
	return openLab(t, model, o, change)
}

// newLabSerial is newLab for a test that opens several, and so does not run in parallel.
func newLabSerial(t *testing.T, o site.Options) *lab {
	t.Helper()
	return openLab(t, emulate.Gemini, o, nil)
}

// openLab opens the pipeline with a model. The test may open several, one after the other.
func openLab(t *testing.T, model emulate.Service, o site.Options, change func(*lab, *discover.Config)) *lab {
	t.Helper()
	l := &lab{World: emulate.Start(t, emulate.Firestore, model, emulate.Storage, emulate.PubSub), t: t, dispatcher: queue.NewDispatcher()}
	var err error
	o.Slow = cmp.Or(o.Slow, 200*time.Millisecond) // each test would wait for its time-out otherwise
	if l.web, err = site.Start(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.web.Close)
	l.web.Truth() // makes the web, which on a busy machine takes longer than a page may
	if err := l.Storage.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	if err := l.PubSub.CreateTopic(longTasks); err != nil {
		t.Fatal(err)
	}
	c := l.config()
	if change != nil {
		change(l, &c)
	}
	if l.Pipeline, err = discover.New(c); err != nil {
		t.Fatal(err)
	}
	discover.Handle(l.dispatcher, func(context.Context) (*discover.Pipeline, error) { return l.Pipeline, nil })
	l.PubSub.Subscribe(longTasks, func(m pubsub.Message) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.tray = append(l.tray, queue.Delivery{Data: m.Data, Meta: queue.Meta{Published: m.PublishTime}})
	})
	return l
}

func (l *lab) config() discover.Config {
	l.t.Helper()
	model, err := gemini.Open(l.t.Context(), gemini.Config{BaseURL: l.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		l.t.Fatal(err)
	}
	return newConfig(l.t, web{l.web.Allow(), l.web.SearchURL(), l.web.Token()}, model, emulate.StorageClient(l.t, l.World), l.FirestoreClient(l.t), l.PubSubClient(l.t))
}

// A web is where the small one is reached.
type web struct{ allow, search, token string }

// newConfig returns the pipeline's configuration, over clients.
func newConfig(t interface{ Fatal(...any) }, at web, model *gemini.Client, objects *storage.Client, db *firestore.Client, messages *gcppubsub.Client) discover.Config {
	return discover.Config{
		Gemini: model, Fetch: newFetcher(t, at.allow, 20*time.Second), Search: &discover.Brave{BaseURL: at.search, Token: at.token}, Objects: blob.New(objects), Bucket: "results",
		DB: db, Runs: jobs.NewStore(db, jobs.Options{Collection: jobs.Runs, Lease: 5 * time.Second}), Tasks: &queue.Publisher{Long: queue.NewTopic(messages.TopicAdminClient, longTasks)},
		Models: discover.Models{Thinking: "emulated-thinking", Structured: "emulated-structured", Relevance: "emulated-relevance"}, Portals: []discover.Portal{},
	}
}

// newFetcher returns a fetcher for the small web. On a busy machine a page may take seconds.
func newFetcher(t interface{ Fatal(...any) }, allow string, timeout time.Duration) *fetch.Fetcher {
	fetcher, err := fetch.New(fetch.Config{Agent: "whatis/test (+https://example.com)", Allow: allow, Delay: time.Millisecond, MaxDelay: time.Millisecond, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return fetcher
}

// take waits for the next task.
func (l *lab) take() queue.Delivery {
	l.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		l.mu.Lock()
		if len(l.tray) > 0 {
			m := l.tray[0]
			l.tray = l.tray[1:]
			l.mu.Unlock()
			return m
		}
		l.mu.Unlock()
	}
	l.t.Fatal("no task comes")
	return queue.Delivery{}
}

// finish does tasks, each by do, until the run is over, and returns its result.
func (l *lab) finish(id string, do func(queue.Delivery) error) discover.Result {
	l.t.Helper()
	for {
		s, err := l.Get(l.t.Context(), id)
		if err != nil {
			l.t.Fatal(err)
		}
		if s.Action != "" {
			break
		}
		if err := do(l.take()); err != nil {
			l.t.Fatalf("slice %d of %s: %v", s.Slice, id, err)
		}
	}
	data, err := l.File(l.t.Context(), id, "result.json")
	if err != nil {
		l.t.Fatal(err)
	}
	var r discover.Result
	if err := json.Unmarshal(data, &r); err != nil {
		l.t.Fatal(err)
	}
	return r
}

// once does a task once.
func (l *lab) once(m queue.Delivery) error { return l.dispatcher.Dispatch(l.t.Context(), m) }

// run returns the result of a request, with each task done once.
func (l *lab) run(r discover.Request) discover.Result {
	l.t.Helper()
	s, err := l.Start(l.t.Context(), r)
	if err != nil {
		l.t.Fatal(err)
	}
	result := l.finish(s.ID, l.once)
	for _, code := range result.Warnings {
		if !slices.Contains(discover.Warnings, code) && !slices.Contains(gemini.Warnings, code) {
			l.t.Errorf("the result warns of %q, which is not listed", code)
		}
	}
	for _, d := range result.Log {
		if first, _ := utf8.DecodeRuneInString(strings.Trim(d.Reason, `"`)); d.Reason != "" && !unicode.IsLetter(first) && !unicode.IsDigit(first) {
			l.t.Errorf("%s %s gives the reason %q, want it to begin with a word", d.Agent, d.Action, d.Reason)
		}
	}
	for _, d := range result.Dropped {
		if !slices.Contains(discover.Gates, d.Gate) {
			l.t.Errorf("the result has dropped %s at %q, which is not listed", d.URL, d.Gate)
		}
	}
	return result
}

// measure holds a result to what is really there, and logs what is missed.
func (l *lab) measure(place site.Place, sectors []string, r discover.Result) site.Score {
	var records []string
	for _, item := range r.Items {
		records = append(records, item.URL)
	}
	score, missed := l.web.Score(place, sectors, records)
	for _, d := range missed {
		l.t.Logf("missed: %s (%s) %q %q", d.URL, d.Tier, d.Title, d.Quote)
		for _, p := range r.Sources {
			if p.URL == d.URL {
				l.t.Logf("   was %s %s %s", p.Status, p.Source, p.Reason)
			}
		}
		for _, drop := range r.Dropped {
			if drop.URL == d.URL {
				l.t.Logf("   dropped: %s %s", drop.Gate, drop.Reason)
			}
		}
	}
	if score.Right < score.Records {
		l.t.Logf("wrong, or one dataset twice, among %q", records)
	}
	return score
}

// A cutter cuts the connection of the first request that saves each state, once it is armed.
type cutter struct {
	armed atomic.Bool
	cut   map[string]bool // by the name of the state; tasks are done one after the other
}

var stateName = regexp.MustCompile(`[0-9a-f-]+/state/[0-9]+\.json`)

func (c *cutter) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if name := stateName.Find(body[:min(len(body), 1000)]); name != nil && c.armed.Load() && !c.cut[string(name)] {
			c.cut[string(name)] = true
			return nil, errors.New("cut")
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// A counter counts how often a state was read, and how many bytes that were.
type counter struct{ reads, bytes atomic.Int64 }

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/state/") && response.StatusCode == http.StatusOK {
		body, bad := io.ReadAll(response.Body)
		if response.Body = io.NopCloser(bytes.NewReader(body)); bad == nil && r.URL.Query().Get("alt") != "json" {
			c.reads.Add(1)
			c.bytes.Add(int64(len(body)))
		}
	}
	return response, err
}

// storageOver returns a client of Cloud Storage whose requests go through a transport.
func (l *lab) storageOver(transport http.RoundTripper) *storage.Client {
	l.t.Helper()
	client, err := storage.NewClient(l.t.Context(), option.WithEndpoint(l.Storage.Endpoint()), option.WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { client.Close() })
	return client
}
