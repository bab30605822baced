package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulator "example.com/whatis/emulators/gemini"
)

const (
	secret = "AIza-secret-of-the-tests"
	lite   = "gemini-3.5-flash-lite"
	judge  = "gemini-3.6-flash"
)

// start starts an emulator and opens a client of the Gemini API for it. Waits are
// milliseconds.
func start(t testing.TB, c Config) (*Client, *emulator.Server) {
	t.Helper()
	s := startEmulator(t)
	c.BaseURL = s.URL()
	return open(t, c), s
}

func startEmulator(t testing.TB) *emulator.Server {
	t.Helper()
	s, err := answers.Start(emulator.Options{APIKey: secret}, answers.Options{Tesseract: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func open(t testing.TB, c Config) *Client {
	t.Helper()
	cleanEnvironment(t)
	t.Setenv("GEMINI_API_KEY", secret)
	c.AllowEmulated = true
	if c.Backoff == 0 {
		c.Backoff = 2 * time.Millisecond
	}
	client, err := Open(t.Context(), c)
	if err != nil {
		t.Fatalf("Open(%+v) = %v", c, err)
	}
	return client
}

func cleanEnvironment(t testing.TB) {
	t.Helper()
	for _, name := range []string{
		"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE",
		"GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_REGION",
		"GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "GOOGLE_APPLICATION_CREDENTIALS",
	} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
}

// vertexEnvironment sets the environment for Vertex AI. Its credentials come from a file,
// as in workload identity federation, and its tokens from a token server that answers with
// status.
func vertexEnvironment(t testing.TB, status int) {
	t.Helper()
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, `{"access_token":"token-of-the-tests","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"Bearer","expires_in":3600}`)
	}))
	t.Cleanup(tokens.Close)
	cleanEnvironment(t)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", credentials(t, tokens.URL))
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	t.Setenv("GOOGLE_CLOUD_PROJECT", "our-project")
	t.Setenv("GOOGLE_CLOUD_LOCATION", "europe-west4")
}

// openVertex opens a client in the environment of vertexEnvironment.
func openVertex(t testing.TB, baseURL string) *Client {
	t.Helper()
	client, err := Open(t.Context(), Config{BaseURL: baseURL, AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func credentials(t testing.TB, tokenURL string) string {
	t.Helper()
	dir := t.TempDir()
	subject := filepath.Join(dir, "subject")
	file, err := json.Marshal(map[string]any{
		"type":               "external_account",
		"audience":           "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/p",
		"subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
		"token_url":          tokenURL,
		"credential_source":  map[string]any{"file": subject},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "credentials.json")
	for name, content := range map[string][]byte{subject: []byte("subject"), path: file} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// tap is a proxy between client and emulator that records the traffic.
type tap struct {
	*httptest.Server
	mu       sync.Mutex
	requests []tapped
}

type tapped struct {
	path   string
	header http.Header
	body   []byte
}

func startTap(t testing.TB, to *emulator.Server) *tap {
	t.Helper()
	w := &tap{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.mu.Lock()
		w.requests = append(w.requests, tapped{r.URL.Path, r.Header.Clone(), body})
		w.mu.Unlock()
		onward, _ := http.NewRequestWithContext(r.Context(), r.Method, to.URL()+r.URL.RequestURI(), bytes.NewReader(body))
		onward.Header = r.Header
		answer, err := http.DefaultTransport.RoundTrip(onward)
		if err != nil {
			rw.WriteHeader(http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		rw.WriteHeader(answer.StatusCode)
		io.Copy(rw, answer.Body)
	}))
	t.Cleanup(w.Close)
	return w
}

func (w *tap) all() []tapped {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]tapped(nil), w.requests...)
}

// raw starts a server that answers every request with a status and a body that only a proxy
// would send.
func raw(t testing.TB, status int, header http.Header, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// failure returns err as an *Error and fails the test if it is not one.
func failure(t testing.TB, call string, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: error is %v (%T), want an *Error", call, err, err)
	}
	return e
}

// drawPhoto draws a PNG of side × side noise.
func drawPhoto(t testing.TB, side int) []byte {
	t.Helper()
	pixels := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range pixels.Pix {
		pixels.Pix[i] = byte(i * i >> 3)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, pixels); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func question(model string) Request {
	return Request{Model: model, Parts: []Part{Text("what is it?")}}
}

// callTimeout is short if a call gets no answer, but long enough to reach the emulator on a
// busy machine.
func callTimeout(faults []emulator.Fault) time.Duration {
	if slices.ContainsFunc(faults, func(f emulator.Fault) bool { return f.Type == emulator.TimeOut }) {
		return 3 * time.Second
	}
	return time.Minute
}
