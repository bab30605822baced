package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// A collector takes spans in by OTLP over HTTP.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	bodies [][]byte
}

func collect(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("exported to %s as %s", r.URL.Path, r.Header.Get("Content-Type"))
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bodies = append(c.bodies, body)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Join(c.bodies, nil)
}

type span struct {
	trace, id, parent, name string
	notes                   map[string]string
}

type spans []span

// all are the spans that have come in.
func (c *collector) all(t *testing.T) spans {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var all spans
	for _, body := range c.bodies {
		for _, resource := range fields(t, body)[1] {
			for _, scope := range fields(t, resource)[2] {
				for _, s := range fields(t, scope)[2] {
					all = append(all, readSpan(t, s))
				}
			}
		}
	}
	return all
}

func readSpan(t *testing.T, b []byte) span {
	f := fields(t, b)
	one := func(n protowire.Number) string { return string(slices.Concat(f[n]...)) }
	s := span{fmt.Sprintf("%x", one(1)), fmt.Sprintf("%x", one(2)), fmt.Sprintf("%x", one(4)), one(5), map[string]string{}}
	for _, a := range f[9] {
		pair := fields(t, a)
		for _, v := range fields(t, pair[2][0]) {
			s.notes[string(pair[1][0])] = string(v[0])
		}
	}
	return s
}

// fields are the fields of a message by number; numbers as their bytes.
func fields(t *testing.T, b []byte) map[protowire.Number][][]byte {
	t.Helper()
	all := map[protowire.Number][][]byte{}
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		length := protowire.ConsumeFieldValue(n, kind, b[max(size, 0):])
		if size < 0 || length < 0 {
			t.Fatalf("no protobuf: %q", b)
		}
		value := b[size : size+length]
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		all[n] = append(all[n], value)
		b = b[size+length:]
	}
	return all
}

func (all spans) named(trace, name string) *span {
	for i := range all {
		if all[i].trace == trace && all[i].name == name {
			return &all[i]
		}
	}
	return nil
}

// above are the names of the spans above s, the nearest first.
func (all spans) above(s span) []string {
	var names []string
	for i := 0; i >= 0; {
		if i = slices.IndexFunc(all, func(a span) bool { return a.trace == s.trace && a.id == s.parent }); i >= 0 {
			s = all[i]
			names = append(names, s.name)
		}
	}
	return names
}

// String is a line a span.
func (all spans) String() string {
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "%s  %s < %s %v\n", s.trace[:4], s.name, strings.Join(all.above(s), " < "), s.notes)
	}
	return b.String()
}
