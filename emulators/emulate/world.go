// Package emulate starts the emulators that a test needs and stops them at its
// end.
//
//	w := emulate.Start(t, emulate.Storage, emulate.PubSub)
//	photos := emulate.StorageClient(t, w).Bucket("photos")
//
// Every world has its own servers on free ports, and clients reach them by
// options, not by the environment, so tests may run in parallel. An emulator's
// environment variable, where one is set, wins over the options of Google's
// clients: run tests without them.
//
// A test whose queries need an index that terraform/firestore.tf does not make
// fails at its end: production would refuse the query.
package emulate

import (
	"errors"
	"testing"

	gcpfirestore "cloud.google.com/go/firestore"
	gcppubsub "cloud.google.com/go/pubsub/v2"
	gcpstorage "cloud.google.com/go/storage"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/firestore"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/openweather"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/storage"
)

// Service is an emulator that a world can have.
type Service int

const (
	Firestore Service = iota
	Gemini
	Storage // publishes each finalized object to World.Events if PubSub runs too
	PubSub  // with World.Events, the bridge that pushes
	Weather
	NoModel        // Gemini without a model: each call that generates is blocked
	PerfectModel   // Gemini with a model that answers from the labels
	StorageInFiles // Storage for very many objects: in memory, each is found by looking at all
)

// World is a set of running emulators. The fields of those that were not asked
// for are nil.
type World struct {
	Project   string // of all clients and topics
	Firestore *firestore.Server
	Gemini    *gemini.Server
	Storage   *storage.Server
	PubSub    *pubsub.Server
	Events    *eventarc.Bridge // has no routes yet
	Weather   *openweather.Server
}

// Start runs the services named, or all if none is, until the test ends. It
// ends the test if one does not start.
func Start(tb testing.TB, services ...Service) *World {
	tb.Helper()
	if len(services) == 0 {
		services = []Service{Firestore, Gemini, Storage, PubSub, Weather}
	}
	wanted := map[Service]bool{}
	for _, s := range services {
		wanted[s] = true
	}
	w := &World{Project: "emulated"}
	if wanted[Firestore] {
		w.startFirestore(tb)
	}
	for service, model := range map[Service]answers.Model{Gemini: answers.Emulated, NoModel: answers.None, PerfectModel: answers.Perfect} {
		if wanted[service] {
			w.startGemini(tb, model)
		}
	}
	if wanted[PubSub] {
		w.startPubSub(tb)
	}
	if wanted[Storage] {
		w.startStorage(tb, "")
	}
	if wanted[StorageInFiles] {
		w.startStorage(tb, tb.TempDir())
	}
	if wanted[Weather] {
		w.startWeather(tb)
	}
	return w
}

func (w *World) startFirestore(tb testing.TB) {
	tb.Helper()
	var err error
	if w.Firestore, err = firestore.Start(firestore.Options{}); err != nil {
		tb.Fatalf("emulate: %v", err)
	}
	tb.Cleanup(func() {
		missing, err := undeclared(w.Firestore.Indexes())
		if err != nil || len(missing) > 0 {
			tb.Errorf("emulate: queries need indexes that terraform/firestore.tf does not make: %v (%v)", missing, err)
		}
		exempt, err := unindexed(w.Firestore.Fields())
		if err != nil || len(exempt) > 0 {
			tb.Errorf("emulate: queries ask for fields that terraform/firestore.tf does not index: %v (%v)", exempt, err)
		}
		closed(tb, w.Firestore.Close())
	})
}

func (w *World) startGemini(tb testing.TB, model answers.Model) {
	tb.Helper()
	var err error
	if w.Gemini, err = answers.Start(gemini.Options{}, answers.Options{Tesseract: "off", Model: model}); err != nil {
		tb.Fatalf("emulate: %v", err)
	}
	tb.Cleanup(func() { closed(tb, w.Gemini.Close()) })
}

func (w *World) startPubSub(tb testing.TB) {
	tb.Helper()
	var err error
	if w.PubSub, err = pubsub.Start(pubsub.Options{}); err != nil {
		tb.Fatalf("emulate: %v", err)
	}
	tb.Cleanup(w.PubSub.Close)
	if w.Events, err = eventarc.Start(eventarc.Options{PubSub: w.PubSub, Project: w.Project}); err != nil {
		tb.Fatalf("emulate: %v", err)
	}
	tb.Cleanup(w.Events.Close)
}

