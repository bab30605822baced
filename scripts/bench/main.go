//go:build linux

// Command bench measures what whatis itself costs a photo, as users run it: the
// program as it is deployed, with its defaults, on one core, beside a bare
// handler in the same run.
//
//	clients ─→ function/cmd, on core 0 ─→ a model that answers at once, Firestore, storage
//	       └─→ bare handler, on core 0 ─→ the same model
//
//	go run ./scripts/bench                      # prints the table of budgets
//	go run ./scripts/bench -json new.json -compare old.json
//	go run ./scripts/bench -only local_db -profile DIR    # and go tool pprof -top DIR/*
//
// The bare handler is a net/http server that makes the calls of a framework whose
// model decides what to do next: two to read a photo, three and an embedding with
// the catalogue, six and two with the web, the photo in the first alone. It keeps
// nothing, checks nothing and decodes nothing. Ratios to it say more than times:
// both run on the same core within the same minute.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
)

// options are the command line's.
type options struct {
	requests   int    // of each case, one at a time
	throughput int    // of each crowd
	starts     int    // of the program
	json       string // where to write the figures; "" nowhere
	compare    string // figures of an earlier run; "" none
	only       string // the cases whose name holds it
	hold       bool   // fail over the budgets
	profile    string // directory for profiles of the function's processor time; "" none
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "bare" { // the bare handler, started by run
		fail(serveBare(os.Args[2]))
		return
	}
	var o options
	flag.IntVar(&o.requests, "n", 100, "requests of each case, one at a time")
	flag.IntVar(&o.throughput, "crowd", 400, "requests of each crowd")
	flag.IntVar(&o.starts, "starts", 10, "starts of the program")
	flag.StringVar(&o.json, "json", "", "write the figures to this `file`")
	flag.StringVar(&o.compare, "compare", "", "print each figure beside that of an earlier run's `file`")
	flag.StringVar(&o.only, "only", "", "measure the cases whose name holds this `text`")
	flag.BoolVar(&o.hold, "hold", false, "fail when a count is over its budget, or a time by more than noise")
	flag.StringVar(&o.profile, "profile", "", "write a profile of the function's processor time in each case to this `directory`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fail(run(ctx, o, os.Stdout))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures and prints.
func run(ctx context.Context, o options, out io.Writer) error {
	if o.requests < 1 || o.throughput < 1 || o.starts < 1 {
		return errors.New("-n, -crowd and -starts want 1 or more")
	}
	old, err := readFigures(o.compare)
	if err != nil {
		return err
	}
	if o.profile != "" {
		if err := os.MkdirAll(o.profile, 0o755); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "whatis-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w, err := newWorld(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	program := filepath.Join(dir, "function")
	if err := build(ctx, program, o.profile); err != nil {
		return err
	}
	before := quiet()
	figures, err := w.measure(ctx, program, o)
	if err != nil {
		return err
	}
	if figures.Quiet = before && quiet(); !figures.Quiet {
		fmt.Fprintln(out, "Other programs use this machine: its times say little, and -hold holds the counts alone.")
	}
	figures.print(out, old)
	if err := writeFigures(o.json, figures); err != nil || !o.hold {
		return err
	}
	return figures.hold()
}

// readFigures reads what an earlier run wrote, nil for no file.
func readFigures(file string) (*figures, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var f figures
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%s is not of -json: %w", file, err)
	}
	return &f, nil
}

func writeFigures(file string, f figures) error {
	if file == "" {
		return nil
	}
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
