// Command prove checks this project's assumptions about the real models, once, and measures
// how often results are right.
//
//	key, limit → checks of the service → drawn packs, stickers, leaflets, labelled photos
//	           → a folder, and a sentence on what was and was not proven
//
// The folder has the recordings of all requests and answers (without keys, for
// go run ./emulators -replay), a report of each set of photos, and a list of the
// assumptions: held, failed or not checked.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const help = `go run ./scripts/prove [-limit USD] [-photos folder] [-repeat N] [-out folder] [-yes]

Asks the real models: with the key in GOOGLE_API_KEY or GEMINI_API_KEY, or on Vertex
AI with GOOGLE_GENAI_USE_VERTEXAI=true and GOOGLE_CLOUD_PROJECT. Everything else runs
in this process. It says first what it spends at most, and asks.

  -limit USD      spend no more than this, by list prices (1.00). No call is made whose
                  worst case would go beyond it
  -photos folder  photos with a labels.json (whatisit eval --help says how it looks),
                  besides what is drawn here: packs, the same with stickers that hold
                  orders to a machine, and leaflets whose honest lines sound like some
  -repeat N       ask about each photo N times (1), and say how often answers agree
  -out folder     where it is left: recordings/, eval reports, assumptions.md and .json
                  (outputs/prove_YYYYMMDD_HHMMSS)
  -yes            do not ask

A photo that the limit cut off counts as not asked, never as wrong.

The variables of docs/configuration.md (IMAGE_MODEL, JUDGE_THINKING, …) apply here too.

Exit codes: 0 every assumption that could be checked held; 1 one did not, or the limit or
something else stopped it; 2 wrong usage, or no: nothing was asked.
`

// options are the command-line options.
type options struct {
	limit  float64
	photos string
	repeat int
	out    string
	yes    bool
}

// usageError is an error before any request was sent.
type usageError struct{ error }

func main() {
	var o options
	flag.Float64Var(&o.limit, "limit", 1, "")
	flag.StringVar(&o.photos, "photos", "", "")
	flag.IntVar(&o.repeat, "repeat", 1, "")
	flag.StringVar(&o.out, "out", filepath.Join("outputs", "prove_"+time.Now().UTC().Format("20060102_150405")), "")
	flag.BoolVar(&o.yes, "yes", false, "")
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), help) }
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	err := run(ctx, o, flag.Args(), os.Stdin, os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "prove:", err)
	var wrong usageError
	if errors.As(err, &wrong) {
		os.Exit(2)
	}
	os.Exit(1)
}

func run(ctx context.Context, o options, rest []string, in io.Reader, out io.Writer) error {
	sets, err := o.sets(rest)
	if err != nil {
		return usageError{err}
	}
	w, err := newWorld(ctx, o)
	if err != nil {
		return usageError{err}
	}
	fmt.Fprint(out, w.introduction(o, sets))
	if !o.yes && !agreed(in, out) {
		return usageError{errors.New("nothing was asked and nothing spent; -yes does not ask")}
	}
	defer w.close()
	if err := w.start(ctx, o); err != nil {
		return err
	}
	facts := w.check(ctx, out)
	if err := keepFacts(o.out, w, facts); err != nil {
		return err
	}
	var all []measured
	var errs []error
	for _, s := range sets {
		m, err := w.measure(ctx, o, s, out)
		all, errs = append(all, m), append(errs, err)
	}
	errs = append(errs, w.judgeSentences(ctx, o, out))
	fmt.Fprintf(out, "\n%s\nIt is all in %s.\n", w.budget.String(), o.out)
	w.summary(out, facts, all)
	return errors.Join(append(errs, failed(facts), w.budget.reached(), ctx.Err())...)
}

// mostRepeats is the largest -repeat.
const mostRepeats = 100

// sets returns the photos to measure.
func (o options) sets(rest []string) ([]set, error) {
	switch {
	case len(rest) > 0:
		return nil, fmt.Errorf("%q: it takes options only (-h lists them)", rest)
	case !(o.limit > 0):
		return nil, fmt.Errorf("-limit is %v: name what may be spent at most, in USD", o.limit)
	case o.repeat < 1 || o.repeat > mostRepeats:
		return nil, fmt.Errorf("-repeat is %d: want 1 to %d", o.repeat, mostRepeats)
	case o.out == "":
		return nil, errors.New("-out is empty: name a folder")
	}
	return sets(o.photos)
}

// agreed asks for confirmation, and accepts only yes.
func agreed(in io.Reader, out io.Writer) bool {
	fmt.Fprint(out, "Go on? [y/N] ")
	line, _ := bufio.NewReader(in).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	fmt.Fprintln(out)
	return answer == "y" || answer == "yes"
}
