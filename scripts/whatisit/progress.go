package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A console has the standard streams of a command: in; out for JSON; err for messages. On
// a terminal a progress bar replaces the lines of successful photos. It is safe for
// concurrent use.
type console struct {
	in       io.Reader
	out, err io.Writer
	json     bool // --json is set
	quiet    bool // --quiet is set

	mu  sync.Mutex
	bar *progressbar.ProgressBar // nil without one

	banner sync.Once // of the emulated model
}

// say prints one message, except with --quiet.
func (c *console) say(format string, args ...any) {
	if !c.quiet {
		c.complain(format, args...)
	}
}

// complain prints one error message, also with --quiet.
func (c *console) complain(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.print(fmt.Sprintf(format, args...))
}

// wantsJSON reports whether standard output is not a terminal, or --json is set.
func (c *console) wantsJSON() bool { return c.json || c.quiet || !isTerminal(c.out) }

// watched reports whether to show progress: standard error is a terminal, without
// --quiet.
func (c *console) watched() bool { return !c.quiet && isTerminal(c.err) }

// print prints a line above the bar.
func (c *console) print(line string) {
	if c.bar != nil {
		_ = c.bar.Clear()
	}
	fmt.Fprintln(c.err, printable(line))
	if c.bar != nil {
		_ = c.bar.RenderBlank()
	}
}

// Write prints the lines of a logger.
func (c *console) Write(p []byte) (int, error) {
	c.complain("%s", strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

// barThrottle is the shortest time between two drawings of a bar.
const barThrottle = 50 * time.Millisecond

// begin starts a progress bar of n photos or other units on a terminal: the number done,
// the rate, and the remaining time.
func (c *console) begin(n int, what string) {
	if n > 0 {
		c.show(int64(n), progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString(what), progressbar.OptionSetPredictTime(true))
	}
}

// show starts a bar of n, or a spinner if n is -1, on a terminal.
func (c *console) show(n int64, options ...progressbar.Option) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.watched() {
		return
	}
	c.bar = progressbar.NewOptions64(n, append(options, progressbar.OptionSetWriter(c.err), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(barThrottle))...)
	_ = c.bar.RenderBlank()
}

// step reports a finished photo: it advances the bar, and prints line if there is no bar
// or if the line must be seen.
func (c *console) step(line string, seen bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar == nil && !c.quiet || seen {
		c.print(line)
	}
	c.forward()
}

// forward advances the bar by one. The caller holds c's lock.
func (c *console) forward() {
	if c.bar != nil {
		_ = c.bar.Add(1)
	}
}

// moved advances the bar by one, if there is a bar.
func (c *console) moved() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forward()
}

// end removes the bar.
func (c *console) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Clear()
		c.bar = nil
	}
}

// isTerminal reports whether w is a terminal that can move its cursor.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// printable returns s on one line, without terminal control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, s)
}
