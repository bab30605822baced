package function_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// maxFrames is how many functions of our own stand between a pushed event and the
// SDK's call of the model. Whoever reads a stack reads them all.
const maxFrames = 18

// checkFrames prints the stack of an upload's first model call, and holds its depth.
func checkFrames(t *testing.T, frames []string) {
	t.Helper()
	for i, f := range frames {
		t.Logf("%2d %s", i+1, f)
	}
	if len(frames) == 0 || len(frames) > maxFrames {
		t.Errorf("%d own frames from the event to the SDK's call, want 1 to %d", len(frames), maxFrames)
	}
}

// modelStack returns what gives the own frames of the first call of a model, the
// outermost first.
func modelStack(t *testing.T) func() []string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(file)) + "/"
	transport := http.DefaultTransport.(*http.Transport)
	before := transport.Proxy
	t.Cleanup(func() { transport.Proxy = before })
	var mu sync.Mutex
	var own []string
	// The client of the models clones the transport, which asks for its proxy in the
	// goroutine of the caller.
	transport.Proxy = func(r *http.Request) (*url.URL, error) {
		mu.Lock()
		defer mu.Unlock()
		if own != nil || !strings.HasSuffix(r.URL.Path, ":generateContent") {
			return nil, nil
		}
		pc := make([]uintptr, 200)
		frames := runtime.CallersFrames(pc[:runtime.Callers(1, pc)])
		for {
			f, more := frames.Next()
			if strings.HasPrefix(f.File, root) && !strings.HasSuffix(f.File, "_test.go") {
				own = append([]string{strings.TrimPrefix(f.Function, "example.com/whatis/")}, own...)
			}
			if !more {
				return nil, nil
			}
		}
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return own
	}
}
