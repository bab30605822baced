package fetch_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/usererror"
)

// serve starts a server whose address is admitted.
func serve(t *testing.T, c fetch.Config, handler http.HandlerFunc) (*fetch.Fetcher, string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c.Allow = strings.TrimPrefix(server.URL, "http://")
	return newFetcher(t, c), server.URL
}

func TestConfigIsRefused(t *testing.T) {
	for _, c := range []struct {
		config fetch.Config
		want   string
	}{
		{fetch.Config{}, "Agent"},
		{fetch.Config{Agent: "whatis"}, "name/version"},
		{fetch.Config{Agent: "whatis/1\r\nX: y"}, "Agent"},
		{fetch.Config{Agent: agent, Allow: "127.0.0.1:1", Service: "whatis-api"}, "K_SERVICE"},
		{fetch.Config{Agent: agent, Allow: "127.0.0.1"}, "FETCH_ALLOW"},
		{fetch.Config{Agent: agent, Allow: "=127.0.0.1:1"}, "FETCH_ALLOW"},
	} {
		if _, err := fetch.New(c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New(%+v) = %v, want an error with %q", c.config, err, c.want)
		}
	}
}

// The headers of a request, and those it must not have.
func TestRequest(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	var mu sync.Mutex
	var got []*http.Request
	f, url := serve(t, fetch.Config{}, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r)
		http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
		if r.URL.Path == "/a" {
			http.Redirect(w, r, "/b?utm_source=x&y=2&x=1#top", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<p>hello")
	})
	before := time.Now().Add(-time.Minute)
	page, err := f.Get(t.Context(), url+"/a")
	if err != nil {
		t.Fatal(err)
	}
	if page.Requested != url+"/a" || page.URL != url+"/b?x=1&y=2" || !slices.Equal(page.Redirects, []string{url + "/a"}) ||
		page.Status != 200 || page.ContentType != fetch.HTML || string(page.Body) != "<p>hello" || page.Truncated || page.FetchedAt.Before(before) {
		t.Errorf("the page is %+v", page)
	}
	var asked []string
	for _, r := range got {
		asked = append(asked, r.URL.RequestURI())
		if r.UserAgent() != agent || len(r.Cookies()) > 0 || r.Referer() != "" || r.Header.Get("Authorization") != "" {
			t.Errorf("%s was asked with %v", r.URL, r.Header)
		}
	}
	if want := []string{"/robots.txt", "/a", "/b?utm_source=x&y=2&x=1"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}

func TestCertificatesAreVerified(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // the client closes the connection
	server.StartTLS()
	t.Cleanup(server.Close)
	f := newFetcher(t, fetch.Config{Allow: strings.TrimPrefix(server.URL, "https://")})
	_, err := f.Get(t.Context(), server.URL)
	if !errors.Is(err, fetch.ErrUnreachable) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("Get of an unknown certificate = %v", err)
	}
	if text, _ := usererror.Message(err); strings.Contains(text, "127.0.0.1") || !strings.Contains(text, "try again later") {
		t.Errorf("the message for callers is %q", text)
	}
}

