package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/jobstest"
	"example.com/whatis/internal/jobs/queue"
)

func TestMain(m *testing.M) { emulate.Run(m) }

// A shelf imports files of a bucket into a catalogue.
type shelf struct {
	*testing.T
	*imports
	app    *App
	world  *emulate.World
	db     *firestore.Client
	tasks  *queue.Dispatcher
	behind atomic.Pointer[func(context.Context) error] // is called after each chunk that is stored, before that is noted
	noted  atomic.Pointer[func() error]                // is called after that is noted
	failed []pubsub.Message                            // published to the topic of failures
}

func openShelf(t *testing.T) *shelf {
	t.Helper()
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini, emulate.Storage, emulate.PubSub)
	const failures = "projects/emulated/topics/failures"
	if err := errors.Join(w.Storage.CreateBucket("results"), w.PubSub.CreateTopic(failures)); err != nil {
		t.Fatal(err)
	}
	s := &shelf{T: t, world: w, db: w.FirestoreClient(t), tasks: queue.NewDispatcher()}
	w.PubSub.Subscribe(failures, func(m pubsub.Message) { s.failed = append(s.failed, m) })
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		t.Fatal(err)
	}
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	c := clients{
		gemini: model, firestore: s.db, objects: blob.New(emulate.StorageClient(t, w)), products: catalog.New(s.db), space: space,
		runs: jobs.NewStore(s.db, jobs.Options{Collection: jobs.Runs}), failures: queue.NewTopic(w.PubSubClient(t).TopicAdminClient, failures),
	}
	a := New(Config{Catalog: Catalog{Shop: "shop", EmbeddingModel: space.Model}, Analyze: Analyze{Country: "KR", Lang: "ko"}})
	a.firestore, a.gemini, a.clients, s.app = given(s.db), given(model), given(c), a
	if s.imports, err = a.openImports(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.run = func(ctx context.Context, file CatalogFile) (catalog.Imports, error) {
		keep := file.Keep
		file.Keep = func(ctx context.Context, stored catalog.Checkpoint) error {
			if behind := s.behind.Load(); behind != nil {
				if err := (*behind)(ctx); err != nil {
					return err
				}
			}
			if err := keep(ctx, stored); err != nil || s.noted.Load() == nil {
				return err
			}
			return (*s.noted.Load())()
		}
		return a.ImportFile(ctx, file)
	}
	handleImports(s.tasks, func(context.Context) (*imports, error) { return s.imports, nil })
	return s
}

// given is a value that is open already.
func given[T any](v T) *lazy[T] {
	return newLazy(func(context.Context) (T, error) { return v, nil })
}

// put stores a file of so many products, whose first is called name.
func (s *shelf) put(name string, products int) {
	s.Helper()
	var file strings.Builder
	for i := range products {
		fmt.Fprintf(&file, `{"product_name":"%s %d","brand":"Acme","key_features":["a","b"]}`+"\n", name, i)
	}
	s.world.Put(s, "results", "products.jsonl", []byte(file.String()))
}

// message returns a task as it is delivered, published that many seconds after a fixed time.
func message(second int64, more string) queue.Delivery {
	return queue.Delivery{
		Data: []byte(`{"agent":"catalog","kind":"import","payload":{"uri":"gs://results/products.jsonl"` + more + `}}`),
		Meta: queue.Meta{Published: time.Unix(1_700_000_000+second, 0)},
	}
}

func (s *shelf) deliver(ctx context.Context, m queue.Delivery) error { return s.tasks.Dispatch(ctx, m) }

// id returns the ID of the work of a task.
func (s *shelf) id(m queue.Delivery) string {
	s.Helper()
	var t struct{ Payload importPayload }
	if err := json.Unmarshal(m.Data, &t); err != nil {
		s.Fatal(err)
	}
	return s.job(t.Payload, blob.ObjectRef{}, m.Meta).Item.ID
}

// result returns the result of a task.
func (s *shelf) result(m queue.Delivery) importResult {
	s.Helper()
	record, err := s.executor.(*jobs.Executor[importResult, any]).Work.Get(s.Context(), s.id(m))
	if err != nil {
		s.Fatal(err)
	}
	r, err := jobs.Decode[importResult](record.Result)
	if err != nil || record.State != jobs.Done || record.Error != r.Error || record.Subject != "gs://results/products.jsonl" {
		s.Errorf("the record is %+v, %v; want it done, with the result's error", record, err)
	}
	return r
}

func TestImportFaults(t *testing.T) {
	jobstest.Faults(t, func(t *testing.T) jobstest.Trial {
		s := openShelf(t)
		s.put("Tea", 1)
		m := message(0, "")
		return jobstest.Trial{
			Firestore: s.world.Firestore, Work: s.executor.(*jobs.Executor[importResult, any]).Work, Record: s.db.Collection(jobs.Runs).Doc(s.id(m)),
			GiveUp:  func(age time.Duration) { s.executor.(*jobs.Executor[importResult, any]).GiveUpAfter = age },
			Deliver: func(ctx context.Context) error { return s.deliver(ctx, m) },
			Behind:  func(do func(context.Context) error) { s.behind.Store(&do) },
			Paid:    func() int { return len(s.world.Gemini.Calls()) },
		}
	})
}

