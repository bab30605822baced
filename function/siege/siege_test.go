package siege

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	gcs "cloud.google.com/go/storage"
	"golang.org/x/sync/errgroup"
	"google.golang.org/api/iterator"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
)

// A siege has a world of emulators and a fleet of processes.
type siege struct {
	*emulate.World
	*fleet
	t       *testing.T
	gate    *gate
	objects *gcs.Client
	records *firestore.Client
}

// lay starts n processes behind the route, which need not be complete: uploads
// arrive on it, in the form it says, and are repeated soon. More variables of the
// processes may follow.
func lay(t *testing.T, n int, route eventarc.Route, env ...string) *siege {
	t.Helper()
	s := build(t, n, env...)
	s.open(route)
	return s
}

// build starts n processes, without a route to them.
func build(t *testing.T, n int, env ...string) *siege {
	t.Helper()
	return buildIn(t, emulate.Start(t), n, env...)
}

// buildIn does build in a given world.
func buildIn(t *testing.T, w *emulate.World, n int, env ...string) *siege {
	t.Helper()
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.PubSub.CreateTopic("projects/" + w.Project + "/topics/failures"); err != nil {
		t.Fatal(err)
	}
	stock(t, w)
	s := &siege{World: w, t: t, gate: newGate(t, w.Gemini.URL()), objects: emulate.StorageClient(t, w), records: w.FirestoreClient(t)}
	s.fleet = newFleet(t, n, append(append(w.Env(), "GOOGLE_GEMINI_BASE_URL="+s.gate.URL, "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "FAILURES_TOPIC=failures",
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding"), env...))
	s.warm(n)
	return s
}

// open lets uploads arrive at the processes.
func (s *siege) open(route eventarc.Route) {
	s.t.Helper()
	route.Topic, route.Bucket = "uploads", "uploads"
	route.Endpoint = eventarc.Endpoint(s.fleet.URL, s.Project, "uploads")
	route.AckDeadline = cmp.Or(route.AckDeadline, 100*time.Second)
	route.MinBackoff, route.MaxBackoff = cmp.Or(route.MinBackoff, 50*time.Millisecond), cmp.Or(route.MaxBackoff, time.Second)
	if route.MaxDeliveries > 0 {
		route.DeadLetter = eventarc.Endpoint(s.fleet.URL, s.Project, "uploads-dead-letter")
	}
	if err := s.Events.Add(route); err != nil {
		s.t.Fatal(err)
	}
}

// stock fills the catalogue, before any process asks it.
func stock(t *testing.T, w *emulate.World) {
	t.Helper()
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true})
	if err != nil {
		t.Fatal(err)
	}
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		t.Fatal(err)
	}
	done, err := catalog.Import{
		Catalog: catalog.New(w.FirestoreClient(t)), Shop: "default", Space: space, Country: "KR", Lang: "ko",
		Embed: func(ctx context.Context, texts []string) ([][]float32, error) {
			return model.Embed(ctx, gemini.EmbedRequest{Model: space.Model, Prefix: space.Prefix, Texts: texts})
		},
	}.Run(t.Context(), strings.NewReader(catalogue))
	if err != nil || done.New != 1 {
		t.Fatalf("the catalogue is filled with %v, %v; want one product", done, err)
	}
}

// warm lets each of n processes open its clients, with events of folders, which cost
// nothing.
func (s *siege) warm(n int) {
	s.t.Helper()
	for range n {
		if status := s.push(`{"bucket":"uploads","name":"folder/","generation":"1"}`, nil, time.Now()); status != http.StatusOK {
			s.t.Fatalf("an event of a folder is answered %d, want 200", status)
		}
	}
	s.Gemini.ResetCalls()
}

