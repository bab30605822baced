package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/firestore"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/ollama"
	"example.com/whatis/emulators/openweather"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/emulators/storage"
	"example.com/whatis/internal/app"
)

// here starts the API in this process, with the Google services that the environment
// names. Wrong settings are an error before any photo is sent.
func (w where) here(ctx context.Context, c *console) (*service, error) {
	w.log(c)
	config, err := app.ReadConfig(ctx)
	if err != nil {
		return nil, usageError{err}
	}
	a := app.New(config)
	if _, err := a.Intake(ctx); err != nil {
		return nil, err
	}
	inside := newPipe()
	server := &http.Server{Handler: a.API(), ErrorLog: slog.NewLogLogger(slog.Default().Handler(), slog.LevelError)}
	go func() { _ = server.Serve(inside) }()
	over := &http.Transport{DialContext: inside.dial, MaxIdleConnsPerHost: maxJobs}
	return &service{
		base: inProcess, client: direct(over), note: w.noter(c), close: func() { _ = server.Close() },
	}, nil
}

// inProcess is the address of the API in this process.
const inProcess = "http://in-process"

// A pipe is a listener without a port: no other process can connect and cause costs.
type pipe struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipe() *pipe { return &pipe{conns: make(chan net.Conn), closed: make(chan struct{})} }

// Accept returns the next connection that is dialled.
func (p *pipe) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close makes all Accept and Dial calls return.
func (p *pipe) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr returns a placeholder, as a pipe has no address.
func (p *pipe) Addr() net.Addr { return &net.UnixAddr{Name: "in-process", Net: "pipe"} }

func (p *pipe) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

const emulatedBanner = "EMULATED MODEL: it reads the project's samples, barcodes and, with tesseract, printed text. Its answers say nothing about accuracy."

// emulated starts the API in this process with emulators, whose data is lost at the end.
func (w where) emulated(ctx context.Context, c *console) (*service, error) {
	c.emulated()
	return w.emulatedAs(ctx, c, answers.Options{})
}

// emulatedAs is emulated with a given model.
func (w where) emulatedAs(ctx context.Context, c *console, o answers.Options) (*service, error) {
	if os.Getenv("K_SERVICE") != "" {
		return nil, usage("K_SERVICE is set, as on Cloud Run: nothing emulated may serve there")
	}
	return w.inWorld(ctx, c, func(wire gemini.Options) (*gemini.Server, error) { return answers.Start(wire, o) }, nil)
}

// local starts the API in this process with emulators and the models of Ollama, and tells
// at the end how much memory these take.
func (w where) local(ctx context.Context, c *console) (*service, error) {
	m, err := ollama.Open(ctx, ollama.Options{Vision: os.Getenv("OLLAMA_VISION"), Judge: os.Getenv("OLLAMA_JUDGE"), Embed: os.Getenv("OLLAMA_EMBED")})
	if err != nil {
		return nil, usageError{err}
	}
	c.say("LOCAL MODEL: %v, on this machine. Its figures are not those of Google's models.", m)
	s, err := w.inWorld(ctx, c, m.Start, m.Settings())
	if err != nil {
		return nil, err
	}
	stop := s.close
	s.close = func() { tellMemory(ctx, c, m); stop() }
	return s, nil
}

// tellMemory prints how much memory the loaded models take.
func tellMemory(ctx context.Context, c *console, m *ollama.Model) {
	sizes, err := m.Memory(ctx)
	if err != nil {
		c.say("memory of the local model: %v", err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		c.say("%s takes %.1f GB of memory", name, float64(sizes[name])/1e9)
	}
}

// inWorld starts the API in this process with emulators and a model. settings are
// variables besides those of the emulators.
func (w where) inWorld(ctx context.Context, c *console, model startModel, settings []string) (*service, error) {
	world, err := startWorldWith(model, settings)
	if err != nil {
		world.close()
		return nil, fmt.Errorf("emulators: %w", err)
	}
	if err := importSamples(ctx); err != nil {
		world.close()
		return nil, err
	}
	s, err := w.here(ctx, c)
	if err != nil {
		world.close()
		return nil, err
	}
	stop := s.close
	s.close = func() { stop(); world.close() }
	return s, nil
}

// importSamples imports the products of the project's samples into the catalogue.
func importSamples(ctx context.Context) error {
	config, err := app.ReadConfig(ctx)
	if err != nil {
		return usageError{err}
	}
	_, err = app.New(config).Import(ctx, bytes.NewReader(samples.ProductsDB), nil, nil)
	return err
}

// A world is a set of running emulators.
type world struct{ closers []func() }

func (w *world) close() {
	for _, end := range w.closers {
		end()
	}
}

// startWorld starts the emulators on free ports and points the environment of
// this process at them. The caller must close the world, even after an error.
func startWorld(o answers.Options) (*world, error) {
	return startWorldWith(func(wire gemini.Options) (*gemini.Server, error) { return answers.Start(wire, o) }, nil)
}

// A startModel starts the emulated Gemini API.
type startModel func(gemini.Options) (*gemini.Server, error)

// startWorldWith is startWorld with a model and further variables, as NAME=value.
func startWorldWith(start startModel, settings []string) (*world, error) {
	w := &world{}
	documents, err := firestore.Start(firestore.Options{})
	if err != nil {
		return w, err
	}
	w.closers = append(w.closers, func() { _ = documents.Close() })
	objects, err := storage.Start(storage.Options{Buckets: []string{"uploads", "results"}})
	if err != nil {
		return w, err
	}
	w.closers = append(w.closers, objects.Close)
	model, err := start(gemini.Options{})
	if err != nil {
		return w, err
	}
	w.closers = append(w.closers, func() { _ = model.Close() })
	sky, err := openweather.Start(openweather.Options{})
	if err != nil {
		return w, err
	}
	w.closers = append(w.closers, func() { _ = sky.Close() })
	variables := map[string]string{
		"OPENWEATHER_BASE_URL": sky.URL(), "OPENWEATHER_API_KEY": "emulated", "FORECAST_MODEL": "emulated-forecast", "SPEECH_MODEL": "emulated-speech",
		"GOOGLE_CLOUD_PROJECT": "emulated", "UPLOAD_BUCKET": "uploads", "RESULTS_BUCKET": "results",
		"RESULTS_TOPIC": "", "TASKS_TOPIC": "", "LONG_TASKS_TOPIC": "", "FIRESTORE_DATABASE": "(default)",
		"STORAGE_EMULATOR_HOST": objects.URL(), "FIRESTORE_EMULATOR_HOST": documents.Addr(),
		"GOOGLE_GEMINI_BASE_URL": model.URL(), "GOOGLE_API_KEY": "emulated",
		"IMAGE_MODEL": "emulated-image", "JUDGE_MODEL": "emulated-judge", "EMBEDDING_MODEL": "emulated-embedding",
	}
	for _, line := range settings {
		name, value, _ := strings.Cut(line, "=")
		variables[name] = value
	}
	return w, setenv(variables)
}

// setenv sets these variables and unsets Google's variables that would make a client use
// real services: keys, credentials, Vertex AI.
func setenv(variables map[string]string) error {
	for _, line := range os.Environ() {
		name, _, _ := strings.Cut(line, "=")
		if strings.HasPrefix(name, "GOOGLE_") || strings.HasPrefix(name, "GEMINI_") {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	return setVariables(variables)
}

// setVariables sets these variables.
func setVariables(variables map[string]string) error {
	for name, value := range variables {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}