func TestRobots(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		robots string
		path   string
		want   error
	}{
		{"none", 404, "", "/a", nil},
		{"forbidden to read", 403, "", "/a", nil},
		{"server error", 503, "", "/a", fetch.ErrRobotsAway},
		{"too many requests", 429, "", "/a", fetch.ErrRobotsAway},
		{"empty", 200, "", "/a", nil},
		{"for all", 200, "User-agent: *\nDisallow: /a", "/a", fetch.ErrRobots},
		{"for others", 200, "User-agent: other\nDisallow: /", "/a", nil},
		{"for us", 200, "User-agent: *\nAllow: /\n\nUser-agent: WhatIs\nDisallow: /", "/a", fetch.ErrRobots},
		{"us more than all", 200, "User-agent: *\nDisallow: /\n\nUser-agent: whatis\nAllow: /", "/a", nil},
		{"wildcard", 200, "User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", fetch.ErrRobots},
		{"query", 200, "User-agent: *\nDisallow: /*?print=", "/a?print=1", fetch.ErrRobots},
		{"longer rule", 200, "User-agent: *\nDisallow: /a\nAllow: /a/open", "/a/open/x", nil},
		{"broken lines", 200, "User-agent: *\nCrawl-delay: soon\nnonsense\n<html>\nDisallow: /a", "/a", fetch.ErrRobots},
		{"byte order mark", 200, "\uFEFFUser-agent: *\nDisallow: /a", "/a", fetch.ErrRobots},
		{"byte order mark, another path", 200, "\uFEFFUser-agent: *\nDisallow: /a", "/b", nil},
		{"a page", 200, "<!doctype html><title>Welcome</title>", "/a", nil},
		{"many wildcards", 200, "User-agent: *\n" + strings.Repeat("Disallow: /*x\n", 2100), "/ax", fetch.ErrRobots},
		{"many wildcards, another path", 200, "User-agent: *\n" + strings.Repeat("Disallow: /*x\n", 2100), "/a", nil},
		{"a rule before any group", 200, "Disallow: /\nAllow: /b\nUser-agent: *\nDisallow: /closed", "/a", nil},
		{"what follows it", 200, "Disallow: /\nUser-agent: *\nDisallow: /closed", "/closed", fetch.ErrRobots},
		{"a wildcard is of the path's beginning", 200, "User-agent: *\nDisallow: /data*.csv", "/files/data1.csv", nil},
		{"the end is the end", 200, "User-agent: *\nDisallow: /a$", "/a/b", nil},
		{"as long, Allow counts", 200, "User-agent: *\nDisallow: /a\nAllow: /a", "/a", nil},
		{"no path", 200, "User-agent: *\nDisallow: private", "/private", nil},
		{"two names of one group", 200, "User-agent: other\nSitemap: https://example.org/s.xml\nUser-agent: whatis/9\nDisallow: /a", "/a", fetch.ErrRobots},
		{"the group of others", 200, "User-agent: other\nDisallow: /\nUser-agent: whatis\nDisallow: /b", "/a", nil},
		{"a page in its place", 200, "<!doctype html><title>Disallow: /</title><p>Disallow: /a", "/a", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, url := serve(t, fetch.Config{}, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.robots)
					return
				}
				_, _ = io.WriteString(w, "text")
			})
			_, err := f.Get(t.Context(), url+c.path)
			if !errors.Is(err, c.want) {
				t.Errorf("Get(%s) = %v, want %v", c.path, err, c.want)
			}
		})
	}
}

// robots.txt is fetched once in its lifetime, and a broken one earlier.
func TestRobotsLife(t *testing.T) {
	var robots, status atomic.Int32
	status.Store(500)
	f, url := serve(t, fetch.Config{RobotsLife: 144 * 200 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			robots.Add(1)
			w.WriteHeader(int(status.Load()))
		}
	})
	for range 3 {
		if _, err := f.Get(t.Context(), url); !errors.Is(err, fetch.ErrRobotsAway) {
			t.Errorf("Get = %v, want ErrRobotsAway", err)
		}
	}
	if n := robots.Load(); n > 2 {
		t.Errorf("a broken robots.txt was fetched %d times at once", n)
	}
	status.Store(200)
	for until := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := f.Get(t.Context(), url); err == nil {
			break
		}
		if time.Now().After(until) {
			t.Fatal("a mended robots.txt is not noticed")
		}
	}
	n := robots.Load()
	for range 3 {
		_, _ = f.Get(t.Context(), url)
	}
	if robots.Load() != n {
		t.Error("a robots.txt that holds was fetched again")
	}
}

