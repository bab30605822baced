package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/GoogleCloudPlatform/functions-framework-go/functions"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/web"
)

func TestMain(m *testing.M) {
	functions.HTTP("Test", func(w http.ResponseWriter, r *http.Request) {
		s := serving.Load()
		ctx, leave := s.WithDrain(r.Context())
		defer leave()
		s.handler.ServeHTTP(w, r.WithContext(ctx))
	})
	emulate.Run(m)
}

// A served is a server whose function the framework serves at the moment.
type served struct {
	web.Server
	url     string
	handler http.Handler
	stop    context.CancelFunc
	done    chan error // receives what Run returns

	entered, release chan bool  // a request has reached the function; it may end
	left             chan error // why a request's context ended
	stuck            chan error // why writing an endless response failed
}

var serving atomic.Pointer[served]

// start serves a function until it is stopped.
func start(t *testing.T, l web.Limits) *served {
	t.Helper()
	t.Setenv("FUNCTION_TARGET", "Test")
	port := emulate.FreePort(t)
	address := "127.0.0.1:" + port
	s := &served{url: "http://" + address, done: make(chan error, 1),
		entered: make(chan bool, 10), release: make(chan bool), left: make(chan error, 10), stuck: make(chan error, 10)}
	s.handler = l.Guard(http.HandlerFunc(s.answer))
	serving.Store(s)
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	go func() { s.done <- s.Run(ctx, "127.0.0.1", port) }()
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		}
		select {
		case err := <-s.done:
			t.Fatalf("Run = %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	t.Cleanup(cancel)
	return s
}

// answer handles a request according to its path.
func (s *served) answer(w http.ResponseWriter, r *http.Request) {
	s.entered <- true
	switch r.URL.Path {
	case "/hold":
		<-s.release
		fmt.Fprint(w, r.Context().Err())
	case "/stuck":
		<-r.Context().Done()
		s.left <- r.Context().Err()
		http.Error(w, "given up", http.StatusServiceUnavailable)
	case "/refuse":
		http.Error(w, "full", http.StatusServiceUnavailable)
	case "/panic":
		panic("a panic")
	case "/panic-late":
		fmt.Fprint(w, strings.Repeat("half ", 1000))
		panic("a panic")
	case "/endless":
		_, err := io.Copy(w, zeros{})
		s.stuck <- err
	case "/late": // after the deadline of TestBodyTimeoutEndsWithTheBody
		n, err := io.Copy(io.Discard, r.Body)
		select {
		case <-r.Context().Done():
		case <-time.After(2500 * time.Millisecond):
		}
		fmt.Fprintf(w, "%d bytes, %v", n, errors.Join(err, r.Context().Err()))
	default:
		echo(w, r)
	}
}

func echo(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	fmt.Fprintf(w, "%s %s %d bytes for %s", r.Method, r.URL.Path, n, r.Host)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// get requests path in the background. The channel receives the response's body or the
// error.
func (s *served) get(path string) chan string {
	answer := make(chan string, 1)
	go func() {
		resp, err := http.Get(s.url + path)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		answer <- fmt.Sprint(resp.StatusCode, " ", string(body))
	}()
	return answer
}

func TestServesTheFunction(t *testing.T) {
	s := start(t, web.Limits{})
	resp, err := http.Post(s.url+"/a/b", "text/plain", strings.NewReader("four"))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if want := "POST /a/b 4 bytes for " + strings.TrimPrefix(s.url, "http://"); string(body) != want {
		t.Errorf("answer = %q, want %q", body, want)
	}
	s.stop()
	if err := <-s.done; err != nil {
		t.Errorf("Run = %v, want nil after its context ended", err)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	s := start(t, web.Limits{})
	tests := []struct {
		size    int
		chunked bool
		want    int
	}{
		{32 << 20, false, 200},
		{32<<20 + 1, false, 413},
		{32 << 20, true, 200},
		{32<<20 + 1, true, 413},
	}
	for _, test := range tests {
		body := io.Reader(bytes.NewReader(make([]byte, test.size)))
		if test.chunked {
			body = io.MultiReader(body) // hides the length
		}
		resp, err := http.Post(s.url, "image/jpeg", body)
		if err != nil {
			t.Fatalf("%d bytes, chunked %v: %v", test.size, test.chunked, err)
		}
		resp.Body.Close()
		if resp.StatusCode != test.want {
			t.Errorf("%d bytes, chunked %v: %s, want %d", test.size, test.chunked, resp.Status, test.want)
		}
	}
}

// A running request is finished before Run returns, and new ones are refused.
func TestDrain(t *testing.T) {
	s := start(t, web.Limits{})
	s.Drain = time.Minute
	answer := s.get("/hold")
	<-s.entered
	s.stop()
	for { // the address is free once the drain has begun
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			break
		}
		c.Close()
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-s.done:
		t.Fatalf("Run = %v before the request had its answer", err)
	default:
	}
	close(s.release)
	if got, want := <-answer, "200 <nil>"; got != want {
		t.Errorf("the request under way got %q, want %q", got, want)
	}
	if err := <-s.done; err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
}

// The context of a request that does not finish in time is cancelled, and Run waits for its
// response.
func TestGivesUp(t *testing.T) {
	s := start(t, web.Limits{})
	s.Drain, s.HandBack = time.Millisecond, time.Minute
	answer := s.get("/stuck")
	<-s.entered
	s.stop()
	if got, want := <-answer, "503 given up\n"; got != want {
		t.Errorf("the request under way got %q, want %q", got, want)
	}
	if err := <-s.done; err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
}

// A request that does not end even then does not stop the instance from exiting.
func TestStopsRegardless(t *testing.T) {
	s := start(t, web.Limits{})
	s.Drain, s.HandBack = time.Millisecond, time.Millisecond
	defer close(s.release)
	s.get("/hold")
	<-s.entered
	s.stop()
	if err := <-s.done; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run = %v, want %v", err, context.DeadlineExceeded)
	}
}

// A client that disconnects ends the handler's work.
func TestCallerLeaves(t *testing.T) {
	s := start(t, web.Limits{})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/stuck", nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	<-s.entered
	cancel()
	if err := <-s.left; !errors.Is(err, context.Canceled) {
		t.Errorf("the function's context ended with %v, want %v", err, context.Canceled)
	}
}

func TestUnknownTarget(t *testing.T) {
	t.Setenv("FUNCTION_TARGET", "Nothing")
	var s web.Server
	if err := s.Run(t.Context(), "127.0.0.1", "0"); err == nil || !strings.Contains(err.Error(), "Nothing") {
		t.Errorf("Run of an unknown target = %v, want an error that names it", err)
	}
}
