package function

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"example.com/whatis/internal/app"
)

// Main is the deployed program: it serves the function that FUNCTION_TARGET names, at
// PORT of HOST, until SIGTERM. If the configuration is wrong, it prints the error on
// standard error and exits with 1.
func Main() {
	level := new(slog.LevelVar)
	slog.SetDefault(app.Logger(os.Stderr, os.Getenv("K_SERVICE"), level))
	if err := run(level); err != nil {
		fmt.Fprintln(os.Stderr, "whatis:", err)
		os.Exit(1)
	}
}

func run(level *slog.LevelVar) error {
	target := os.Getenv("FUNCTION_TARGET")
	if !slices.Contains(Targets, target) {
		return fmt.Errorf("FUNCTION_TARGET is %q: set it to one of %q", target, Targets)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	c, err := app.ReadConfig(ctx)
	if err != nil {
		return err
	}
	level.Set(c.Platform.LogLevel)
	c.Platform.LimitMemory()
	flush, err := c.Platform.OpenTrace()
	if err != nil {
		return err
	}
	defer send(flush)
	return Serve(ctx, os.Getenv("HOST"), cmp.Or(os.Getenv("PORT"), "8080"))
}

// send sends pending spans, within the time that the drain leaves of the ten seconds
// that an instance has to stop.
func send(flush func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), 800*time.Millisecond)
	defer cancel()
	if err := flush(ctx); err != nil {
		slog.Warn("spans not exported", "error", err)
	}
}
