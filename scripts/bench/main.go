//go:build linux

// Command bench measures what whatis itself costs, as users run it: the program as it is
// deployed, with its defaults, on one core, beside two floors in the same run.
//
//	clients ─→ function/cmd, on core 0 ─→ a model that answers at once, Firestore, storage
//	       ├─→ bare floor, on core 0 ───→ the same model
//	       └─→ storing floor, on core 0 → the same model and Firestore
//
//	go run ./scripts/bench                                # prints the tables
//	go run ./scripts/bench -hold -write docs/performance.md
//	go run ./scripts/bench -counts                        # calls, reads and bytes against their budgets
//	go run ./scripts/bench -json new.json -compare old.json
//	go run ./scripts/bench -only local_db -profile DIR    # and go tool pprof -top DIR/*
//	go run ./scripts/bench -only "0.3 MB, image" -beside "node server.mjs"
//
// A floor makes the function's calls for a photo and does nothing else: it checks nothing,
// decides nothing and reads no pixel. Ratios to floors say more than times: all run on the
// same core within the same minute, with the same settings of Go's collector, and nothing of
// the environment reaches them. Clients, model and services have the other cores.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
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
	counts     bool   // hold what is counted, and time nothing
	profile    string // directory for profiles of the function's processor time; "" none
	write      string // the document whose tables are replaced; "" none
	beside     string // the command of another server that does the same; "" none
	after      int    // photos after which memory is read
}

// programs are the function as it is deployed, and as it writes profiles and counts what it
// allocates.
type programs struct{ deployed, profiled string }

func main() {
	if len(os.Args) == 4 && os.Args[1] == "floor" { // started by run
		fail(serveFloor(os.Args[2], os.Args[3] == "true"))
		return
	}
	fail(apart())
	var o options
	flag.IntVar(&o.requests, "n", 100, "requests of each case, one at a time")
	flag.IntVar(&o.throughput, "crowd", 400, "requests of each crowd")
	flag.IntVar(&o.starts, "starts", 10, "starts of the program")
	flag.IntVar(&o.after, "after", 1000, "photos after which memory is read")
	flag.StringVar(&o.write, "write", "", "replace the tables of this `document`")
	flag.StringVar(&o.json, "json", "", "write the figures to this `file`")
	flag.StringVar(&o.compare, "compare", "", "print each figure beside that of an earlier run's `file`")
	flag.StringVar(&o.only, "only", "", "measure the cases whose name holds this `text`")
	flag.BoolVar(&o.hold, "hold", false, "fail when a count is over its budget or, on a quiet machine, a ratio by more than noise")
	flag.BoolVar(&o.counts, "counts", false, "hold the counts alone (calls, reads, bytes), in a short run without floors, crowds and starts")
	flag.StringVar(&o.beside, "beside", "", "measure the server of this `command` too: it answers /health and POST /analyze at 127.0.0.1:PORT, and asks the model at GOOGLE_GEMINI_BASE_URL")
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
	p := programs{filepath.Join(dir, "function"), filepath.Join(dir, "profiled")}
	if o.counts { // which do not depend on how it is built: as the tests are, from the cache
		if err := build(ctx, p.profiled, profiling); err != nil {
			return err
		}
		o.requests, p.deployed = 5, p.profiled
		figures, err := w.measure(ctx, p, o)
		if err == nil {
			fmt.Fprintf(out, "calls, reads and bytes of %d kinds of photos, %d of searches and %d of other requests\n", len(figures.Cases), len(figures.Searches), len(figures.Requests))
			figures.Others = [2]float64{1, 1} // nothing was timed: hold must compare no times
			err = figures.hold()
		}
		return err
	}
	if err := build(ctx, p.profiled, deployed+","+profiling, "CGO_ENABLED=0"); err != nil {
		return err
	}
	tags := deployed
	if o.profile != "" {
		tags += "," + profiling
	}
	if err := build(ctx, p.deployed, tags, "CGO_ENABLED=0"); err != nil {
		return err
	}
	before := othersShare()
	figures, err := w.measure(ctx, p, o)
	if err != nil {
		return err
	}
	figures.Others, figures.Machine = [2]float64{before, othersShare()}, machine()
	if !figures.quiet() {
		fmt.Fprintln(out, "Other programs use this machine: its times say little, and -hold holds the counts alone.")
	}
	var tables bytes.Buffer
	figures.print(&tables, old)
	if _, err := out.Write(tables.Bytes()); err != nil {
		return err
	}
	if err := writeTables(o.write, tables.Bytes()); err != nil {
		return err
	}
	if err := writeFigures(o.json, figures); err != nil || !o.hold {
		return err
	}
	return figures.hold()
}

// Lines between which writeTables replaces what a document has.
const (
	tablesBegin = "<!-- measured by scripts/bench -->\n\n"
	tablesEnd   = "<!-- end -->\n"
)

// writeTables replaces the tables of a document; "" is none.
func writeTables(document string, tables []byte) error {
	if document == "" {
		return nil
	}
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	before, rest, found := bytes.Cut(text, []byte(tablesBegin))
	_, after, ended := bytes.Cut(rest, []byte(tablesEnd))
	if !found || !ended {
		return fmt.Errorf("%s has no place for the tables: lines %q and %q", document, tablesBegin, tablesEnd)
	}
	return os.WriteFile(document, slices.Concat(before, []byte(tablesBegin), tables, []byte(tablesEnd), after), 0o644)
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
