// Command cmd serves the function that FUNCTION_TARGET names, at PORT of HOST, or
// of every address if that is not set.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"example.com/whatis/function"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/server"
)

func main() {
	slog.SetDefault(app.Logger(os.Stderr, os.Getenv("K_SERVICE")))
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "whatis:", err)
		os.Exit(1)
	}
}

func run() error {
	target := os.Getenv("FUNCTION_TARGET")
	if !slices.Contains(function.Targets, target) {
		return fmt.Errorf("FUNCTION_TARGET is %q: set it to one of %q", target, function.Targets)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	c, err := app.ReadConfig(ctx)
	if err != nil {
		return err
	}
	c.LimitMemory()
	return server.Run(ctx, net.JoinHostPort(os.Getenv("HOST"), cmp.Or(os.Getenv("PORT"), "8080")))
}
