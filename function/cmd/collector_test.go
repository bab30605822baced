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

	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
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

// all returns the spans that have come in.
func (c *collector) all(t *testing.T) spans {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var all spans
	for _, body := range c.bodies {
		var request coltrace.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &request); err != nil {
			t.Fatal(err)
		}
		for _, resource := range request.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, s := range scope.Spans {
					all = append(all, readSpan(s))
				}
			}
		}
	}
	return all
}

func readSpan(from *otlp.Span) span {
	s := span{fmt.Sprintf("%x", from.TraceId), fmt.Sprintf("%x", from.SpanId), fmt.Sprintf("%x", from.ParentSpanId), from.Name, map[string]string{}}
	for _, a := range from.Attributes {
		s.notes[a.Key] = a.Value.GetStringValue()
		if n, ok := a.Value.Value.(*common.AnyValue_IntValue); ok {
			s.notes[a.Key] = fmt.Sprint(n.IntValue)
		}
	}
	return s
}

func (all spans) named(trace, name string) *span {
	for i := range all {
		if all[i].trace == trace && all[i].name == name {
			return &all[i]
		}
	}
	return nil
}

// above returns the names of the spans above s, the nearest first.
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

// String returns a line a span.
func (all spans) String() string {
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "%s  %s < %s %v\n", s.trace[:4], s.name, strings.Join(all.above(s), " < "), s.notes)
	}
	return b.String()
}
