// Command emulators runs whatis on this machine: the emulators, both functions,
// and the project's sample photos, or photos of yours.
//
//	photo → storage → Pub/Sub → push → Upload → Gemini, Firestore → result → a line here
//
// It stays up afterwards, so that scripts, curl and Go programs can use it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// options are what the command line says.
type options struct {
	once     bool
	dataDir  string
	real     bool
	photos   []string
	function string
}

func main() {
	var o options
	flag.BoolVar(&o.once, "once", false, "end after the photos; the exit code says whether each has the result it should")
	flag.StringVar(&o.dataDir, "data", "", "keep objects and documents in this `folder`")
	flag.BoolVar(&o.real, "real", false, "use the real model, with your key or project; this costs money")
	flag.StringVar(&o.function, "function", "", "serve this function alone, with what the environment names (used by the command itself)")
	flag.Usage = usage
	flag.Parse()
	o.photos = flag.Args()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "emulators:", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprint(flag.CommandLine.Output(), `go run ./emulators [-once] [-data folder] [-real] [photo…]

Runs everything on this machine and identifies the sample photos, or the photos
named. Nothing leaves the machine and nothing is paid for, except with -real.

`)
	flag.PrintDefaults()
}

func run(ctx context.Context, o options) error {
	if o.function != "" {
		return serveFunction(ctx, o.function)
	}
	photos, err := photosOf(o.photos)
	if err != nil {
		return err
	}
	w, err := startWorld(o)
	if err != nil {
		return err
	}
	defer w.close()
	w.introduce()
	wrong, err := w.identify(ctx, photos)
	if err != nil || o.once {
		return outcome(wrong, err)
	}
	fmt.Printf("\nReady for more, until Ctrl-C:  curl --data-binary @photo.jpg %s/analyze\n", w.apiURL)
	return w.watch(ctx)
}

// outcome is the error that -once ends with.
func outcome(wrong int, err error) error {
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%d photos did not get the result they should", wrong)
	}
	return err
}
