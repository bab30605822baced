// Command emulators runs whatis on this machine: the emulators, the functions,
// and the project's sample photos, or photos of yours.
//
//	photo → storage → Pub/Sub → push → Upload → Gemini, Firestore → result → a line here
//
// It stays up afterwards, so that scripts, curl and Go programs can use it. The
// functions are processes of their own: this command again, with -function.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

const help = `go run ./emulators [-once] [-dev] [-port number] [-data folder] [-catalog eyewear|file]
                  [-real] [-record folder | -replay folder] [-schema-budget n]
                  [photo…]
go run ./emulators -samples folder

Runs everything on this machine and identifies the sample photos, or the photos
named. Nothing leaves the machine and nothing is paid for, except with -real.

  -once            end after the photos. The exit code is 0 if each has a result
                   and each sample the one it should; 1 if not; 2 for wrong usage
  -dev             serve ADK's own page too, to talk to every agent and see what it
                   does; drop a photo into it
  -port number     serve the API and the page at this port; it is refused if that is taken.
                   Without it: 8080, or the next free one
  -data folder     keep photos, results and the catalogue in this folder, for the
                   next run; what it knows already need not come from the web again
  -catalog name    fill a shop to search in: with eyewear, 374 frames that are drawn
                   here, or with the products of a file, whose shop is called as the
                   file and in which your photos are looked for too: JSON Lines as
                   Open Food Facts exports them, a products_db.json or CSV
  -real            use the real model, with your key or project; it says first what
                   that costs. What the samples get is then not checked
  -record folder   keep what the model is asked and answers in this new folder, without
                   keys; with -real that of the real one
  -replay folder   answer from such a folder: no model, no key, no cost. A request that
                   is not in it is an error that shows the nearest one. It needs the
                   photos of the recording; models and settings are those of then
  -schema-budget n refuse schemas whose bounds of lists come to more, as the service is
                   reported to do; without it: 960
  -samples folder  write the sample photos into this folder, and nothing else

The variables of docs/configuration.md (POLICY, COUNTRY, …) apply here too.
`

// options are what the command line says.
type options struct {
	once     bool
	dev      bool
	port     string
	dataDir  string
	catalog  string
	real     bool
	record   string
	replay   string
	samples  string
	budget   int // of schemas
	paths    []string
	function string
}

// usageError is an error that another command line would mend.
type usageError struct{ error }

func main() {
	var o options
	flag.BoolVar(&o.once, "once", false, "")
	flag.BoolVar(&o.dev, "dev", false, "")
	flag.StringVar(&o.port, "port", "", "")
	flag.StringVar(&o.dataDir, "data", "", "")
	flag.StringVar(&o.catalog, "catalog", "", "")
	flag.BoolVar(&o.real, "real", false, "")
	flag.StringVar(&o.record, "record", "", "")
	flag.StringVar(&o.replay, "replay", "", "")
	flag.IntVar(&o.budget, "schema-budget", 0, "")
	flag.StringVar(&o.samples, "samples", "", "")
	flag.StringVar(&o.function, "function", "", "")
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), help) }
	flag.Parse()
	o.paths = flag.Args()
	// A terminal that closes ends it as Ctrl-C does. Where a reader leaves (| head),
	// the write fails instead of killing, so that everything is put away.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second Ctrl-C does not wait
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	os.Exit(code(run(ctx, o)))
}

// code prints err and is the exit code that it asks for.
func code(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "emulators:", err)
	var wrong usageError
	if errors.As(err, &wrong) {
		return 2
	}
	return 1
}

func run(ctx context.Context, o options) error {
	if o.function == importing {
		return importCatalogue(ctx, o.catalog)
	}
	if o.function != "" {
		return serveFunction(ctx, o.function)
	}
	photos, err := o.photos()
	if err != nil {
		return usageError{err}
	}
	if o.samples != "" && len(o.paths) > 0 {
		return usageError{errors.New("-samples writes the samples: name no photos")}
	}
	if o.samples != "" {
		return write(photos, o.samples)
	}
	if err := errors.Join(allowed(o, environment()), checkPort(o.port)); err != nil {
		return usageError{err}
	}
	err = show(ctx, o, photos)
	if err != nil && ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// starting is said at once, as what follows takes a moment.
const starting = "Starting storage, Pub/Sub, Firestore, the models and the functions …"

// errInterrupted says that not all photos have their results.
var errInterrupted = errors.New("interrupted")

// show runs everything, until the photos have their results or, without -once,
// until ctx ends.
func show(ctx context.Context, o options, photos []photo) error {
	if o.real {
		fmt.Print(cost(len(photos)))
	}
	fmt.Println(starting)
	running, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	w, err := startWorld(running, o, fail)
	defer w.close()
	if err != nil {
		return err
	}
	w.print(w.introduction())
	wrong, err := w.identify(running, photos)
	if err != nil {
		return err
	}
	if o.once {
		return errors.Join(verdict(wrong), w.missed())
	}
	w.print(w.invitation())
	w.watch(running)
	if ctx.Err() != nil {
		return nil
	}
	return context.Cause(running)
}

// verdict is the error that -once ends with.
func verdict(wrong int) error {
	if wrong == 0 {
		return nil
	}
	return fmt.Errorf("not as it should be: %s", count(wrong))
}

// allowed refuses options and environments that go wrong, before anything
// starts or is paid for.
func allowed(o options, env map[string]string) error {
	switch {
	case env["K_SERVICE"] != "":
		return errors.New("K_SERVICE is set, as on Cloud Run: nothing emulated may serve there")
	case o.replay != "" && (o.real || o.record != ""):
		return errors.New("-replay asks no model: leave out -real and -record")
	case !o.real:
		return nil
	case env["GOOGLE_API_KEY"] == emulatedKey || strings.HasPrefix(env["IMAGE_MODEL"], emulated):
		return errors.New("-real: the environment names the emulated model: unset the lines that an earlier run had you export")
	case onVertex(env) && env["GOOGLE_CLOUD_PROJECT"] == "":
		return errors.New("-real: Vertex AI needs GOOGLE_CLOUD_PROJECT")
	case !onVertex(env) && env["GOOGLE_API_KEY"] == "" && env["GEMINI_API_KEY"] == "":
		return errors.New("-real needs GOOGLE_API_KEY, or GOOGLE_GENAI_USE_VERTEXAI=true with GOOGLE_CLOUD_PROJECT")
	}
	return nil
}
