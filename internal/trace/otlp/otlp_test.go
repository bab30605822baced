package otlp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	api "go.opentelemetry.io/otel/trace"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A collector receives OTLP over HTTP.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*collected
}

type collected struct {
	http.Header
	*coltrace.ExportTraceServiceRequest
}

func collect(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.listen(func(err error) { t.Error(err) })
	t.Cleanup(c.Close)
	return c
}

// listen accepts spans; it calls wrong for invalid requests.
func (c *collector) listen(wrong func(error)) {
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		m := &coltrace.ExportTraceServiceRequest{}
		if err := errors.Join(err, proto.Unmarshal(body, m)); err != nil || r.URL.Path != "/v1/traces" {
			wrong(fmt.Errorf("exported to %s: %w", r.URL.Path, err))
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests = append(c.requests, &collected{r.Header, m})
	}))
}

// spans returns all spans received, by name.
func (c *collector) spans() map[string]*otlp.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]*otlp.Span{}
	for _, request := range c.requests {
		for _, resource := range request.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, s := range scope.Spans {
					all[s.Name] = s
				}
			}
		}
	}
	return all
}

// export creates spans with make and returns when c has received them.
func export(t *testing.T, c *collector, config Config, make func(api.Tracer)) {
	t.Helper()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "1")
	provider, err := newProvider(config)
	if err != nil {
		t.Fatal(err)
	}
	make(provider.Tracer("ours", api.WithInstrumentationVersion("v1")))
	if err := provider.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Spans arrive with all attributes, and with the headers set in the environment.
func TestExport(t *testing.T) {
	c := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=shop")
	export(t, c, Config{Project: "p", Service: "s", Revision: "s-1"}, func(ours api.Tracer) {
		_, other := ours.Start(t.Context(), "other")
		other.End()
		ctx, root := ours.Start(t.Context(), "Upload", api.WithSpanKind(api.SpanKindServer), api.WithLinks(api.Link{SpanContext: other.SpanContext()}))
		_, inner := ours.Start(ctx, "image_analyzer")
		root.SetAttributes(attribute.String("s", "텍스트"), attribute.Int("i", -1), attribute.Float64("f", 0.5), attribute.Bool("b", true), attribute.StringSlice("l", []string{"x", "y"}))
		root.AddEvent("retried", api.WithAttributes(attribute.Int("attempt", 2)))
		root.SetStatus(codes.Error, "broken")
		inner.End()
		root.End()
	})
	spans := c.spans()
	root, inner, other := spans["Upload"], spans["image_analyzer"], spans["other"]
	if root == nil || inner == nil || other == nil {
		t.Fatalf("exported: %v, want three spans", spans)
	}
	if !bytes.Equal(inner.ParentSpanId, root.SpanId) || !bytes.Equal(inner.TraceId, root.TraceId) || root.Kind != otlp.Span_SPAN_KIND_SERVER {
		t.Errorf("exported: %v and %v, want one within the other, which a server made", root, inner)
	}
	if len(root.Links) != 1 || !bytes.Equal(root.Links[0].SpanId, other.SpanId) || len(root.Events) != 1 || root.Events[0].Name != "retried" || len(root.Events[0].Attributes) != 1 {
		t.Errorf("links %v, events %v; want one of each", root.Links, root.Events)
	}
	if root.Status.Code != otlp.Status_STATUS_CODE_ERROR || root.Status.Message != "broken" {
		t.Errorf("status %v, want an error that says broken", root.Status)
	}
	if got, want := notes(root.Attributes), `b=true f=0.5 i=-1 l=["x","y"] s=텍스트`; got != want {
		t.Errorf("attributes %s, want %s", got, want)
	}
	request := c.requests[0]
	if got, want := notes(request.ResourceSpans[0].Resource.Attributes), "gcp.project_id=p service.name=s service.version=s-1"; got != want {
		t.Errorf("resource %s, want %s", got, want)
	}
	if got := request.Get("X-Team"); got != "shop" {
		t.Errorf("the header X-Team is %q, want that of OTEL_EXPORTER_OTLP_HEADERS", got)
	}
}

// notes returns attributes sorted by name.
func notes(all []*common.KeyValue) string {
	var lines []string
	for _, a := range all {
		value := ""
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			value = v.StringValue
		case *common.AnyValue_IntValue:
			value = fmt.Sprint(v.IntValue)
		case *common.AnyValue_DoubleValue:
			value = fmt.Sprint(v.DoubleValue)
		case *common.AnyValue_BoolValue:
			value = fmt.Sprint(v.BoolValue)
		case *common.AnyValue_ArrayValue:
			var parts []string
			for _, v := range v.ArrayValue.Values {
				parts = append(parts, strconv.Quote(v.GetStringValue()))
			}
			value = "[" + strings.Join(parts, ",") + "]"
		}
		lines = append(lines, a.Key+"="+value)
	}
	slices.Sort(lines)
	return strings.Join(lines, " ")
}

// An incoming trace is recorded if its sender records it, others by probability.
func TestSampling(t *testing.T) {
	const sampled, not = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
	tests := []struct {
		ratio, traceparent string
		want               bool
	}{
		{"1", "", true},
		{"0", "", false},
		{"0", sampled, true},
		{"1", not, false},
	}
	for _, test := range tests {
		c := collect(t)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL+"/")
		t.Setenv("OTEL_TRACES_SAMPLER_ARG", test.ratio)
		provider, err := newProvider(Config{})
		if err != nil {
			t.Fatal(err)
		}
		_, span := provider.Tracer("x").Start(propagation.TraceContext{}.Extract(t.Context(), propagation.MapCarrier{"traceparent": test.traceparent}), "x")
		span.End()
		if err := provider.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := c.spans()["x"] != nil; got != test.want {
			t.Errorf("share %s, parent %q: exported: %v, want %v", test.ratio, test.traceparent, got, test.want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	if _, err := Open(Config{Cloud: true}); err == nil || !strings.Contains(err.Error(), "GOOGLE_CLOUD_PROJECT") {
		t.Errorf("Open for Google Cloud without a project = %v, want an error that names it", err)
	}
	for _, ratio := range []string{"2", "-1", "NaN", "half"} {
		t.Setenv("OTEL_TRACES_SAMPLER_ARG", ratio)
		if _, err := Open(Config{}); err == nil || !strings.Contains(err.Error(), "OTEL_TRACES_SAMPLER_ARG") {
			t.Errorf("Open with OTEL_TRACES_SAMPLER_ARG=%s = %v, want an error that names it", ratio, err)
		}
	}
}

// If a collector is down or refuses spans, they are lost with a log line, and nothing else
// happens.
func TestCollectorFails(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no role", http.StatusForbidden) }))
	defer refusing.Close()
	for url, want := range map[string]string{refusing.URL: "no role", "http://127.0.0.1:1": "refused"} {
		var lines strings.Builder
		slog.SetDefault(slog.New(slog.NewTextHandler(&lines, nil)))
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
		t.Setenv("OTEL_TRACES_SAMPLER_ARG", "1")
		flush, err := Open(Config{})
		if err != nil {
			t.Fatal(err)
		}
		_, span := otel.GetTracerProvider().Tracer("x").Start(t.Context(), "x")
		span.End()
		if err := flush(t.Context()); err != nil {
			t.Errorf("%s: flush = %v, want none", url, err)
		}
		if !strings.Contains(lines.String(), `level=WARN msg="spans not exported"`) || !strings.Contains(lines.String(), want) {
			t.Errorf("%s: the log says %q, want that no spans were exported: %s", url, &lines, want)
		}
	}
}
