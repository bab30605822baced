package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/firestore"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/ollama"
	"example.com/whatis/emulators/openweather"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/replay"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/emulators/site"
	"example.com/whatis/emulators/storage"
)

// What runs here, by name.
const (
	uploadBucket  = "uploads"
	resultsBucket = "results"
	uploadTopic   = "uploads"
	tasksTopic    = "tasks"
	longTopic     = "long-tasks"
	resultsTopic  = "results"
	failuresTopic = "failures"

	failuresSubscription = "failures" // for whatisit replay --failed
)

// The ports that are used where they are free, so that they can be learnt.
const (
	apiPort       = "8080"
	uploadPort    = "8081"
	firestorePort = "8082"
	geminiPort    = "8083"
	storagePort   = "8084"
	pubsubPort    = "8085"
	taskPort      = "8086"
	devPort       = "8087"
	weatherPort   = "8088"
	sitePort      = "8089"
	recorderPort  = "8090"
)

// apiPorts are where the API is without -port: the first that is free.
var apiPorts = []string{apiPort, "8091", "8092", "8093", "8094", "8095", "8096", "8097", "8098", "8099"}

// world is everything that runs.
type world struct {
	project string
	apiURL  string
	port    string // that -port names for the API, "" without it
	devURL  string // "" without -dev
	shop    string // that is searched: that -catalog filled, or the sample shop; "" if there is none
	filled  bool   // it was filled before the photos
	results *arrivals
	fail    func(error) // ends everything with that error

	firestore *firestore.Server
	gemini    *gemini.Server   // nil with the real model, and with a recording
	ollama    *ollama.Model    // that gemini asks; nil without -ollama
	recorder  *replay.Recorder // nil without -record
	player    *replay.Player   // nil without -replay
	replayed  replay.Recording
	storage   *storage.Server
	pubsub    *pubsub.Server
	bridge    *eventarc.Bridge
	weather   *openweather.Server // nil with the real model
	web       *site.Server        // nil with the real model
	closers   []func()            // run from the last to the first
}

// startWorld starts the emulators, and the functions until ctx ends. What cannot
// continue later gets errors. The caller must close the world, even after an error.
func startWorld(ctx context.Context, o options, fail func(error)) (*world, error) {
	w := &world{project: emulated, port: o.port, results: newArrivals(), fail: fail}
	if o.real {
		w.project = cmp.Or(os.Getenv("GOOGLE_CLOUD_PROJECT"), emulated)
	}
	if o.dataDir != "" {
		if err := w.own(o.dataDir); err != nil {
			return w, err
		}
	}
	if o.ollama.set {
		if err := w.findLocal(ctx, o); err != nil {
			return w, err
		}
	}
	if err := w.startEmulators(o); err != nil {
		return w, err
	}
	switch {
	case o.catalog != "":
		w.shop = shopOf(o.catalog)
	case o.fills():
		w.shop = samples.EyewearShop
	}
	if err := w.importProducts(ctx); err != nil {
		return w, fmt.Errorf("no photo would get a result: %w", err)
	}
	if o.catalog != "" {
		if err := w.importCatalogue(ctx, o.catalog); err != nil {
			return w, err
		}
		w.filled = true
	}
	if err := w.startFunctions(ctx); err != nil {
		return w, err
	}
	if o.dev {
		dev, err := w.startFunction(ctx, developing, devPort, w.forFunctions())
		if err != nil {
			return w, err
		}
		w.devURL = dev.url() + "/ui/"
	}
	return w, w.ready(ctx)
}

// own creates dir and locks it against other instances.
func (w *world) own(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usageError{fmt.Errorf("-data: %w", err)}
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	w.closers = append(w.closers, func() { _ = f.Close() })
	if err := lock(f); err != nil {
		return fmt.Errorf("-data %s is in use: another instance keeps its files there", dir)
	}
	return nil
}

func (w *world) startEmulators(o options) (err error) {
	kept := func(name string) string {
		if o.dataDir == "" {
			return ""
		}
		return filepath.Join(o.dataDir, name)
	}
	if w.firestore, err = at(firestorePort, func(addr string) (*firestore.Server, error) {
		return firestore.Start(firestore.Options{Addr: addr, Dir: kept("firestore")})
	}); err != nil {
		return err
	}
	w.closers = append(w.closers, w.closeFirestore)
	if err := w.startModel(o); err != nil {
		return err
	}
	if err := w.startPubSub(); err != nil {
		return err
	}
	if w.storage, err = at(storagePort, func(addr string) (*storage.Server, error) {
		return storage.Start(storage.Options{Addr: addr, Dir: kept("storage"), Buckets: []string{uploadBucket, resultsBucket}, Events: w.finalized})
	}); err != nil {
		return err
	}
	w.closers = append(w.closers, w.storage.Close)
	return nil
}

// startModel starts the emulated model or player, and the recorder before it.
func (w *world) startModel(o options) error {
	if !o.real {
		for _, start := range []func() error{w.startWeather, w.startWeb} {
			if err := start(); err != nil {
				return err
			}
		}
	}
	switch {
	case o.replay != "":
		return w.startPlayer(o)
	case !o.real:
		if err := w.startGemini(o.budget, o.pace); err != nil {
			return err
		}
	}
	if o.record == "" {
		return nil
	}
	return w.startRecorder(o, environment())
}

