// Command emulators runs whatis on this machine: the emulators, the functions,
// and the project's sample photos, or photos of yours.
//
//	photo → storage → Pub/Sub → push → Upload → Gemini, Firestore → result → a line here
//
// It then keeps running, so that scripts, curl and Go programs can use it. The functions
// are processes of their own: this command with -function.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/ollama"
)

const help = `go run ./emulators [-once] [-dev] [-port number] [-data folder] [-catalog eyewear|file]
                  [-real | -ollama [URL] [-vision model] [-judge model] [-embed model]]
                  [-record folder | -replay folder] [-schema-budget n]
                  [-tokens-per-second n] [-first-token duration] [photo…]
go run ./emulators -samples folder
go run ./emulators -env[=bash|fish|powershell] [-port number]

Runs everything on this machine and identifies the sample photos, or the photos
named. Nothing leaves the machine and nothing is paid for, except with -real.

  -once            exit after the photos: 0 if each has a result, and each sample the
                   expected one; 1 if not; 2 for wrong usage
  -dev             also serve ADK's own page, to talk to every agent and see what it
                   does; drop a photo into it
  -port number     serve the API and the page at this port; fail if it is taken.
                   Default: 8080, or the next free one
  -data folder     keep photos, results and the catalogue in this folder, for the
                   next run
  -catalog name    fill a shop to search, before the photos: eyewear imports 374 sample
                   frames; a file's products go to a shop with the file's name, and your
                   photos are matched with them: JSON Lines as exported by Open Food
                   Facts, a products_db.json or CSV. Default: eyewear, behind the photos,
                   unless -once, -real, -ollama, -record or -replay
  -real            use the real model, with your key or project; the cost is printed
                   first. The results of the samples are then not checked
  -ollama [URL]    ask models on this machine through Ollama: free and private. Default:
                   OLLAMA_HOST, or 127.0.0.1:11434. The results of the samples are then
                   not checked
  -vision model    that sees photos. Default: qwen3-vl:4b-instruct
  -judge model     that looks a second time and answers all else. Default: -vision's
  -embed model     that embeds, in 768 numbers. Default: embeddinggemma. OLLAMA_VISION,
                   OLLAMA_JUDGE and OLLAMA_EMBED change these defaults
  -record folder   record the model's requests and answers in this new folder, without
                   keys; with -real those of the real model
  -replay folder   answer from a recording: no model, no key, no cost. A request that
                   is not in it is an error that shows the nearest one. It needs the
                   photos of the recording; models and settings come from it
  -schema-budget n refuse schemas whose list bounds add up to more than n, as the
                   service is reported to do. Default: 960
  -tokens-per-second n, -first-token duration
                   let the emulated model write as fast as that, as real ones do:
                   -tokens-per-second 250 -first-token 700ms. Default: all at once
  -samples folder  write the sample photos into this folder, and nothing else
  -env             print the settings of the emulators that run already, for the shell
                   that is named; else for PowerShell on Windows, or that of SHELL:
                     eval "$(go run ./emulators -env)"
                     go run ./emulators -env=fish | source
                     go run ./emulators -env=powershell | Out-String | Invoke-Expression

The variables of docs/configuration.md (POLICY, COUNTRY, …) apply here too.
`

// options are the command-line options.
type options struct {
	once     bool
	dev      bool
	port     string
	dataDir  string
	catalog  string
	real     bool
	ollama   ollamaFlag
	local    ollama.Options // the models of -ollama
	record   string
	replay   string
	samples  string
	env      envFlag
	budget   int // of schemas
	pace     gemini.Pace
	paths    []string
	function string
}

// usageError is an error caused by a wrong command line.
type usageError struct{ error }

func main() {
	var o options
	flag.BoolVar(&o.once, "once", false, "")
	flag.BoolVar(&o.dev, "dev", false, "")
	flag.StringVar(&o.port, "port", "", "")
	flag.StringVar(&o.dataDir, "data", "", "")
	flag.StringVar(&o.catalog, "catalog", "", "")
	flag.BoolVar(&o.real, "real", false, "")
	flag.Var(&o.ollama, "ollama", "")
	flag.StringVar(&o.local.Vision, "vision", "", "")
	flag.StringVar(&o.local.Judge, "judge", "", "")
	flag.StringVar(&o.local.Embed, "embed", "", "")
	flag.StringVar(&o.record, "record", "", "")
	flag.StringVar(&o.replay, "replay", "", "")
	flag.IntVar(&o.budget, "schema-budget", 0, "")
	flag.Float64Var(&o.pace.PerSecond, "tokens-per-second", 0, "")
	flag.DurationVar(&o.pace.FirstToken, "first-token", 0, "")
	flag.StringVar(&o.samples, "samples", "", "")
	flag.Var(&o.env, "env", "")
	flag.StringVar(&o.function, "function", "", "")
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), help) }
	_ = flag.CommandLine.Parse(withAddress(os.Args[1:])) // exits on an error
	o.paths = flag.Args()
	// A terminal that closes stops the program as Ctrl-C does. If a reader of the output
	// leaves (| head), writes fail instead of killing the program, so that it can clean up.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second Ctrl-C kills the program
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	os.Exit(code(run(ctx, o)))
}

// code prints err and returns its exit code.
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
	if o.env.set {
		return printEnv(o.env, o.port)
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

// starting is printed first, as starting takes a moment.
const starting = "Starting storage, Pub/Sub, Firestore, the models and the functions …"

// errInterrupted means that not all photos have their results.
var errInterrupted = errors.New("interrupted")

// show runs everything, until the photos have their results or, without -once,
// until ctx ends.
func show(ctx context.Context, o options, photos []photo) error {
	if o.real {
		fmt.Print(cost(len(photos)))
	}
	fmt.Println(starting)
	working, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	w, err := startWorld(working, o, fail)
	defer w.close()
	if err != nil {
		return err
	}
	if !o.once {
		defer w.announce()()
	}
	w.print(w.introduction())
	wrong, err := w.identify(working, photos)
	if err != nil {
		return err
	}
	if o.once {
		return errors.Join(verdict(wrong), w.missed())
	}
	w.print(w.invitation())
	var filling sync.WaitGroup
	if o.fills() {
		filling.Go(func() { w.fill(working) })
	}
	w.watch(working)
	filling.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return context.Cause(working)
}

// verdict returns the error that -once ends with.
func verdict(wrong int) error {
	if wrong == 0 {
		return nil
	}
	return fmt.Errorf("unexpected results: %s", count(wrong))
}

// allowed refuses invalid options and environments, before anything starts or costs
// money.
func allowed(o options, env map[string]string) error {
	switch {
	case env["K_SERVICE"] != "":
		return errors.New("K_SERVICE is set, as on Cloud Run: nothing emulated may serve there")
	case o.ollama.set && (o.real || o.replay != ""):
		return errors.New("-ollama asks models on this machine: leave out -real and -replay")
	case !o.ollama.set && o.local != (ollama.Options{}):
		return errors.New("-vision, -judge and -embed name models of -ollama")
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
