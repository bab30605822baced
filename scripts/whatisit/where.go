package main

import (
	"context"
	"log/slog"
	"os"
	"strings"
)

// where says who answers.
type where struct {
	URL      *string `name:"url" placeholder:"URL" help:"The service to ask; API_URL in the environment is the default."`
	Emulated bool    `help:"Run everything in this process with an emulated model: no key, no network, no accuracy."`
	Verbose  bool    `short:"v" help:"Also print what the agents and tools do, and every retry."`
}

const noService = "no service is named: use --emulated (everything in this process: no key, no network), --url https://… (or API_URL), " +
	"or set UPLOAD_BUCKET and RESULTS_BUCKET for services that are paid; whatisit analyze --help says more"

// open returns the service that w and the environment name. A key in the
// environment alone names none.
func (w where) open(ctx context.Context, c *console) (*service, error) {
	address := os.Getenv("API_URL")
	if w.URL != nil {
		address = *w.URL
	}
	upload, results := os.Getenv("UPLOAD_BUCKET"), os.Getenv("RESULTS_BUCKET")
	switch {
	case w.Emulated && w.URL != nil:
		return nil, usage("--emulated and --url are two different services: choose one")
	case w.Emulated:
		return w.emulated(ctx, c)
	case address != "":
		return at(address, w.noter(c))
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
func (w where) noter(c *console) func(string, ...any) {
	if w.Verbose {
		return c.say
	}
	return func(string, ...any) {}
}

// log prints what the service says in this process: errors, whose detail its
// answers leave out, and all else with -v.
func (w where) log(c *console) {
	level := slog.LevelError
	if w.Verbose {
		level = slog.LevelInfo
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(c, &slog.HandlerOptions{Level: level})))
}
