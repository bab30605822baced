package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	entry "example.com/whatis/function"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/server"
)

// function is a running function: this command again, serving it alone.
type function struct {
	url   string
	cmd   *exec.Cmd
	stdin io.Closer // its end ends the function, even if this process is killed
}

// startFunction serves a function at addr and waits until it listens.
func startFunction(target, addr string, env []string) (*function, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(addr, ":0") {
		if addr, err = pick(); err != nil {
			return nil, err
		}
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-function", target)
	cmd.Env = append(slices.Concat(clean(os.Environ(), env), env), "FUNCTION_TARGET="+target, "PORT="+port)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	f := &function{url: "http://" + addr, cmd: cmd, stdin: stdin}
	return f, f.ready(addr)
}

// pick is an address that is free now.
func pick() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// ready waits until the function listens.
func (f *function) ready(addr string) error {
	for range 1000 {
		if c, err := net.Dial("tcp", addr); err == nil {
			return c.Close()
		}
		time.Sleep(5 * time.Millisecond)
	}
	return fmt.Errorf("the function does not listen at %s", addr)
}

// stop ends the function and waits for it.
func (f *function) stop() error {
	_ = f.stdin.Close()
	return f.cmd.Wait()
}

// serveFunction is what the started command does.
func serveFunction(ctx context.Context, target string) error {
	if !slices.Contains(entry.Targets, target) {
		return fmt.Errorf("-function is %q, want one of %q", target, entry.Targets)
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if _, err := app.ReadConfig(ctx); err != nil {
		return err
	}
	return server.Run(ctx, os.Getenv("PORT"))
}

// clean is the environment without what would send a function elsewhere: other
// Google services, a key that would be spent, Cloud Run's own variables. With
// the real model its credentials stay.
func clean(environ, env []string) []string {
	emulated := slices.ContainsFunc(env, func(line string) bool { return strings.HasPrefix(line, "GOOGLE_GEMINI_BASE_URL=") })
	return slices.DeleteFunc(environ, func(line string) bool {
		name, _, _ := strings.Cut(line, "=")
		switch {
		case name == "K_SERVICE", name == "FUNCTION_TARGET", name == "PORT":
			return true
		case !emulated:
			return false
		}
		return strings.HasPrefix(name, "GOOGLE_") || strings.HasPrefix(name, "GEMINI_")
	})
}
