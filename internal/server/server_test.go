package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/GoogleCloudPlatform/functions-framework-go/functions"

	"example.com/whatis/internal/server"
)

// entered tells that a request has reached the function, left that its context
// has ended.
var entered, left = make(chan bool, 10), make(chan error, 10)

// release ends a request that reads nothing.
var release = make(chan bool, 1)

// stuck tells that an answer without end could not be written on.
var stuck = make(chan error, 10)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	functions.HTTP("Test", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			entered <- true
			time.Sleep(pause(r))
			if err := r.Context().Err(); err != nil {
				fmt.Fprint(w, err)
			}
		case "/stuck":
			entered <- true
			<-r.Context().Done()
			left <- r.Context().Err()
			return
		case "/unread":
			entered <- true
			<-release
			return
		case "/refuse":
			http.Error(w, "full", http.StatusServiceUnavailable)
			return
		case "/endless":
			_, err := io.Copy(w, zeros{})
			stuck <- err
			return
		}
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusTeapot)
			return
		}
		fmt.Fprintf(w, "%s %s %d bytes for %s", r.Method, r.URL.Path, n, r.Host)
	})
	os.Exit(m.Run())
}

// pause is how long a slow request is to take.
func pause(r *http.Request) time.Duration {
	if d, err := time.ParseDuration(r.URL.Query().Get("for")); err == nil {
		return d
	}
	return 200 * time.Millisecond
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func start(t *testing.T) (url string, stop func() error) {
	t.Helper()
	return startWith(t, server.Options{})
}

// startWith runs the server until the returned function is called, which returns
// what Run does.
func startWith(t *testing.T, o server.Options) (url string, stop func() error) {
	t.Helper()
	t.Setenv("FUNCTION_TARGET", "Test")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- o.Run(ctx, "127.0.0.1:"+port) }()
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		}
		select {
		case err := <-done:
			cancel()
			if errors.Is(err, syscall.EADDRINUSE) { // somebody else was quicker
				return startWith(t, o)
			}
			t.Fatalf("Run = %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	t.Cleanup(cancel)
	return "http://" + address, func() error { cancel(); return <-done }
}

func TestPassesRequestsOn(t *testing.T) {
	url, stop := start(t)
	resp, err := http.Post(url+"/a/b", "text/plain", strings.NewReader("four"))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if want := "POST /a/b 4 bytes for " + strings.TrimPrefix(url, "http://"); string(body) != want {
		t.Errorf("answer = %q, want %q", body, want)
	}
	if err := stop(); err != nil {
		t.Errorf("Run = %v, want nil after its context ended", err)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	url, _ := start(t)
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
			body = io.MultiReader(body) // of a length that is not told
		}
		resp, err := http.Post(url, "image/jpeg", body)
		if err != nil {
			t.Fatalf("%d bytes, chunked %v: %v", test.size, test.chunked, err)
		}
		resp.Body.Close()
		if resp.StatusCode != test.want {
			t.Errorf("%d bytes, chunked %v: %s, want %d", test.size, test.chunked, resp.Status, test.want)
		}
	}
}

// A request under way is finished before Run returns.
func TestDrain(t *testing.T) {
	url, stop := start(t)
	status := make(chan int, 1)
	go func() {
		resp, err := http.Get(url + "/slow")
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		resp.Body.Close()
		status <- resp.StatusCode
	}()
	<-entered
	if err := stop(); err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
	select {
	case got := <-status:
		if got != http.StatusOK {
			t.Errorf("status = %d, want 200", got)
		}
	case <-time.After(5 * time.Second):
		t.Error("Run returned before the request had its answer")
	}
}

// A caller that leaves ends the function's work.
func TestCallerLeaves(t *testing.T) {
	url, _ := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/stuck", nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	<-entered
	cancel()
	select {
	case err := <-left:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the function's context ended with %v, want %v", err, context.Canceled)
		}
	case <-time.After(5 * time.Second):
		t.Error("the function's context goes on after the caller left")
	}
}

func TestUnknownTarget(t *testing.T) {
	t.Setenv("FUNCTION_TARGET", "Nothing")
	if err := server.Run(t.Context(), "127.0.0.1:0"); err == nil || !strings.Contains(err.Error(), "Nothing") {
		t.Errorf("Run of an unknown target = %v, want an error that names it", err)
	}
}
