// Package otlp exports the spans of package trace, and those that ADK and Google's clients
// create, by the OpenTelemetry protocol over HTTP.
//
//	span ends → sampled? → batch → without content → POST …/v1/traces
//
// It is the only package that imports OpenTelemetry's SDK and exporter.
package otlp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/api/option"
	transport "google.golang.org/api/transport/http"

	spans "example.com/whatis/internal/trace"
)

// Config says where spans are exported, and from which service.
type Config struct {
	Cloud    bool   // to Google Cloud, with the application default credentials
	Project  string // of Google Cloud
	Service  string // name of the service
	Revision string // of the service
}

// googleURL is the endpoint of Cloud Trace
// (docs.cloud.google.com/stackdriver/docs/reference/telemetry/v1.traces).
const googleURL = "https://telemetry.googleapis.com/v1/traces"

// every is how long a span waits for others to be sent with it.
const every = 2 * time.Second

// Open exports spans from now on, to Google Cloud or to the collector in OpenTelemetry's
// own variables: OTEL_EXPORTER_OTLP_ENDPOINT, by default http://localhost:4318,
// OTEL_EXPORTER_OTLP_HEADERS and the others of its exporter
// (opentelemetry.io/docs/specs/otel/protocol/exporter). An incoming trace is recorded if
// its sender records it; a new trace is recorded with the probability
// OTEL_TRACES_SAMPLER_ARG, by default 0.1. The returned function sends waiting spans and
// ends the export.
func Open(c Config) (flush func(context.Context) error, err error) {
	provider, err := newProvider(c)
	if err != nil {
		return nil, fmt.Errorf("otlp: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { slog.Warn("spans not exported", "error", err) }))
	spans.Use(provider)
	return provider.Shutdown, nil
}

func newProvider(c Config) (*trace.TracerProvider, error) {
	ratio, err := ratio()
	if err != nil {
		return nil, err
	}
	if c.Cloud && c.Project == "" {
		return nil, errors.New("GOOGLE_CLOUD_PROJECT is not set: Google Cloud takes no spans without it")
	}
	exporter, err := otlptracehttp.New(context.Background(), c.options()...)
	if err != nil {
		return nil, err
	}
	return trace.NewTracerProvider(
		trace.WithSampler(trace.ParentBased(trace.TraceIDRatioBased(ratio))),
		trace.WithBatcher(withoutContent{exporter}, trace.WithBatchTimeout(every), trace.WithExportTimeout(10*time.Second)),
		trace.WithResource(c.resource()),
	), nil
}

// options returns the exporter's destination and transport.
func (c Config) options() []otlptracehttp.Option {
	switch {
	case c.Cloud:
		return toGoogle(googleURL)
	case os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "":
		return []otlptracehttp.Option{otlptracehttp.WithInsecure()} // the exporter's default is https
	}
	return nil
}

func toGoogle(url string) []otlptracehttp.Option {
	client := &http.Client{Transport: &googleTransport{}}
	return []otlptracehttp.Option{otlptracehttp.WithEndpointURL(url), otlptracehttp.WithHTTPClient(client)}
}

// A googleTransport authenticates with the application default credentials, which it looks
// up at the first export. The batcher exports one batch at a time.
type googleTransport struct{ client *http.Client }

func (t *googleTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.client == nil {
		client, err := connectGoogle(r.Context())
		if err != nil {
			return nil, fmt.Errorf("otlp: credentials: %w", err)
		}
		t.client = client
	}
	return t.client.Transport.RoundTrip(r)
}

// connectGoogle returns a client whose own requests create no spans.
func connectGoogle(ctx context.Context) (*http.Client, error) {
	client, _, err := transport.NewClient(context.WithoutCancel(ctx),
		option.WithScopes("https://www.googleapis.com/auth/trace.append"), option.WithTelemetryDisabled())
	return client, err
}

func ratio() (float64, error) {
	text := cmp.Or(os.Getenv("OTEL_TRACES_SAMPLER_ARG"), "0.1")
	r, err := strconv.ParseFloat(text, 64)
	if err != nil || !(r >= 0 && r <= 1) {
		return 0, errors.New("OTEL_TRACES_SAMPLER_ARG is " + strconv.Quote(text) + ": use a share from 0 to 1")
	}
	return r, nil
}

// resource returns the attributes of the service. Google Cloud requires the project among
// them.
func (c Config) resource() *resource.Resource {
	attributes := []attribute.KeyValue{attribute.String("service.name", cmp.Or(c.Service, os.Getenv("OTEL_SERVICE_NAME"), "whatis"))}
	if c.Revision != "" {
		attributes = append(attributes, attribute.String("service.version", c.Revision))
	}
	if c.Project != "" {
		attributes = append(attributes, attribute.String("gcp.project_id", c.Project))
	}
	return resource.NewSchemaless(attributes...)
}
