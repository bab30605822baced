package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
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
	return w.inWorld(ctx, c, emulatedAnswers(o))
}

// answerers are the models that an API in this process asks.
type answerers struct {
	start    func(gemini.Options) (*gemini.Server, error)
	settings []string      // that name them, as NAME=value; none for the emulated ones
	local    *ollama.Model // nil for the emulated ones
	priced   bool          // the models of the environment, or the default ones, name the price
}

func emulatedAnswers(o answers.Options) answerers {
	return answerers{start: func(wire gemini.Options) (*gemini.Server, error) { return answers.Start(wire, o) }}
}

// localAnswers returns the models of Ollama that the environment names, or the default ones.
func localAnswers(ctx context.Context) (answerers, error) {
	m, err := ollama.Open(ctx, ollama.Options{})
	if err != nil {
		return answerers{}, usageError{err}
	}
	return answerers{start: m.Start, settings: m.Settings(), local: m}, nil
}

// memory returns how much memory the models take that s asks on this machine, in bytes by
// name; nil of a service with other models.
func (s *service) memory(ctx context.Context, c *console) map[string]int64 {
	if s.local == nil {
		return nil
	}
	sizes, err := s.local.Memory(ctx)
	if err != nil {
		c.say("memory of the local model: %v", err) // the figures are worth more than this one
	}
	return sizes
}

// errDeployed refuses emulators beside what is deployed.
var errDeployed = usage("K_SERVICE is set, as on Cloud Run: nothing emulated may serve there")

// inWorld starts the API in this process with emulators and models.
func (w where) inWorld(ctx context.Context, c *console, models answerers) (*service, error) {
	if os.Getenv("K_SERVICE") != "" {
		return nil, errDeployed
	}
	world, err := startWorld(models)
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
	s.local, s.close = models.local, func() { stop(); world.close() }
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

// startWorld starts the emulators on free ports and points the environment of this process
// at them, until the world is closed. The caller must close it, even after an error.
func startWorld(models answerers) (*world, error) {
	w := &world{closers: []func(){environmentKeeper()}}
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
	model, err := models.start(gemini.Options{})
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
		"THINKING_MODEL": "emulated-thinking", "STRUCTURED_MODEL": "emulated-structured", "RELEVANCE_CHECK_MODEL": "emulated-relevance",
	}
	if models.priced {
		delete(variables, "IMAGE_MODEL")
		delete(variables, "JUDGE_MODEL")
	}
	for _, line := range models.settings {
		name, value, _ := strings.Cut(line, "=")
		variables[name] = value
	}
	return w, setenv(variables)
}

// environmentKeeper returns a function that makes the environment what it is now: what one
// model needs does not hold for the next.
func environmentKeeper() func() {
	before := os.Environ()
	return func() {
		os.Clearenv()
		for _, line := range before {
			name, value, _ := strings.Cut(line, "=")
			_ = os.Setenv(name, value) // it was set before
		}
	}
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
