package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/firestore"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/emulators/storage"
)

// What runs here, by name.
const (
	project       = "emulated"
	uploadBucket  = "uploads"
	resultsBucket = "results"
	uploadTopic   = "uploads"
)

// The addresses that are used where they are free, so that they can be learnt.
const (
	apiAddr       = "127.0.0.1:8080"
	uploadAddr    = "127.0.0.1:8081"
	firestoreAddr = "127.0.0.1:8082"
	geminiAddr    = "127.0.0.1:8083"
	storageAddr   = "127.0.0.1:8084"
	pubsubAddr    = "127.0.0.1:8085"
)

// world is everything that runs.
type world struct {
	real   bool
	dir    string // of files that functions need
	apiURL string
	landed chan storage.Event // results, as they land

	firestore *firestore.Server
	gemini    *gemini.Server // nil with the real model
	storage   *storage.Server
	pubsub    *pubsub.Server
	bridge    *eventarc.Bridge
	functions []*function
	closers   []func()
}

// startWorld starts the emulators and the functions.
func startWorld(o options) (w *world, err error) {
	w = &world{real: o.real, landed: make(chan storage.Event, 1000)}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if o.real {
		if err := realModel(); err != nil {
			return w, err
		}
	}
	if w.dir, err = w.folder(o.dataDir); err != nil {
		return w, err
	}
	if err := w.startEmulators(o.dataDir); err != nil {
		return w, err
	}
	return w, w.startFunctions()
}

// folder is where files are kept: dir, or one that goes with the world.
func (w *world) folder(dir string) (string, error) {
	if dir != "" {
		return dir, os.MkdirAll(dir, 0o755)
	}
	temp, err := os.MkdirTemp("", "whatis-")
	w.closers = append(w.closers, func() { _ = os.RemoveAll(temp) })
	return temp, err
}

func (w *world) startEmulators(dataDir string) (err error) {
	kept := func(name string) string {
		if dataDir == "" {
			return ""
		}
		return filepath.Join(dataDir, name)
	}
	if w.firestore, err = firestore.Start(firestore.Options{Addr: free(firestoreAddr), Dir: kept("firestore")}); err != nil {
		return err
	}
	if !w.real {
		if w.gemini, err = gemini.Start(gemini.Options{Addr: free(geminiAddr)}); err != nil {
			return err
		}
	}
	if w.pubsub, err = pubsub.Start(pubsub.Options{Addr: free(pubsubAddr)}); err != nil {
		return err
	}
	if w.bridge, err = eventarc.Start(eventarc.Options{PubSub: w.pubsub, Project: project}); err != nil {
		return err
	}
	w.storage, err = storage.Start(storage.Options{
		Addr: free(storageAddr), Dir: kept("storage"), Buckets: []string{uploadBucket, resultsBucket},
		Events: func(e storage.Event) {
			if e.Bucket == resultsBucket {
				w.landed <- e
			}
			w.bridge.Finalized(e)
		},
	})
	return err
}

// free is addr if nobody listens there, else a free port.
func free(addr string) string {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "127.0.0.1:0"
	}
	_ = l.Close()
	return addr
}

func (w *world) startFunctions() error {
	catalogue := filepath.Join(w.dir, "products_db.json")
	if err := os.WriteFile(catalogue, samples.ProductsDB, 0o644); err != nil {
		return err
	}
	env := append(w.env(), "PRODUCTS_DB="+catalogue)
	api, err := startFunction("API", free(apiAddr), env)
	if err != nil {
		return err
	}
	upload, err := startFunction("Upload", free(uploadAddr), env)
	if err != nil {
		return errors.Join(err, api.stop())
	}
	w.functions = []*function{api, upload}
	w.apiURL = api.url
	return w.bridge.Add(eventarc.Route{
		Topic: uploadTopic, Bucket: uploadBucket, Endpoint: eventarc.Endpoint(upload.url, project, uploadTopic),
		AckDeadline: 600 * time.Second, MinBackoff: 200 * time.Millisecond, MaxBackoff: 10 * time.Second, MaxDeliveries: 100,
	})
}

// env are the lines that point programs at this world.
func (w *world) env() []string {
	env := []string{
		"GOOGLE_CLOUD_PROJECT=" + project,
		"UPLOAD_BUCKET=" + uploadBucket,
		"RESULTS_BUCKET=" + resultsBucket,
		"LEARN_FROM_SEARCH=true",
		"STORAGE_EMULATOR_HOST=" + w.storage.URL(),
		"FIRESTORE_EMULATOR_HOST=" + w.firestore.Addr(),
		"PUBSUB_EMULATOR_HOST=" + w.pubsub.Addr(),
	}
	if w.real {
		return env
	}
	return append(env,
		"GOOGLE_GEMINI_BASE_URL="+w.gemini.URL(),
		"GOOGLE_API_KEY=emulated",
		"IMAGE_MODEL=emulated-image",
		"JUDGE_MODEL=emulated-judge",
		"EMBEDDING_MODEL=emulated-embedding",
	)
}

// close stops everything, the functions first.
func (w *world) close() {
	for _, f := range w.functions {
		_ = f.stop()
	}
	if w.bridge != nil {
		w.bridge.Close()
	}
	if w.storage != nil {
		w.storage.Close()
	}
	if w.pubsub != nil {
		w.pubsub.Close()
	}
	if w.gemini != nil {
		_ = w.gemini.Close()
	}
	if w.firestore != nil {
		if err := w.firestore.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "emulators:", err)
		}
	}
	for _, c := range w.closers {
		c()
	}
}

// realModel refuses -real without credentials and says what it costs.
func realModel() error {
	key := os.Getenv("GOOGLE_API_KEY") != "" || os.Getenv("GEMINI_API_KEY") != ""
	vertex := strings.EqualFold(os.Getenv("GOOGLE_GENAI_USE_VERTEXAI"), "true") || os.Getenv("GOOGLE_GENAI_USE_VERTEXAI") == "1"
	if !key && !vertex {
		return errors.New("-real needs GOOGLE_API_KEY, or GOOGLE_GENAI_USE_VERTEXAI=true with GOOGLE_CLOUD_PROJECT")
	}
	fmt.Print(`REAL MODEL: photos leave this machine and are paid for. A photo takes 1 to 5 model
calls, fractions of a cent, and up to 6 web searches of 1.4 cents where nothing
else knows it: at most about 10 cents a photo. Each result says what it cost.

`)
	return nil
}
