package main

import (
	"context"
	"log/slog"
	"os"
	"strings"
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
	Emulated bool `help:"Run everything in this process with an emulated model: no key, no network, no accuracy."`
}

const noService = "no service is named: use --emulated (everything in this process: no key, no network), --url https://… (or API_URL), " +
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
