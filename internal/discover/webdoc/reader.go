package webdoc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/usererror"
)

// Limits bound what the reading of pages may take. Zero fields have the default in their
// comment.
type Limits struct {
	AtOnce int           // pages that are read at once, each in its own process: 1
	Memory int64         // bytes that such a process may have resident: 256 MiB
	CPU    time.Duration // processor time for one page: 5 s
	Time   time.Duration // for one page in all: 10 s
}

// ErrTooCostly is the error for a page that exceeds the Limits.
var ErrTooCostly = usererror.New("webdoc", "the page takes more time or memory to read than a page may")

// A Reader reads pages in child processes, because any page may be made to take all the
// time and memory of the process that parses it:
//
//	Page → a child process, watched → Document
//	          └→ over a limit, or the context ends → killed
//
// A child reads one page after the other. A Reader is safe for concurrent use.
type Reader struct {
	limits   Limits
	children chan *child // Limits.AtOnce of them; nil is one that has to be started
}

// NewReader returns a Reader with limits.
func NewReader(limits Limits) *Reader {
	limits.AtOnce, limits.Memory = max(limits.AtOnce, 1), cmp.Or(limits.Memory, 256<<20)
	limits.CPU, limits.Time = cmp.Or(limits.CPU, 5*time.Second), cmp.Or(limits.Time, 10*time.Second)
	r := &Reader{limits, make(chan *child, limits.AtOnce)}
	for range limits.AtOnce {
		r.children <- nil
	}
	return r
}

// Read converts a fetched page. It waits for a child, and ends with ctx. A page that cannot
// be read gives ErrUnreadable or ErrTooCostly; other errors are of this machine.
func (r *Reader) Read(ctx context.Context, p fetch.Page) (d Document, err error) {
	var c *child
	select {
	case c = <-r.children:
	case <-ctx.Done():
		return Document{}, context.Cause(ctx)
	}
	defer func() { r.children <- c.rest(r.limits) }()
	if c.wake() {
		if d, err = c.read(ctx, p, r.limits); !errors.Is(err, errEnded) {
			return d, err
		}
		c.end() // it may have been killed while it rested
	}
	if c, err = start(r.limits); err != nil {
		return Document{}, fmt.Errorf("webdoc: %w", err)
	}
	return c.read(ctx, p, r.limits)
}

// read has the child read a page, and kills it if that exceeds the limits or ctx ends.
func (c *child) read(ctx context.Context, p fetch.Page, limits Limits) (Document, error) {
	done := make(chan answer, 1)
	go func() { done <- c.ask(question{p, limits.Time}) }()
	deadline := time.NewTimer(limits.Time)
	defer deadline.Stop()
	watch := time.NewTicker(watchEvery)
	defer watch.Stop()
	before := c.usage()
	for {
		var why error
		select {
		case a := <-done:
			c.ended = a.ended
			return a.Document, a.err()
		case <-ctx.Done():
			why = context.Cause(ctx)
		case <-deadline.C:
			why = fmt.Errorf("%w: more than %s", ErrTooCostly, limits.Time)
		case <-watch.C:
			why = limits.exceeded(before, c.usage())
		}
		if why != nil {
			c.kill()
			<-done
			return Document{}, why
		}
	}
}

// watchEvery is how often a child's memory and processor time are looked at.
const watchEvery = 10 * time.Millisecond

// exceeded returns why a child that used `before` when it began a page must not go on with
// `now`; nil if it may.
func (l Limits) exceeded(before, now usage) error {
	switch {
	case now.resident > l.Memory:
		return fmt.Errorf("%w: more than %d MB", ErrTooCostly, l.Memory>>20)
	case now.cpu-before.cpu > l.CPU:
		return fmt.Errorf("%w: more than %s of processor time", ErrTooCostly, l.CPU)
	}
	return nil
}

// errEnded is the reason of a child that ended by itself.
var errEnded = errors.New("the process that read it ended")

// A question asks a child to read a page, for that time at most.
type question struct {
	Page fetch.Page
	Time time.Duration
}

// An answer of a child.
type answer struct {
	Document   Document
	Failed     bool   // the page is unreadable
	Unreadable string // and why
	ended      bool   // there is no answer: the child has ended
}

func (a answer) err() error {
	switch {
	case a.ended:
		return fmt.Errorf("%w: %w", ErrTooCostly, errEnded)
	case a.Failed:
		return fmt.Errorf("%w%s", ErrUnreadable, a.Unreadable)
	}
	return nil
}