// push delivers an object resource as Pub/Sub would, past the bridge, and returns
// the status of the answer.
func (s *siege) push(resource string, attributes map[string]string, published time.Time) int {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"subscription": "projects/p/subscriptions/s", "message": map[string]any{
		"attributes": attributes, "data": []byte(resource), "messageId": "1", "publishTime": published.UTC().Format(time.RFC3339Nano),
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := http.Post(eventarc.Endpoint(s.fleet.URL, s.Project, "uploads"), "application/json", bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// script scripts the model's answers for shots, each step once: a step that is called
// again gets the default answer, that nothing can be read.
func (s *siege) script(shots []shot) {
	for _, shot := range shots {
		s.Gemini.Script(shot.script()...)
	}
}

// uploadAll uploads shots, several at once.
func (s *siege) uploadAll(shots []shot) {
	s.t.Helper()
	var group errgroup.Group
	group.SetLimit(8)
	for _, shot := range shots {
		group.Go(func() error { _, err := s.put("uploads", shot.name(), shot.mark, shot.data); return err })
	}
	if err := group.Wait(); err != nil {
		s.t.Fatal(err)
	}
}

// upload uploads a photo under a new or an existing name, and returns its generation.
func (s *siege) upload(name, mark string, data []byte) int64 {
	s.t.Helper()
	generation, err := s.put("uploads", name, mark, data)
	if err != nil {
		s.t.Fatal(err)
	}
	return generation
}

func (s *siege) put(bucket, name, mark string, data []byte) (int64, error) {
	w := s.objects.Bucket(bucket).Object(name).NewWriter(s.t.Context())
	w.ChunkSize = 0 // one request
	w.Metadata = map[string]string{"lang": tagOf(mark)}
	_, err := w.Write(data)
	if err := errors.Join(err, w.Close()); err != nil {
		return 0, err
	}
	return w.Attrs().Generation, nil
}

// settle waits until every delivery is acknowledged or given up.
func (s *siege) settle() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Minute)
	defer cancel()
	if err := s.Events.Wait(ctx); err != nil {
		s.t.Fatalf("the deliveries do not settle: %v", err)
	}
}

// await waits until done.
func (s *siege) await(what string, done func() bool) {
	s.t.Helper()
	for late := time.After(4 * time.Minute); !done(); {
		select {
		case <-late:
			s.t.Fatalf("waited in vain until %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// arrival waits for a call to come to h.
func (s *siege) arrival(h *hold) {
	s.t.Helper()
	select {
	case <-h.arrived:
	case <-time.After(4 * time.Minute):
		s.t.Fatalf("no call of %s of %s comes", h.step, h.mark)
	}
}

// departure waits until the gate notices that the process of a held call is dead: a call
// that is released earlier would still be answered.
func (s *siege) departure(h *hold) {
	s.t.Helper()
	select {
	case <-h.left:
	case <-time.After(4 * time.Minute):
		s.t.Fatalf("the call of %s of %s is not seen to end", h.step, h.mark)
	}
}

// A result has the fields of a result object that the tests check.
type result struct {
	ID, Error, Message, Source, Lang string
	ProductName                      string `json:"product_name"`
	Retryable                        *bool
	Image                            struct {
		Generation int64 `json:",string"`
	}
	ModelCalls struct{ Generate, Embed int } `json:"model_calls"`
	Warnings   []string
}

// result returns the result object of an upload; ok says that there is one.
func (s *siege) result(name string) (r result, ok bool) {
	s.t.Helper()
	reader, err := s.objects.Bucket("results").Object(name + ".json").NewReader(s.t.Context())
	if errors.Is(err, gcs.ErrObjectNotExist) {
		return r, false
	}
	if err != nil {
		s.t.Fatal(err)
	}
	defer reader.Close()
	if err := json.NewDecoder(reader).Decode(&r); err != nil {
		s.t.Fatalf("%s.json: %v", name, err)
	}
	return r, true
}

// names returns the names of a bucket's objects.
func (s *siege) names(bucket string) []string {
	s.t.Helper()
	var names []string
	for all := s.objects.Bucket(bucket).Objects(s.t.Context(), nil); ; {
		o, err := all.Next()
		if err == iterator.Done {
			return names
		}
		if err != nil {
			s.t.Fatal(err)
		}
		names = append(names, o.Name)
	}
}

// A record has the fields of a work record that the tests check.
type record struct {
	Name     string            `firestore:"name"`
	State    string            `firestore:"state"`
	Error    string            `firestore:"error"`
	Attempts int               `firestore:"attempts"`
	Kept     map[string]string `firestore:"kept"`
	Created  time.Time         `firestore:"created_at"`
	Finished time.Time         `firestore:"finished_at"`

	ref *firestore.DocumentRef
}

// work returns the work records by the names of their objects, of which each must
// have one.
func (s *siege) work() map[string]record {
	s.t.Helper()
	docs, err := s.records.Collection("work").Documents(s.t.Context()).GetAll()
	if err != nil {
		s.t.Fatal(err)
	}
	all := map[string]record{}
	for _, doc := range docs {
		r := record{ref: doc.Ref}
		if err := doc.DataTo(&r); err != nil {
			s.t.Fatal(err)
		}
		if _, twice := all[r.Name]; twice {
			s.t.Errorf("%s has two work records", r.Name)
		}
		all[r.Name] = r
	}
	return all
}

// counted logs the counts in one line.
func (s *siege) counted(shots int, l ledger) {
	s.t.Helper()
	stats := s.Events.Stats()
	results := len(s.names("results"))
	s.t.Logf("%d uploads: %d results, %d lost; calls answered %s, faulted %d, more than once %d; %d deliveries: %d acknowledged, %d refused (busy or failed), %d without an answer, %d retried, %d dead letters",
		shots, results, max(0, shots-results), l, l.faulted(), len(l.twice()),
		stats.Delivered, s.accepted.Load(), s.busy.Load(), s.broken.Load(), stats.Retried, stats.DeadLettered)
}

// lines formats the first problems for an error.
func lines(problems []string) string {
	const most = 20
	if len(problems) > most {
		problems = append(problems[:most:most], fmt.Sprintf("and %d more", len(problems)-most))
	}
	return strings.Join(problems, "\n\t")
}
