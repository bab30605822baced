package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"

	"example.com/whatis/emulators/running"
)

// elsewhere has the flags that name a remote service.
type elsewhere struct {
	URL     *string `name:"url" placeholder:"URL" help:"The service's address; the default is API_URL in the environment."`
	Verbose bool    `short:"v" help:"Also print the steps of agents and tools, and every retry."`
}

// address returns the service's address, "" if neither flag nor environment names one.
func (e elsewhere) address() string {
	if e.URL != nil {
		return *e.URL
	}
	return os.Getenv("API_URL")
}

// served reports whether a service is asked, and not the catalogue of the environment.
func (e elsewhere) served() bool {
	return e.URL != nil || e.address() != "" && os.Getenv("GOOGLE_CLOUD_PROJECT") == ""
}

// open returns a client of the service that e names.
func (e elsewhere) open(c *console) (*service, error) {
	if e.address() == "" {
		return nil, usage("no service is named: use --url https://…, or set API_URL; go run ./emulators starts a local one that costs nothing")
	}
	return at(e.address(), e.noter(c))
}

// where has the flags that choose the service.
type where struct {
	elsewhere
	Emulated bool `help:"Use an emulated model, which costs nothing and knows little: in the emulators that go run ./emulators runs on this machine, else with everything in this process."`
}

const noService = "no service is named: use --emulated (no key, no cost: the emulators that run here, or everything in this process), --url https://… (or API_URL), " +
	"or set UPLOAD_BUCKET and RESULTS_BUCKET to use paid Google services; see whatisit analyze --help"

// open returns the service that w and the environment name. An API key in the
// environment does not name one.
func (w where) open(ctx context.Context, c *console) (*service, error) {
	upload, results := os.Getenv("UPLOAD_BUCKET"), os.Getenv("RESULTS_BUCKET")
	switch {
	case w.Emulated && w.URL != nil:
		return nil, usage("--emulated and --url are two different services: choose one")
	case w.Emulated:
		return w.emulated(ctx, c)
	case w.address() != "":
		return at(w.address(), w.noter(c))
	case upload == "" && results == "":
		return nil, usage(noService)
	case upload == "" || results == "":
		return nil, usage("the environment sets UPLOAD_BUCKET to %q and RESULTS_BUCKET to %q: set both, or use --url or --emulated", upload, results)
	}
	if !strings.HasPrefix(os.Getenv("IMAGE_MODEL"), "emulated") {
		c.say("REAL MODEL: photos are sent to Google, and you pay for their analysis.")
	}
	return w.here(ctx, c)
}

// found returns w for the emulators that run on this machine, if it is for emulated services
// and there are any. Those that ask a real, a local or a recorded model are not used, nor any
// beside products of the caller's own.
func (w where) found(c *console) where {
	if !w.Emulated || w.URL != nil || os.Getenv("PRODUCTS_DB") != "" || os.Getenv("K_SERVICE") != "" {
		return w
	}
	settings, err := running.Find("")
	if errors.Is(err, running.ErrNone) {
		return w
	}
	if err != nil {
		c.say("%v by --url http://127.0.0.1:PORT; this is in a process of its own", err)
		return w
	}
	if !strings.HasPrefix(settings.Get("IMAGE_MODEL"), "emulated") {
		return w
	}
	c.say("the emulators at %s", settings.URL())
	address := settings.URL()
	w.Emulated, w.URL = false, &address
	return w
}

// noter returns a function that prints notes if -v is set.
func (e elsewhere) noter(c *console) func(string, ...any) {
	if e.Verbose {
		return c.say
	}
	return func(string, ...any) {}
}

// log prints the log of a service in this process: errors, whose details are not in its
// responses, and with -v everything else.
func (e elsewhere) log(c *console) {
	level := slog.LevelError
	if e.Verbose {
		level = slog.LevelInfo
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(c, &slog.HandlerOptions{Level: level})))
}
