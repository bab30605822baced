package main

import (
	"context"
	"log/slog"
	"os"
	"strings"
)

// elsewhere says which service is asked over the network.
type elsewhere struct {
	URL     *string `name:"url" placeholder:"URL" help:"The service to ask; API_URL in the environment is the default."`
	Verbose bool    `short:"v" help:"Also print what the agents and tools do, and every retry."`
}

// address is that of the service, "" if nothing names one.
func (e elsewhere) address() string {
	if e.URL != nil {
		return *e.URL
	}
	return os.Getenv("API_URL")
}

// open returns the service that e names.
func (e elsewhere) open(c *console) (*service, error) {
	if e.address() == "" {
		return nil, usage("no service is named: use --url https://…, or set API_URL; go run ./emulators has one that costs nothing")
	}
	return at(e.address(), e.noter(c))
}

// where says who answers.
type where struct {
	elsewhere
	Emulated bool `help:"Run everything in this process with an emulated model: no key, no network, no accuracy."`
}

const noService = "no service is named: use --emulated (everything in this process: no key, no network), --url https://… (or API_URL), " +
	"or set UPLOAD_BUCKET and RESULTS_BUCKET for services that are paid; whatisit analyze --help says more"

// open returns the service that w and the environment name. A key in the
// environment alone names none.
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
		c.say("REAL MODEL: photos leave this machine and are paid for.")
	}
	return w.here(ctx, c)
}

// noter prints what -v wants to know.
func (e elsewhere) noter(c *console) func(string, ...any) {
	if e.Verbose {
		return c.say
	}
	return func(string, ...any) {}
}

// log prints what the service says in this process: errors, whose detail its
// answers leave out, and all else with -v.
func (e elsewhere) log(c *console) {
	level := slog.LevelError
	if e.Verbose {
		level = slog.LevelInfo
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(c, &slog.HandlerOptions{Level: level})))
}
