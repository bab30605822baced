package page_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/whatis/internal/api/page"
)

// request sends a request to the page's handler.
func request(t *testing.T, method, path, body string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	page.Handler(page.Samples{"a.png": func() []byte { return []byte("\x89PNG\r\n\x1a\nrest") }}).ServeHTTP(w, r)
	return w.Result()
}

func text(t *testing.T, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestAssets(t *testing.T) {
	tests := []struct {
		method, path string
		status       int
		kind         string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8"},
		{"HEAD", "/", 200, "text/html; charset=utf-8"},
		{"GET", "/page/app.js", 200, "text/javascript; charset=utf-8"},
		{"GET", "/page/style.css", 200, "text/css; charset=utf-8"},
		{"GET", "/page/icon.svg", 200, "image/svg+xml"},
		{"GET", "/page/en.json", 200, "application/json"},
		{"GET", "/page/none.js", 404, ""},
		{"GET", "/page/samples/none.png", 404, ""},
		{"GET", "/page/", 404, ""},
		{"GET", "/page/..%2fpage.go", 404, ""},
		{"GET", "/other", 404, ""},
		{"POST", "/page/app.js", 405, ""},
	}
	for _, test := range tests {
		resp := request(t, test.method, test.path, "")
		if resp.StatusCode != test.status {
			t.Errorf("%s %s = %s, want %d", test.method, test.path, resp.Status, test.status)
		}
		if test.status != 200 {
			continue
		}
		h := resp.Header
		if h.Get("Content-Type") != test.kind || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s is %q, %q; want %q, nosniff", test.method, test.path, h.Get("Content-Type"), h.Get("X-Content-Type-Options"), test.kind)
		}
		tag := h.Get("ETag")
		if again := request(t, test.method, test.path, "", "If-None-Match", tag); !strings.HasPrefix(tag, `"`) || again.StatusCode != 304 {
			t.Errorf("%s %s with its ETag %s = %s, want a strong one and 304", test.method, test.path, tag, again.Status)
		}
	}
}

// Each asset has a Content-Type.
func TestKindsOfAssets(t *testing.T) {
	files, err := os.ReadDir("assets")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if resp := request(t, "GET", "/page/"+f.Name(), ""); resp.StatusCode != 200 || resp.Header.Get("Content-Type") == "" {
			t.Errorf("GET /page/%s = %s as %q", f.Name(), resp.Status, resp.Header.Get("Content-Type"))
		}
	}
}

// Samples are listed by name; without samples the list is empty.
func TestSamples(t *testing.T) {
	if resp := request(t, "GET", "/page/samples", ""); resp.StatusCode != 200 || text(t, resp) != "[\"a.png\"]\n" {
		t.Errorf("GET samples = %s, want the name", resp.Status)
	}
	resp := request(t, "GET", "/page/samples/a.png", "")
	if kind := resp.Header.Get("Content-Type"); kind != "image/png" || !strings.HasSuffix(text(t, resp), "rest") {
		t.Errorf("the sample is %s, %q; want the PNG", resp.Status, kind)
	}
	w := httptest.NewRecorder()
	page.Handler(nil).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/page/samples", nil))
	if w.Code != 200 || w.Body.String() != "[]\n" {
		t.Errorf("without samples, GET samples = %d, %q; want []", w.Code, w.Body)
	}
}

func TestPolicy(t *testing.T) {
	const want = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: https:; media-src 'self'; connect-src 'self'; " +
		"frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	if got := request(t, "GET", "/", "").Header.Get("Content-Security-Policy"); got != want {
		t.Errorf("the page's policy is\n%s, want\n%s", got, want)
	}
}

// elsewhere matches what would be loaded from another server, or would need a weaker policy
// or unsafe HTML.
var elsewhere = regexp.MustCompile(`(?i)(src|href|url|import|from|fetch)\s*[=(]?\s*["'(]?(https?:)?//|\sstyle=|\son[a-z]+="|innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|srcdoc|@import`)

func TestNothingFromElsewhere(t *testing.T) {
	files, err := filepath.Glob("assets/*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d assets, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := elsewhere.FindAllString(string(data), -1); found != nil {
			t.Errorf("%s has %q", file, found)
		}
	}
}

func TestSuggestions(t *testing.T) {
	const html = `<style>a{color:red}</style><a href="https://www.google.com/search?q=보리차">보리차</a><script>x()</script>`
	form := func(s string) string { return url.Values{"html": {s}}.Encode() }
	tests := []struct {
		name, body string
		header     []string
		status     int
		want       string
	}{
		{"as it is", form(html), nil, 200, html},
		{"from the page", form(html), []string{"Sec-Fetch-Site", "same-origin"}, 200, html},
		{"empty", "", nil, 200, ""},
		{"200 kB", form(strings.Repeat("x", 200<<10)), nil, 200, "xxx"},
		{"300 kB", form(strings.Repeat("x", 300<<10)), nil, 400, "256 kB"},
		{"no form", "html=%zz", nil, 400, "a form"},
		{"from another site", form(html), []string{"Sec-Fetch-Site", "cross-site"}, 403, ""},
		{"from another origin", form(html), []string{"Origin", "https://evil.example"}, 403, ""},
	}
	for _, test := range tests {
		resp := request(t, "POST", "/page/suggestions", test.body, append(test.header, "Content-Type", "application/x-www-form-urlencoded")...)
		got := text(t, resp)
		if resp.StatusCode != test.status || !strings.Contains(got, test.want) {
			t.Errorf("%s = %s, %.200q; want %d, %.80q", test.name, resp.Status, got, test.status, test.want)
		}
		policy := resp.Header.Get("Content-Security-Policy")
		if test.status == 200 && !strings.HasPrefix(policy, "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:") {
			t.Errorf("%s has the policy %q", test.name, policy)
		}
	}
}
