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

// A console is where a command prints: JSON to out, lines for people to err, and
// what it reads, in. On a
// terminal the lines of photos that went well become a progress bar. It is safe
// for concurrent use.
type console struct {
	in       io.Reader
	out, err io.Writer
	json     bool // --json was said
	quiet    bool // --quiet was said

	mu  sync.Mutex
	bar *progressbar.ProgressBar // nil without one

	banner sync.Once // of the emulated model
}

// say prints one line for people, unless they want none.
func (c *console) say(format string, args ...any) {
	if !c.quiet {
		c.complain(format, args...)
	}
}

// complain prints one line for people, always: what went wrong.
func (c *console) complain(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.print(fmt.Sprintf(format, args...))
}

// wantsJSON reports that a program reads standard output, or that JSON was asked for.
func (c *console) wantsJSON() bool { return c.json || c.quiet || !isTerminal(c.out) }

// watched reports that people watch a terminal, and want to see how far work is.
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

// barThrottle is how far two drawings of a bar are apart at least.
const barThrottle = 50 * time.Millisecond

// begin shows a bar of n photos, or what else they are, from now on, if people watch a
// terminal: how many are done, how many a second, and how long the rest takes.
func (c *console) begin(n int, what string) {
	if n > 0 {
		c.show(int64(n), progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString(what), progressbar.OptionSetPredictTime(true))
	}
}

// show shows a bar of n, or a turning line if n is -1, from now on, if people watch.
func (c *console) show(n int64, options ...progressbar.Option) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.watched() {
		return
	}
	c.bar = progressbar.NewOptions64(n, append(options, progressbar.OptionSetWriter(c.err), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(barThrottle))...)
	_ = c.bar.RenderBlank()
}

// step tells of a photo that has ended: the bar moves, and line is printed if
// there is none, or if it must be seen.
func (c *console) step(line string, seen bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar == nil && !c.quiet || seen {
		c.print(line)
	}
	c.forward()
}

// forward moves the bar by one. c is locked.
func (c *console) forward() {
	if c.bar != nil {
		_ = c.bar.Add(1)
	}
}

// moved moves the bar by one, and prints nothing where there is none.
func (c *console) moved() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forward()
}

// end takes the bar away.
func (c *console) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Clear()
		c.bar = nil
	}
}

// isTerminal reports that w is a terminal that can move its cursor.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// printable is s on one line, and without what would steer a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, s)
}