func (w *world) startPubSub() (err error) {
	if w.pubsub, err = at(pubsubPort, func(addr string) (*pubsub.Server, error) {
		return pubsub.Start(pubsub.Options{Addr: addr})
	}); err != nil {
		return err
	}
	w.closers = append(w.closers, w.pubsub.Close)
	if w.bridge, err = eventarc.Start(eventarc.Options{PubSub: w.pubsub, Project: w.project}); err != nil {
		return err
	}
	w.closers = append(w.closers, w.bridge.Close)
	return nil
}

// closeFirestore reports documents that could not be saved, as nothing else does.
func (w *world) closeFirestore() {
	if err := w.firestore.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "emulators:", err)
	}
}

// at starts a server at port or, if that is taken, at any port.
func at[T any](port string, start func(addr string) (T, error)) (T, error) {
	if s, err := start(net.JoinHostPort("127.0.0.1", port)); err == nil {
		return s, nil
	}
	return start("127.0.0.1:0")
}

// finalized passes on the notification of an object.
func (w *world) finalized(e storage.Event) {
	if e.Bucket == resultsBucket {
		w.results.landed(e)
	}
	w.bridge.Finalized(e)
}

// deliveries is the number of deliveries of a photo, within a minute, before it becomes a
// dead letter and its waiter gets an error.
const deliveries = 10

func (w *world) startFunctions(ctx context.Context) error {
	env := w.forFunctions()
	for _, name := range []string{resultsTopic, failuresTopic} {
		if err := w.pubsub.CreateTopic(w.topic(name)); err != nil {
			return err
		}
	}
	if err := w.pubsub.CreateSubscription("projects/"+w.project+"/subscriptions/"+failuresSubscription, w.topic(failuresTopic)); err != nil {
		return err
	}
	api, err := w.startAPI(ctx, env)
	if err != nil {
		return err
	}
	w.apiURL = api.url()
	upload, err := w.startFunction(ctx, "Upload", uploadPort, env)
	if err != nil {
		return err
	}
	task, err := w.startFunction(ctx, "Task", taskPort, env)
	if err != nil {
		return err
	}
	if err := w.bridge.Add(w.route(uploadTopic, uploadBucket, upload)); err != nil {
		return err
	}
	w.pubsub.Subscribe(w.topic(uploadTopic)+"-dead-letter", w.results.stuck)
	if err := w.bridge.Add(w.route(longTopic, "", task)); err != nil {
		return err
	}
	return w.bridge.Add(w.route(tasksTopic, "", task))
}

func (w *world) topic(name string) string { return "projects/" + w.project + "/topics/" + name }

// route returns the push subscription of topic to f. Dead letters are pushed to f too,
// until their work is done or given up.
func (w *world) route(topic, bucket string, f *function) eventarc.Route {
	endpoint := eventarc.Endpoint(f.url(), w.project, topic)
	return eventarc.Route{
		Topic: topic, Bucket: bucket, Endpoint: endpoint, DeadLetter: endpoint + "-dead-letter",
		AckDeadline: 600 * time.Second, MinBackoff: 200 * time.Millisecond, MaxBackoff: 10 * time.Second, MaxDeliveries: deliveries,
	}
}

// startAPI starts the API at -port, else at the first usual port that is free.
func (w *world) startAPI(ctx context.Context, env []string) (*function, error) {
	if w.port != "" {
		return w.serve(ctx, "API", w.port, env)
	}
	port, err := w.free(apiPorts...)
	if err != nil {
		return nil, err
	}
	return w.serve(ctx, "API", port, env)
}

func (w *world) startFunction(ctx context.Context, target, port string, env []string) (*function, error) {
	port, err := w.free(port)
	if err != nil {
		return nil, err
	}
	return w.serve(ctx, target, port, env)
}

func (w *world) serve(ctx context.Context, target, port string, env []string) (*function, error) {
	f, err := startFunction(ctx, target, port, env, w.fail)
	if err == nil {
		w.closers = append(w.closers, f.stop)
	}
	return f, err
}

// free returns the first of the usual ports that is free, else another free one. Only the
// instance that has Firestore's usual port tries the functions' usual ports: two that
// start at the same time would both find them free. Any other port is below the kernel's
// ephemeral range (see emulate.FreePort), so that a restarted function finds it free.
func (w *world) free(usual ...string) (string, error) {
	if w.firestore.Addr() == net.JoinHostPort("127.0.0.1", firestorePort) {
		for _, port := range usual {
			if checkPort(port) == nil {
				return port, nil
			}
		}
	}
	var failed error
	for range 100 {
		port := strconv.Itoa(12_000 + rand.N(20_000))
		l, err := net.Listen("tcp", ":"+port)
		if err == nil {
			return port, l.Close()
		}
		failed = err
	}
	return "", failed
}

// checkPort refuses a port that is invalid or taken; "" means no port.
func checkPort(port string) error {
	if n, err := strconv.Atoi(port); port != "" && (err != nil || n < 1 || n > 65535) {
		return fmt.Errorf("-port is %q: want a number from 1 to 65535", port)
	}
	if port == "" {
		return nil
	}
	l, err := net.Listen("tcp", ":"+port)
	if err != nil {
		return fmt.Errorf("port %s is taken: stop what serves there, or choose another with -port", port)
	}
	return l.Close()
}

// close stops everything in reverse order of starting: first the functions, so that they
// can finish and save their work.
func (w *world) close() {
	for i := len(w.closers) - 1; i >= 0; i-- {
		w.closers[i]()
	}
}