// An import that takes more deliveries than work has attempts goes on as long as each stores
// products, and its result counts those of all.
func TestImportOfManyDeliveries(t *testing.T) {
	if testing.Short() {
		t.Skip("imports 4,801 products; TestImportTask imports few")
	}
	s := openShelf(t)
	const products = 6*800 + 1
	s.put("Tea", products)
	m := message(0, "")
	cut := func() error { return context.DeadlineExceeded }
	s.noted.Store(&cut)
	deliveries := 1
	for ; deliveries < 20 && s.deliver(t.Context(), m) != nil; deliveries++ {
		if record, err := s.executor.(*jobs.Executor[importResult, any]).Work.Get(t.Context(), s.id(m)); err != nil || record.Attempts != 0 {
			t.Fatalf("after delivery %d: %d attempts count, %v; want none", deliveries, record.Attempts, err)
		}
	}
	if r := s.result(m); r.New != products || r.Known != 0 || r.Error != "" || r.Generation == 0 || deliveries != 8 {
		t.Errorf("after %d deliveries the result is %+v, want all %d products new after 8", deliveries, r, products)
	}
	if n := len(s.world.Gemini.Calls()); n != 6*8+1 {
		t.Errorf("%d calls to embed, want one for each hundred products", n)
	}
}

// What an import has stored so far is told while it runs.
func TestImportIsWatched(t *testing.T) {
	s := openShelf(t)
	s.put("Tea", 1601)
	var told []string
	noted := func() error {
		state, err := s.app.importState(t.Context(), importID("x"))
		told = append(told, fmt.Sprint(state.State, " ", state.New, " ", err))
		return nil
	}
	s.noted.Store(&noted)
	if err := s.deliver(t.Context(), message(0, `,"id":"x"`)); err != nil {
		t.Fatal(err)
	}
	_ = noted()
	if last := len(told) - 1; last < 2 || told[0] == "working 0 <nil>" || told[0] == told[1] || !strings.HasPrefix(told[0], "working ") || told[last] != "done 1601 <nil>" {
		t.Errorf("an import of 1,601 products is told as %q; want more and more of them", told)
	}
}

// A file that is replaced during its import is imported from its beginning.
func TestImportOfAReplacedFile(t *testing.T) {
	s := openShelf(t)
	s.put("Tea", 801)
	m := message(0, "")
	cut := func() error { return context.DeadlineExceeded }
	s.noted.Store(&cut)
	if err := s.deliver(t.Context(), m); err == nil {
		t.Fatal("Task of an import whose time is up = nil, want an error")
	}
	s.noted.Store(nil)
	s.put("Coffee", 2)
	if err := s.deliver(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if r := s.result(m); r.New != 2 || r.Known != 0 {
		t.Errorf("the result is %+v, want two new products", r)
	}
}

// A task that comes again does nothing; one that is published later, or asks for something
// else, imports the file again, and pays for nothing that is in the catalogue.
func TestImportAgain(t *testing.T) {
	s := openShelf(t)
	s.put("Tea", 3)
	tests := []struct {
		name       string
		m          queue.Delivery
		change     func()
		added      int
		known      int
		calls      int
		deliveries int
	}{
		{"first", message(0, ""), nil, 3, 0, 1, 3},
		{"published later", message(1, ""), nil, 0, 3, 0, 1},
		{"another shop", message(1, `,"shop":"other"`), nil, 3, 0, 1, 1},
		{"a changed file", message(2, ""), func() { s.put("Tea", 4) }, 1, 3, 1, 1},
		{"other settings", message(2, ""), func() { s.settings = append(s.settings, "another model") }, 0, 4, 0, 1},
	}
	for _, test := range tests {
		if test.change != nil {
			test.change()
		}
		before := len(s.world.Gemini.Calls())
		for range test.deliveries {
			if err := s.deliver(t.Context(), test.m); err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
		}
		if r := s.result(test.m); r.New != test.added || r.Known != test.known || r.Error != "" {
			t.Errorf("%s: %+v, want %d new and %d known", test.name, r, test.added, test.known)
		}
		if n := len(s.world.Gemini.Calls()) - before; n != test.calls {
			t.Errorf("%s: %d calls to embed, want %d", test.name, n, test.calls)
		}
	}
}

// A bad file fails at once, and a file that could not be imported is given up, which is
// published.
func TestImportFails(t *testing.T) {
	tests := []struct {
		name, file string
		err        error // of each attempt
		attempts   int
		want       importResult
		message    string // of the error, as it ends
	}{
		{"no JSON", `[{"product_name":"Tea","key_features":["a"]}` + "\n{]", nil, 1, importResult{Imports: catalog.Imports{New: 1}}, "no JSON from line 2"},
		{"missing", "", nil, 1, importResult{}, "no such object"},
		{"a bug", `{"product_name":"Tea","key_features":["a"]}`, errors.New("a bug"), 5, importResult{GivenUp: true}, "4 attempts"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := openShelf(t)
			if test.file != "" {
				s.world.Put(t, "results", "products.jsonl", []byte(test.file))
			}
			if test.err != nil {
				fail := func(context.Context) error { return test.err }
				s.behind.Store(&fail)
			}
			m := message(0, "")
			for attempt := range test.attempts {
				if err := s.deliver(t.Context(), m); (err == nil) != (attempt == test.attempts-1) {
					t.Fatalf("delivery %d = %v", attempt+1, err)
				}
			}
			r := s.result(m)
			if r.Error != "import_failed" || r.GivenUp != test.want.GivenUp || r.Imports != test.want.Imports || !strings.Contains(r.Message, test.message) {
				t.Errorf("the result is %+v, want %+v", r, test.want)
			}
			if published := len(s.failed); (published == 1) != test.want.GivenUp {
				t.Fatalf("%d messages of failures, given up: %v", published, test.want.GivenUp)
			}
			if test.want.GivenUp {
				a := s.failed[0].Attributes
				if a["agent"] != "catalog" || a["kind"] != "import" || a["object"] != "gs://results/products.jsonl" || a["id"] != s.id(m) || !strings.Contains(string(s.failed[0].Data), `"uri":"gs://results/products.jsonl"`) {
					t.Errorf("published %v, %s", a, s.failed[0].Data)
				}
			}
		})
	}
}
