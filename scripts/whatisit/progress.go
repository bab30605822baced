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

	mu  sync.Mutex
	bar *progressbar.ProgressBar // nil without one

	banner sync.Once // of the emulated model
}

// say prints one line for people.
func (c *console) say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.print(fmt.Sprintf(format, args...))
}

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
	c.say("%s", strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

// barThrottle is how far two drawings of a bar are apart at least.
const barThrottle = 50 * time.Millisecond

// begin shows a bar of n photos from now on, if people watch a terminal.
func (c *console) begin(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > 0 && isTerminal(c.err) {
		c.bar = progressbar.NewOptions(n, progressbar.OptionSetWriter(c.err), progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(barThrottle))
		_ = c.bar.RenderBlank()
	}
}

// step tells of a photo that has ended: the bar moves, and line is printed if
// there is none, or if it is a failure.
func (c *console) step(line string, failed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar == nil || failed {
		c.print(line)
	}
	if c.bar != nil {
		_ = c.bar.Add(1)
	}
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