func (w *World) startStorage(tb testing.TB, dir string) {
	tb.Helper()
	o := storage.Options{Dir: dir}
	if w.Events != nil {
		o.Events = w.Events.Finalized
	}
	var err error
	if w.Storage, err = storage.Start(o); err != nil {
		tb.Fatalf("emulate: %v", err)
	}
	tb.Cleanup(w.Storage.Close)
}

func (w *World) startWeather(tb testing.TB) {
	tb.Helper()
	var err error
	if w.Weather, err = openweather.Start(openweather.Options{}); err != nil {
		tb.Fatalf("emulate: %v", err)
	}
	tb.Cleanup(func() { closed(tb, w.Weather.Close()) })
}

func closed(tb testing.TB, err error) {
	if err != nil {
		tb.Errorf("emulate: close: %v", err)
	}
}

// Env returns the environment, as NAME=value lines, that points another process at
// this world: a program with Google's clients, for Go or Node.
func (w *World) Env() []string {
	env := []string{"GOOGLE_CLOUD_PROJECT=" + w.Project}
	if w.Firestore != nil {
		env = append(env, "FIRESTORE_EMULATOR_HOST="+w.Firestore.Addr())
	}
	if w.Gemini != nil {
		env = append(env, "GOOGLE_GEMINI_BASE_URL="+w.Gemini.URL(), "GOOGLE_API_KEY=emulated")
	}
	if w.Storage != nil {
		env = append(env, "STORAGE_EMULATOR_HOST="+w.Storage.URL())
	}
	if w.PubSub != nil {
		env = append(env, "PUBSUB_EMULATOR_HOST="+w.PubSub.Addr())
	}
	if w.Weather != nil {
		env = append(env, "OPENWEATHER_BASE_URL="+w.Weather.URL(), "OPENWEATHER_API_KEY=emulated")
	}
	return env
}

// FirestoreClient returns a client of w.Firestore, closed when the test ends.
func (w *World) FirestoreClient(tb testing.TB) *gcpfirestore.Client {
	tb.Helper()
	c, err := gcpfirestore.NewClient(tb.Context(), w.Project, overGRPC(w.Firestore.Addr())...)
	if err != nil {
		tb.Fatalf("emulate: firestore client: %v", err)
	}
	tb.Cleanup(func() { c.Close() })
	return c
}

// StorageClient returns a client of w.Storage, closed when the test ends. It is no method of
// World: each package that has a World would compile a thousand generic functions of the
// client's metrics again.
func StorageClient(tb testing.TB, w *World) *gcpstorage.Client {
	tb.Helper()
	c, err := gcpstorage.NewClient(tb.Context(), option.WithEndpoint(w.Storage.Endpoint()), option.WithoutAuthentication())
	if err != nil {
		tb.Fatalf("emulate: storage client: %v", err)
	}
	tb.Cleanup(func() { c.Close() })
	return c
}

// Put writes an object and returns its generation. It may be called by any goroutine:
// the test fails, but goes on, if the object cannot be written.
func (w *World) Put(tb testing.TB, bucket, name string, data []byte) int64 {
	tb.Helper()
	c := StorageClient(tb, w)
	o := c.Bucket(bucket).Object(name).NewWriter(tb.Context())
	o.ChunkSize = 0 // in one request
	_, err := o.Write(data)
	if err := errors.Join(err, o.Close()); err != nil {
		tb.Errorf("emulate: put gs://%s/%s: %v", bucket, name, err)
		return 0
	}
	return o.Attrs().Generation
}

// PubSubClient returns a client of w.PubSub, closed when the test ends.
func (w *World) PubSubClient(tb testing.TB) *gcppubsub.Client {
	tb.Helper()
	c, err := gcppubsub.NewClient(tb.Context(), w.Project, overGRPC(w.PubSub.Addr())...)
	if err != nil {
		tb.Fatalf("emulate: pubsub client: %v", err)
	}
	tb.Cleanup(func() { c.Close() })
	return c
}

func overGRPC(addr string) []option.ClientOption {
	return []option.ClientOption{
		option.WithEndpoint(addr),
		option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())),
	}
}
