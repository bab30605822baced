package otlp

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// Google Cloud gets the spans with a token of the default credentials, and its client,
// which normally creates spans of its calls, creates none for these.
func TestGoogleCredentials(t *testing.T) {
	authorization := make(chan string, 10)
	google := http.NewServeMux()
	google.HandleFunc("POST /token", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"access_token":"a-token","token_type":"Bearer","expires_in":3600}`)
	})
	google.HandleFunc("POST /v1/traces", func(_ http.ResponseWriter, r *http.Request) { authorization <- r.Header.Get("Authorization") })
	server := httptest.NewServer(google)
	defer server.Close()
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", account(t, server.URL+"/token"))

	own := tracetest.NewInMemoryExporter()
	otel.SetTracerProvider(trace.NewTracerProvider(trace.WithSyncer(own)))
	e, err := otlptracehttp.New(t.Context(), toGoogle(server.URL+"/v1/traces")...)
	if err != nil {
		t.Fatal(err)
	}
	provider := trace.NewTracerProvider(trace.WithSyncer(e))
	_, span := provider.Tracer("x").Start(t.Context(), "x")
	span.End()
	if len(authorization) != 1 || <-authorization != "Bearer a-token" {
		t.Error("the spans did not come with the token, or not at all")
	}
	if n := len(own.GetSpans()); n != 0 {
		t.Errorf("the export itself made %d spans, want none", n)
	}
}

// account returns a service account file whose tokens come from url.
func account(t *testing.T, url string) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "p", "client_email": "a@p.iam.gserviceaccount.com", "private_key_id": "1",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": url,
	})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "account.json")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
