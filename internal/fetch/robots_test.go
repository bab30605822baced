package fetch

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// wild is a robots.txt with many wildcards.
func wild(size int) string {
	text := "User-agent: *\n" + strings.Repeat("Disallow: /"+strings.Repeat("aé", 80)+"*b\n", 2000)
	return text[:min(len(text), size)]
}

// What is kept of robots.txt takes no more memory than they have bytes, whatever they hold.
func TestMemoryOfRobots(t *testing.T) {
	f, err := New(Config{Agent: "whatis/test (+https://example.com)"})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	text := []byte(wild(maxKept))
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := make([]*rules, 10)
	for i := range kept {
		kept[i] = f.newRules(nil, text)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > int64(2*len(kept)*len(text)) {
		t.Errorf("%d robots.txt of %d kB are kept in %d MB, want %d at most", len(kept), len(text)>>10, held>>20, 2*len(kept)*len(text)>>20)
	}
	runtime.KeepAlive(kept)
}

// A robots.txt that is too long to be kept is obeyed, and fetched with each page.
func TestLongRobots(t *testing.T) {
	var robots atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		if r.URL.Path == "/robots.txt" {
			robots.Add(1)
			_, _ = io.WriteString(w, "User-agent: *\nDisallow: /closed\n"+wild(300<<10))
		}
	}))
	defer server.Close()
	f, err := New(Config{Agent: "whatis/test (+https://example.com)", Allow: strings.TrimPrefix(server.URL, "http://"), Delay: time.Millisecond, MaxDelay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := f.Get(t.Context(), server.URL+"/open"); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.Get(t.Context(), server.URL+"/closed"); err != ErrRobots {
		t.Errorf("Get of what is disallowed = %v", err)
	}
	if n := robots.Load(); n != 3 {
		t.Errorf("robots.txt was fetched %d times, want 3", n)
	}
}

// A site that is overloaded, or asks to wait, has not asked programs to keep away: it is asked
// again after a short wait, and else not before the time that it names.
func TestRobotsThatAskToWait(t *testing.T) {
	for _, test := range []struct {
		name   string
		wait   string
		refuse int32 // how many requests for it are refused
		pages  []error
		asked  int32
	}{
		{"a second", "1", 1, []error{nil, nil}, 2},
		{"a second, and again", "1", 9, []error{ErrRobotsAway}, 2},
		{"longer than is waited for", "3600", 9, []error{ErrRobotsAway, ErrRobotsAway}, 1},
		{"no time", "", 1, []error{ErrRobotsAway, ErrRobotsAway}, 1},
	} {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				var asked atomic.Int32
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if w.Header().Set("Content-Type", "text/plain"); r.URL.Path == "/robots.txt" && asked.Add(1) <= test.refuse {
						w.Header().Set("Retry-After", test.wait)
						w.WriteHeader(status)
					}
				}))
				defer server.Close()
				f, err := New(Config{Agent: "whatis/test (+https://example.com)", Allow: strings.TrimPrefix(server.URL, "http://"), Delay: time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				for i, want := range test.pages {
					if _, err := f.Get(t.Context(), server.URL); !errors.Is(err, want) {
						t.Errorf("page %d: Get = %v, want %v", i+1, err, want)
					}
				}
				if n := asked.Load(); n != test.asked {
					t.Errorf("robots.txt was asked for %d times, want %d", n, test.asked)
				}
			})
		}
	}
}

// A page that asks to wait a little is asked for again.
func TestPageThatAsksToWait(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if w.Header().Set("Content-Type", "text/plain"); r.URL.Path != "/robots.txt" && asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer server.Close()
	f, err := New(Config{Agent: "whatis/test (+https://example.com)", Allow: strings.TrimPrefix(server.URL, "http://"), Delay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if page, err := f.Get(t.Context(), server.URL); err != nil || page.Status != http.StatusOK || asked.Load() != 2 {
		t.Errorf("Get = %d, %v after %d requests, want 200 after two", page.Status, err, asked.Load())
	}
}
