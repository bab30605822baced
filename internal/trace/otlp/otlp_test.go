package otlp

import (
	"context"
	"encoding/hex"
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
)

var update = flag.Bool("update", false, "write testdata/request.hex")

// ids counts instead of rolling dice.
type ids struct{ n byte }

func (i *ids) NewIDs(ctx context.Context) (api.TraceID, api.SpanID) {
	return api.TraceID{15: 0x11}, i.NewSpanID(ctx, api.TraceID{})
}

func (i *ids) NewSpanID(context.Context, api.TraceID) api.SpanID {
	i.n++
	return api.SpanID{7: i.n}
}

// The golden file was read by go.opentelemetry.io/proto/otlp: a server span with an
// attribute of each type and an error, a span within it, and one of another library.
func TestEncode(t *testing.T) {
	kept := &keeper{}
	provider := trace.NewTracerProvider(trace.WithSyncer(kept), trace.WithIDGenerator(&ids{}), trace.WithResource(Config{Project: "p", Service: "s", Revision: "s-1"}.resource()))
	at := func(n int64) api.SpanEventOption { return api.WithTimestamp(time.Unix(1_800_000_000, n)) }
	tracer := provider.Tracer("ours", api.WithInstrumentationVersion("v1"))
	ctx, root := tracer.Start(t.Context(), "Upload", api.WithSpanKind(api.SpanKindServer), at(1))
	_, inner := tracer.Start(ctx, "image_analyzer", at(2))
	_, other := provider.Tracer("theirs").Start(ctx, "Commit", api.WithSpanKind(api.SpanKindClient), at(3))
	root.SetAttributes(attribute.String("s", "텍스트"), attribute.Int("i", -1), attribute.Float64("f", 0.5), attribute.Bool("b", true), attribute.StringSlice("l", []string{"x", "y"}))
	root.SetStatus(codes.Error, "broken")
	other.SetStatus(codes.Ok, "")
	other.End(at(4))
	inner.End(at(5))
	root.End(at(6))
	// One library at a time: their order in a request is not said.
	got := hex.EncodeToString(encode(kept.spans[1:])) + "\n" + hex.EncodeToString(encode(kept.spans[:1])) + "\n"
	if *update {
		if err := os.WriteFile("testdata/request.hex", []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/request.hex")
	if err != nil || got != string(want) {
		t.Errorf("encode = %s, want %s, %v", got, want, err)
	}
}

type keeper struct{ spans []trace.ReadOnlySpan }

func (k *keeper) ExportSpans(_ context.Context, s []trace.ReadOnlySpan) error {
	k.spans = append(k.spans, s...)
	return nil
}

func (k *keeper) Shutdown(context.Context) error { return nil }

// Traces that come in are recorded if their sender records them, others by share.
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
		sent := make(chan string, 10)
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { sent <- r.URL.Path }))
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL+"/")
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
		server.Close()
		if got := len(sent) > 0; got != test.want || got && <-sent != "/v1/traces" {
			t.Errorf("share %s, parent %q: exported to /v1/traces: %v, want %v", test.ratio, test.traceparent, got, test.want)
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

// A collector that is away or refuses costs the spans and a log line, no more.
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
