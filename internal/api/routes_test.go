package api_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api"
)

func TestModelFaults(t *testing.T) {
	t.Parallel()
	s := serve(t)
	tests := []struct {
		fault  emulated.Fault
		status int
		code   string
		retry  string
	}{
		{emulated.Fault{Type: emulated.BlockedPrompt}, 422, "model_blocked", ""},
		{emulated.Fault{Type: emulated.Truncated}, 422, "model_truncated", ""},
		{emulated.Fault{Type: emulated.RateLimited, Delay: 90 * time.Second}, 429, "model_quota", "90"},
		{emulated.Fault{Type: emulated.NotInPlan}, 502, "model_not_in_plan", ""},
		{emulated.Fault{Type: emulated.Unpaid}, 502, "model_unpaid", ""},
		{emulated.Fault{Type: emulated.Unavailable}, 502, "model_unavailable", ""},
		{emulated.Fault{Type: emulated.Malformed}, 502, "model_malformed", ""},
		{emulated.Fault{Type: emulated.Gone}, 502, "model_gone", ""},
	}
	for _, test := range tests {
		s.Gemini.SetFaults(test.fault)
		resp, body := s.ask("POST", "/analyze", string(picture(t, 40)))
		fields := read[map[string]any](t, body)
		if resp.StatusCode != test.status || fields["code"] != test.code || resp.Header.Get("Retry-After") != test.retry {
			t.Errorf("%s: %s, %v, Retry-After %q; want %d, %s, %q", test.fault.Type, resp.Status, fields, resp.Header.Get("Retry-After"), test.status, test.code, test.retry)
		}
	}
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	broken := func(context.Context) (*intake.Intake, error) { return nil, errors.New("the secret key xyz is wrong") }
	url := listen(t, api.New(api.Config{Intake: broken, Memory: admission.New(admission.Config{Requests: 1 << 30, Work: 100 << 20, Queue: 1, Patience: time.Second})}))
	tests := []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/health", 200, "ok\n"},
		{"HEAD", "/health", 200, ""},
		{"GET", "/", 200, `"status": "online"`},
		{"GET", "/analyze", 405, "method_not_allowed"},
		{"HEAD", "/", 200, ""},
		{"HEAD", "/openapi.json", 200, ""},
		{"GET", "/other", 404, "not_found"},
		{"POST", "/", 405, "method_not_allowed"},
		{"PATCH", "/results/0123456789abcdef0123456789abcdef", 405, "GET, HEAD, DELETE"},
		{"DELETE", "/results/0123456789abcdef0123456789abcdef", 501, "reviews_off"},
		{"GET", "/catalog", 501, "reviews_off"},
		{"PUT", "/batches", 405, "POST, GET, HEAD"},
		{"PATCH", "/batches/a", 405, "GET, HEAD, DELETE"},
		{"GET", "/batches", 501, "batches_off"},
		{"POST", "/batches", 501, "batches_off"},
		{"GET", "/batches/a/events", 501, "batches_off"},
		{"GET", "/search", 405, "method_not_allowed"},
		{"POST", "/search/text", 400, "bad_body"},
		{"GET", "/search/filters", 501, "search_off"},
		{"GET", "/search/suggest?q=a", 501, "search_off"},
		{"GET", "/products/0123456789abcdef0123456789abcdef", 501, "search_off"},
		{"GET", "/products/0123456789abcdef0123456789abcdef/image", 501, "search_off"},
		{"GET", "/page/nothing", 404, ""},
		{"POST", "/analyze", 500, "internal"},
	}
	for _, test := range tests {
		req, err := http.NewRequestWithContext(t.Context(), test.method, url+test.path, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != test.status || !strings.Contains(string(body), test.want) {
			t.Errorf("%s %s = %s, %q, %v; want %d with %q", test.method, test.path, resp.Status, body, err, test.status, test.want)
		}
		if kind := resp.Header.Get("X-Content-Type-Options"); kind != "nosniff" {
			t.Errorf("%s %s: X-Content-Type-Options %q, want nosniff", test.method, test.path, kind)
		}
		if allow := resp.Header.Get("Allow"); (test.status == 405) != (allow != "") || !strings.Contains(string(body), allow) {
			t.Errorf("%s %s: Allow %q of %q", test.method, test.path, allow, body)
		}
		if strings.Contains(string(body), "secret") {
			t.Errorf("%s %s tells %q", test.method, test.path, body)
		}
	}
}

// Requests from other sites' pages that change something are refused; programs and the
// service's own page are not.
func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	s := serve(t)
	tests := []struct {
		method, path, header, value string
		want                        int
	}{
		{"POST", "/analyze", "Sec-Fetch-Site", "cross-site", 403},
		{"POST", "/batches", "Origin", "https://evil.example.com", 403},
		{"DELETE", "/batches/a", "Sec-Fetch-Site", "same-site", 403},
		{"POST", "/page/suggestions", "Sec-Fetch-Site", "cross-site", 403},
		{"POST", "/analyze", "Sec-Fetch-Site", "same-origin", 400},
		{"POST", "/analyze", "Origin", s.url, 400},
		{"GET", "/results", "Sec-Fetch-Site", "cross-site", 200},
	}
	for _, test := range tests {
		resp, body := s.ask(test.method, test.path, "", test.header, test.value)
		if resp.StatusCode != test.want || test.want == 403 && !strings.Contains(body, "cross_origin") {
			t.Errorf("%s %s with %s: %s = %s, %q; want %d", test.method, test.path, test.header, test.value, resp.Status, body, test.want)
		}
	}
}

// Browsers get the page at the path where programs get the status.
func TestHome(t *testing.T) {
	t.Parallel()
	s := serve(t)
	resp, body := s.ask("GET", "/", "", "Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") || !strings.Contains(body, "<!DOCTYPE html>") {
		t.Errorf("GET / of a browser = %s, %q", resp.Header, body)
	}
	resp, body = s.ask("GET", "/", "", "Accept", "*/*")
	if read[map[string]string](t, body)["status"] != "online" || !strings.Contains(resp.Header.Get("Vary"), "Accept") {
		t.Errorf("GET / of a program = %s, %q", resp.Header, body)
	}
}
