package function

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"example.com/whatis/internal/app"
	"example.com/whatis/internal/gemini"
)

// Main is the deployed program: it serves the function that FUNCTION_TARGET names, at
// PORT of HOST, until SIGTERM. If the configuration is wrong, it prints the error on
// standard error and exits with 1.
func Main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "whatis:", err)
		os.Exit(1)
	}
}

func run() error {
	target := os.Getenv("FUNCTION_TARGET")
	if !slices.Contains(Targets, target) {
		return fmt.Errorf("FUNCTION_TARGET is %q: set it to one of %q", target, Targets)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	flush, err := prepare(ctx)
	if err != nil {
		return err
	}
	defer stopping(flush)
	return Serve(ctx, os.Getenv("HOST"), cmp.Or(os.Getenv("PORT"), "8080"))
}

// prepare sets up what the whole process has: its log, its memory limit and its spans, which
// flush sends.
func prepare(ctx context.Context) (flush func(context.Context) error, err error) {
	level := new(slog.LevelVar)
	slog.SetDefault(app.Logger(os.Stderr, os.Getenv("K_SERVICE"), level))
	c, err := app.ReadConfig(ctx)
	if err != nil {
		return nil, err
	}
	level.Set(c.Platform.LogLevel)
	c.Platform.LimitMemory()
	slog.InfoContext(ctx, "instance starts", "function", os.Getenv("FUNCTION_TARGET"), "commit", app.Commit(), "models", gemini.Where())
	return c.Platform.OpenTrace()
}

// hosted is done at the first request, where another program than Main serves the functions:
// the one that Google's buildpacks generate, which knows nothing of this package.
var hosted sync.Once

// host does what Main does for its process: it prepares it, and drains its server at SIGTERM.
// If the configuration is wrong, each request says so.
func host() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	flush, err := prepare(ctx)
	if err != nil {
		_ = misconfigured(ctx, err)
		flush = func(context.Context) error { return nil }
	}
	process.Join(ctx, func() {
		stop()
		stopping(flush)
		os.Exit(0)
	})
}

// stopping writes costs that are not written and sends pending spans, within the time that the
// drain leaves of the ten seconds that an instance has to stop.
func stopping(flush func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), 800*time.Millisecond)
	defer cancel()
	var costs sync.WaitGroup
	defer costs.Wait()
	costs.Go(func() {
		a, err := whatis()
		if err == nil {
			err = a.Flush(ctx)
		}
		if err != nil {
			slog.Warn("costs of models not written", "error", err)
		}
	})
	if err := flush(ctx); err != nil {
		slog.Warn("spans not exported", "error", err)
	}
}
