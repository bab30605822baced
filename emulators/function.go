package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"time"

	"example.com/whatis/emulators/samples"
	entry "example.com/whatis/function"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/gemini"
)

// function is a serverless function in a process of its own, which is restarted if it
// ends, as on Cloud Run.
type function struct {
	target, port string
	env          []string
	cancel       context.CancelFunc
	ended        chan struct{} // closed when no process is left
}

// process is one process of a function.
type process struct {
	stdin io.WriteCloser // the process ends when this is closed, even if the parent is killed
	done  chan error     // gets how the process ended
}

// startFunction serves target at port until ctx ends or stop is called, and returns once
// it listens. A function that cannot be restarted stays down.
func startFunction(ctx context.Context, target, port string, env []string, lost func(error)) (*function, error) {
	ctx, cancel := context.WithCancel(ctx)
	f := &function{target: target, port: port, env: env, cancel: cancel, ended: make(chan struct{})}
	p, err := f.start(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	go f.keep(ctx, p, lost)
	return f, nil
}

func (f *function) url() string { return "http://" + f.address() }

func (f *function) address() string { return net.JoinHostPort("127.0.0.1", f.port) }

// stop ends the function and waits for it.
func (f *function) stop() {
	f.cancel()
	<-f.ended
}

// keep restarts the function whenever it ends, until ctx ends.
func (f *function) keep(ctx context.Context, p *process, lost func(error)) {
	defer close(f.ended)
	for {
		select {
		case <-ctx.Done():
			p.end()
			return
		case how := <-p.done:
			if ctx.Err() != nil {
				return
			}
			if ended := (*exec.ExitError)(nil); errors.As(how, &ended) && ended.ExitCode() == exitSetUp {
				lost(errSetUp)
				return
			}
			fmt.Fprintf(os.Stderr, "emulators: the function %s ended (%s) and is restarted\n", f.target, said(how))
		}
		var err error
		if p, err = f.start(ctx); err != nil {
			if ctx.Err() == nil {
				lost(err)
			}
			return
		}
	}
}

// exitSetUp is the exit code of a function whose model's service refuses what only a person can
// change: all that is asked of it would fail, again and again.
const exitSetUp = 78

var errSetUp = errors.New("the model's service refuses the key, its plan or its payment: see the line above, which has its sentence")

// A setUpHandler logs, and ends the process after an error of the set-up.
type setUpHandler struct{ slog.Handler }

// Handle implements [slog.Handler].
func (h setUpHandler) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	r.Attrs(func(a slog.Attr) bool {
		cause, _ := a.Value.Any().(error)
		var refused *gemini.Error
		if errors.As(cause, &refused) && slices.Contains([]gemini.Kind{gemini.Unauthorized, gemini.Unpaid, gemini.NotInPlan}, refused.Kind) {
			os.Exit(exitSetUp)
		}
		return true
	})
	return err
}

func said(how error) string {
	if how == nil {
		return "exit status 0"
	}
	return how.Error()
}

// start starts a process and waits until it listens.
func (f *function) start(ctx context.Context) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-function", f.target)
	cmd.Env = append(slices.Clone(f.env), "FUNCTION_TARGET="+f.target, "PORT="+f.port)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{stdin: stdin, done: make(chan error, 1)}
	go func() { p.done <- cmd.Wait() }()
	if err := p.ready(ctx, f.address()); err != nil {
		p.end()
		return nil, fmt.Errorf("function %s: %w", f.target, err)
	}
	return p, nil
}

// startTime is the longest time until a function listens, on a busy machine.
const startTime = 30 * time.Second

// ready waits until the process listens at address.
func (p *process) ready(ctx context.Context, address string) error {
	late := time.After(startTime)
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			return c.Close()
		}
		select {
		case how := <-p.done:
			p.done <- how // for end
			return fmt.Errorf("it ended (%s) before it listened at %s", said(how), address)
		case <-late:
			return fmt.Errorf("it does not listen at %s", address)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func (p *process) end() {
	_ = p.stdin.Close()
	<-p.done
}

// serveFunction runs in the started process. It ends when its standard input is closed,
// and ignores Ctrl-C, which its parent handles.
func serveFunction(ctx context.Context, target string) error {
	if target != developing && !slices.Contains(entry.Targets, target) {
		return usageError{fmt.Errorf("-function is %q, want one of %q", target, entry.Targets)}
	}
	signal.Ignore(os.Interrupt)
	slog.SetDefault(slog.New(setUpHandler{slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})}))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if target == developing {
		return serveDev(ctx, net.JoinHostPort("127.0.0.1", os.Getenv("PORT")))
	}
	if _, err := app.ReadConfig(ctx); err != nil {
		return err
	}
	return entry.Serve(ctx, "127.0.0.1", os.Getenv("PORT"), offerSamples)
}

// offerSamples makes the web page offer the sample photos.
func offerSamples(a *app.App) {
	a.Samples = map[string]func() []byte{}
	for _, s := range samples.All() {
		a.Samples[s.File] = s.Bytes
	}
}
