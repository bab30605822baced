package webdoc

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/fetch"
)

func page(body string) fetch.Page {
	return fetch.Page{URL: "http://example.org/", ContentType: fetch.HTML, Body: []byte(body)}
}

// close ends the children. Those of a program end with it.
func (r *Reader) close() {
	for range r.limits.AtOnce {
		if c := <-r.children; c.wake() {
			c.end()
		}
		defer func() { r.children <- nil }()
	}
}

// costly returns a page that takes a second or two to read.
func costly() fetch.Page {
	return page("<style>" + strings.Repeat("b>b,b.a.a.a.a.a.a>b.a.a.a.a{display:none}", 1000) + "</style>" + strings.Repeat("<b class='a a a a a a a'></b>", 30_000))
}

// What exceeds a limit is one page left out, with its reason; the next is read.
func TestLimits(t *testing.T) {
	large := page(strings.Repeat("<p>x", 400_000)) // some 100 MB of elements
	for want, test := range map[string]struct {
		limits Limits
		page   fetch.Page
	}{
		"more than 50ms of processor time": {Limits{CPU: 50 * time.Millisecond}, costly()},
		"more than 60ms":                   {Limits{Time: 60 * time.Millisecond}, costly()},
		"more than 40 MB":                  {Limits{Memory: 40 << 20}, large},
	} {
		limits := test.limits
		r := NewReader(limits)
		_, err := r.Read(t.Context(), test.page)
		if !errors.Is(err, ErrTooCostly) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%+v: %v, want %v: %s", limits, err, ErrTooCostly, want)
		}
		r.limits = NewReader(Limits{}).limits
		if d, err := r.Read(t.Context(), page("<p>next")); err != nil || d.Markdown != "next" {
			t.Errorf("%+v: the next page is %q, %v", limits, d.Markdown, err)
		}
		r.close()
	}
}

// A caller that ends is heard at once, whether its page is read or waits.
func TestCancel(t *testing.T) {
	r := NewReader(Limits{})
	defer r.close()
	gone := errors.New("the caller has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	both := make(chan error, 2)
	for range cap(both) {
		go func() {
			_, err := r.Read(ctx, costly())
			both <- err
		}()
	}
	time.AfterFunc(50*time.Millisecond, func() { cancel(gone) })
	for range cap(both) {
		select {
		case err := <-both:
			if !errors.Is(err, gone) {
				t.Errorf("Read = %v, want %v", err, gone)
			}
		case <-time.After(time.Minute): // to its end it would be read within seconds, without an error
			t.Fatal("Read goes on after its context has ended")
		}
	}
}

// A child that died while it rested costs nothing but its start.
func TestChildThatDied(t *testing.T) {
	r := NewReader(Limits{})
	defer r.close()
	for range 3 {
		d, err := r.Read(t.Context(), page("<p>one"))
		if err != nil || d.Markdown != "one" {
			t.Fatalf("Read = %q, %v", d.Markdown, err)
		}
		c := <-r.children
		if err := c.process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		r.children <- c
	}
}

// While there is a child, this process collects its garbage earlier, by the child's share.
func TestHeapWithChildren(t *testing.T) {
	const limit = 400 << 20
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	r := NewReader(Limits{Memory: 250 << 20})
	if _, err := r.Read(t.Context(), page("<p>one")); err != nil {
		t.Fatal(err)
	}
	if got := debug.SetMemoryLimit(-1); got != limit-200<<20 {
		t.Errorf("with a child of 250 MB the heap is limited to %d MB, want 200", got>>20)
	}
	r.close()
	if got := debug.SetMemoryLimit(-1); got != limit {
		t.Errorf("without it, to %d MB, want 400", got>>20)
	}
}

// Children do not get the environment, where there are keys.
func TestEnvironmentOfChildren(t *testing.T) {
	t.Setenv("GOOGLE_API_KEY", "secret")
	c, err := start(NewReader(Limits{}).limits)
	if err != nil {
		t.Fatal(err)
	}
	defer c.end()
	if got := strings.Join(c.process.Environ(), " "); strings.Contains(got, "secret") {
		t.Errorf("a child's environment is %q", got)
	}
}

// What a child costs a page of 50 kB: read is the same without one.
func BenchmarkPage(b *testing.B) {
	p := page(strings.Repeat("<p>Emissions of waste were <b>17.5</b> kt in <a href='/2020.csv'>2020</a>.</p>\n", 650))
	b.Run("child", func(b *testing.B) {
		r := NewReader(Limits{})
		defer r.close()
		for b.Loop() {
			if _, err := r.Read(b.Context(), p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			r := NewReader(Limits{})
			if _, err := r.Read(b.Context(), p); err != nil {
				b.Fatal(err)
			}
			r.close()
		}
	})
	b.Run("within", func(b *testing.B) {
		for b.Loop() {
			if _, err := read(p); err != nil {
				b.Fatal(err)
			}
		}
	})
}