// A host gets one request at a time with a delay between them; other hosts do not wait.
func TestPoliteness(t *testing.T) {
	var now, most atomic.Int32
	var mu sync.Mutex
	at := map[string][]time.Time{}
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			_, _ = io.WriteString(w, "User-agent: *\nCrawl-delay: 9000")
			return
		}
		most.Store(max(most.Load(), now.Add(1)))
		mu.Lock()
		at[r.Host] = append(at[r.Host], time.Now())
		mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		now.Add(-1)
	}
	server := httptest.NewServer(http.HandlerFunc(handler))
	t.Cleanup(server.Close)
	const delay = 60 * time.Millisecond
	f := newFetcher(t, fetch.Config{Allow: "*=" + strings.TrimPrefix(server.URL, "http://"), Delay: time.Millisecond, MaxDelay: delay})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := f.Get(t.Context(), "http://one.example.org/page"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most.Load() != 1 {
		t.Errorf("%d requests at once to one host", most.Load())
	}
	for i, times := 1, at["one.example.org"]; i < len(times); i++ {
		if gap := times[i].Sub(times[i-1]); gap < delay {
			t.Errorf("request %d came %v after the one before, want %v", i, gap, delay)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, _ = f.Get(t.Context(), "http://one.example.org/page")
	if _, err := f.Get(ctx, "http://one.example.org/page"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Get with little time = %v, want that it waits no longer", err)
	}
}

func TestBounds(t *testing.T) {
	f, url := serve(t, fetch.Config{MaxText: 10_000, MaxFile: 20_000, Timeout: 20 * time.Second}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/long":
			for range 1000 {
				_, _ = io.WriteString(w, strings.Repeat("Größe ", 100))
			}
		case "/bomb", "/members":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 1 << 12 {
				if r.URL.Path == "/members" { // decompresses to nothing, endlessly
					_ = z.Close()
					z.Reset(w)
				} else if _, err := z.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
			_ = z.Close()
		case "/file.pdf":
			_, _ = io.WriteString(w, "%PDF-1.4\n"+strings.Repeat("x", 30_000))
		case "/text.pdf":
			_, _ = io.WriteString(w, "%PDF-1.4\n"+strings.Repeat("x", 15_000))
		case "/image":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write(make([]byte, 1000))
		case "/brotli":
			w.Header().Set("Content-Encoding", "br")
		case "/broken":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "this is not gzip")
		case "/cut":
			w.Header().Set("Content-Length", "5000")
			_, _ = io.WriteString(w, "short")
		}
	})
	for path, want := range map[string]struct {
		err       error
		truncated bool
		size      int
	}{
		"/long": {nil, true, 10_000}, "/bomb": {nil, true, 10_000}, "/members": {nil, true, 0},
		"/file.pdf": {fetch.ErrTooLarge, true, 0}, "/text.pdf": {nil, false, 15_009}, "/image": {fetch.ErrContentType, false, 0},
		"/brotli": {fetch.ErrContentType, false, 0}, "/broken": {fetch.ErrUnreachable, false, 0}, "/cut": {fetch.ErrUnreachable, false, 5},
	} {
		page, err := f.Get(t.Context(), url+path)
		if !errors.Is(err, want.err) || page.Truncated != want.truncated || len(page.Body) > want.size || len(page.Body) < want.size-3 {
			t.Errorf("Get(%s) = %d bytes, truncated: %v, %v; want %+v", path, len(page.Body), page.Truncated, err, want)
		}
	}
}

func TestStatus(t *testing.T) {
	f, url := serve(t, fetch.Config{MaxDelay: time.Nanosecond}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			return
		}
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(map[string]int{"/404": 404, "/410": 410, "/403": 403, "/429": 429, "/500": 500, "/304": 304}[r.URL.Path])
	})
	for path, want := range map[string]string{
		"/404": "check the address", "/410": "check the address", "/403": "not for the public", "/429": "try again later", "/500": "try again later", "/304": "304",
	} {
		page, err := f.Get(t.Context(), url+path)
		var status *fetch.StatusError
		if !errors.As(err, &status) || status.Status != page.Status || status.RetryAfter != 2*time.Minute {
			t.Errorf("Get(%s) = %d, %v", path, page.Status, err)
		}
		if text, _ := usererror.Message(err); !strings.Contains(text, want) {
			t.Errorf("Get(%s) says %q, want %q", path, text, want)
		}
	}
}

// A site may say as a date until when to wait.
func TestRetryDate(t *testing.T) {
	at := time.Now()
	for said, want := range map[string]time.Duration{
		at.Add(2 * time.Minute).UTC().Format(http.TimeFormat): 2 * time.Minute, at.Add(-time.Hour).UTC().Format(http.TimeFormat): 0, "soon": 0, "-5": 0,
	} {
		f, url := serve(t, fetch.Config{}, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				w.Header().Set("Retry-After", said)
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		_, err := f.Get(t.Context(), url)
		var status *fetch.StatusError
		if !errors.As(err, &status) || status.RetryAfter > want || status.RetryAfter < want-want/2 {
			t.Errorf("Retry-After %q: %+v, want a wait of about %v", said, status, want)
		}
	}
}

func TestTimeout(t *testing.T) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	f, url := serve(t, fetch.Config{Timeout: 50 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write(make([]byte, 5000))
			w.(http.Flusher).Flush()
		}
		if r.URL.Path != "/robots.txt" {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
	})
	for _, path := range []string{"/header", "/body"} {
		if _, err := f.Get(t.Context(), url+path); !errors.Is(err, fetch.ErrTimeout) {
			t.Errorf("Get(%s) = %v, want ErrTimeout", path, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Get(ctx, url); !errors.Is(err, context.Canceled) {
		t.Errorf("Get of a cancelled context = %v", err)
	}
}
