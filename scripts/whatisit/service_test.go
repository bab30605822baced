package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	imaging "example.com/whatis/internal/photo"
)

const okResult = `{"product_name":"Tea","brand":"B","source":"image","inference_time":"0.10s","token_usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3},"image":{"width":4,"height":5}}`

// event returns one of a stream.
func event(id int, name, data string) string {
	return fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", id, name, data)
}

func problemDocument(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"type":"about:blank","title":"x","status":%d,"code":%q,"detail":%q}`, status, code, detail)
}

// A scripted service answers the request of each number with the step of that
// number, and all further ones with the last.
func scripted(t *testing.T, steps ...http.HandlerFunc) (url string, requests *atomic.Int64) {
	t.Helper()
	requests = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(requests.Add(1))
		steps[min(n, len(steps))-1](w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(text, "id:") {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		}
		fmt.Fprint(w, text)
	}
}

func TestAnswers(t *testing.T) {
	started := event(1, "agent", `{"author":"rag_agent","kind":"tool_call","tool":"search_local_db","data":{"a":[1]}}`)
	answered := event(2, "agent", `{"author":"rag_agent","kind":"tool_result","tool":"search_local_db"}`)
	used := event(3, "agent", `{"author":"rag_agent","kind":"usage","usage":{"model":"m","input_tokens":1,"output_tokens":2,"total_tokens":3}}`)
	whole := event(4, "result", okResult) + event(5, "end", "{}")
	fine := says(okResult)
	busy := func(after string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			problemDocument(w, 503, "busy", "there is no room")
		}
	}
	refuse := func(status int, code string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { problemDocument(w, status, code, "because of "+code) }
	}
	resumed := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") != "2" {
			problemDocument(w, 400, "wrong", "Last-Event-ID is "+r.Header.Get("Last-Event-ID"))
			return
		}
		says(used+whole)(w, r)
	}
	const line = "[1/1] a.jpg 4x5 0.10s tokens 1/2/3 image: Tea, B\n"
	tests := []struct {
		name     string
		steps    []http.HandlerFunc
		code     int
		requests int64
		want     []string // on standard error, with -v
	}{
		{"a plain answer", []http.HandlerFunc{fine}, 0, 1, []string{line}},
		{"a stream", []http.HandlerFunc{says(started + ": a comment\n\n" + answered + used + whole)}, 0, 1, []string{
			"[1/1] a.jpg rag_agent calls search_local_db\n", "rag_agent: search_local_db answered\n", "rag_agent: m tokens 1/2/3\n", line,
		}},
		{"a stream with CRLF", []http.HandlerFunc{says(strings.ReplaceAll(started+whole, "\n", "\r\n"))}, 0, 1, []string{line}},
		{"a stream that is cut", []http.HandlerFunc{says(started + answered), resumed}, 0, 2, []string{"the connection was cut", "trying again in 1s", "m tokens", line}},
		{"a stream that is cut in the result", []http.HandlerFunc{says(started + answered + "id: 3\nevent: result\ndata: {\"product"), resumed}, 0, 2, []string{line}},
		{"a connection that is cut", []http.HandlerFunc{func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, fine}, 0, 2, []string{"the connection was cut", line}},
		{"a problem in a stream", []http.HandlerFunc{says(started + event(2, "problem", `{"status":422,"code":"corrupt","detail":"the photo is damaged"}`) + event(3, "end", "{}"))}, 1, 1, []string{"failed: the photo is damaged\n"}},
		{"an end without a result", []http.HandlerFunc{says(started + event(2, "end", "{}"))}, 1, 1, []string{"failed: the service ended without a result"}},
		{"no room for a moment", []http.HandlerFunc{busy("1"), fine}, 0, 2, []string{"a.jpg: there is no room; trying again in 1s", line}},
		{"no room for long", []http.HandlerFunc{busy("3600")}, 1, 1, []string{"failed: there is no room"}},
		{"a failure", []http.HandlerFunc{refuse(502, "model_unavailable")}, 1, 1, []string{"failed: because of model_unavailable"}},
		{"a page", []http.HandlerFunc{says("<html>")}, 1, 1, []string{"does not answer with JSON: is it a whatis service?"}},
		{"a login page", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://login.example/", http.StatusFound)
		}}, 1, 1, []string{`answers 302 Found: it redirects to "https://login.example/"`}},
		{"no access", []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) }}, 1, 1, []string{"it needs an identity token: run gcloud auth login, or set WHATIS_TOKEN"}},
		{"a hostile answer", []http.HandlerFunc{says(strings.ReplaceAll(okResult, "Tea", `T\u001b[2J\nea`))}, 0, 1, []string{"image: T [2J ea, B\n"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			url, requests := scripted(t, test.steps...)
			c := prepared(t, nil, "analyze", "-v", "--url", url, "a.jpg")
			write(t, filepath.Join(c.Dir, "a.jpg"), "x")
			if code := c.ends(len(test.steps) > 1); code != test.code || requests.Load() != test.requests {
				t.Errorf("exit %d after %d requests, want %d after %d; %q", code, requests.Load(), test.code, test.requests, &c.stderr)
			}
			c.says(test.want...)
			var r struct {
				Error     string
				Retryable *bool
			}
			if err := json.Unmarshal(c.printed(), &r); err != nil || (r.Error == "analysis_failed" && r.Retryable != nil) != (test.code == 1) {
				t.Errorf("printed %q, %v", &c.stdout, err)
			}
		})
	}
}

// What is asked: the bytes, the options, and the object by its name.
func TestRequests(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 3)
	url, _ := scripted(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		text := strings.TrimSpace(string(body))
		if kind == "multipart/form-data" {
			text = parts(t, multipart.NewReader(strings.NewReader(string(body)), params["boundary"]))
		}
		asked <- r.Method + " " + r.URL.String() + " " + kind + " " + r.Header.Get("Authorization") + text
		fmt.Fprint(w, okResult)
	})
	c := prepared(t, []string{"WHATIS_TOKEN=secret"}, "analyze", "--url", url+"/analyze", "--jobs=1", "--country=US", "--lang=en", "--policy=strict", "--second-look=never", "--fresh", "a.jpg", `gs://b/"x" y.jpg`, "tea.png")
	write(t, filepath.Join(c.Dir, "a.jpg"), "bytes")
	write(t, filepath.Join(c.Dir, "tea.png"), string(noise(t, 1500)))
	if code := c.run(); code != 0 {
		t.Fatalf("exit %d, %q", code, &c.stderr)
	}
	const to = "POST /analyze?country=US&fresh=true&lang=en&policy=strict&second_look=never "
	for _, want := range []string{
		to + "multipart/form-data file a.jpg: bytes", // of which no thumbnail can be made, and no token without TLS
		to + "application/json {\n  \"uri\": \"gs://b/\\\"x\\\" y.jpg\"\n}",
		to + "multipart/form-data file tea.png: a photo, thumbnail thumbnail.jpg: a JPEG that is kept",
	} {
		if got := <-asked; got != want {
			t.Errorf("asked %q, want %q", got, want)
		}
	}
}

// noise returns a picture that compresses badly.
func noise(t *testing.T, side int) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, side, side))
	random := rand.NewChaCha8([32]byte{})
	random.Read(m.Pix)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// parts describes the files of a form.
func parts(t *testing.T, form *multipart.Reader) string {
	var all []string
	for {
		part, err := form.NextPart()
		if err != nil {
			return strings.Join(all, ", ")
		}
		data, err := io.ReadAll(part)
		if err != nil {
			t.Error(err)
		}
		what := string(data)
		if _, err := imaging.CleanThumbnail(data); err == nil {
			what = "a JPEG that is kept"
		} else if len(data) > 1e6 {
			what = "a photo"
		}
		all = append(all, part.FormName()+" "+part.FileName()+": "+what)
	}
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	c := prepared(t, nil, "analyze", "--url", "http://127.0.0.1:1", "a.jpg", "a.jpg")
	write(t, filepath.Join(c.Dir, "a.jpg"), "x")
	if code := c.run(); code != 1 {
		t.Errorf("exit %d, want 1", code)
	}
	c.says("http://127.0.0.1:1 does not answer: ", "2 of 2 photos, 2 failed")
	if l := c.list(); !l[0].Result.Retryable {
		t.Errorf("%+v, want a failure that is retryable", l[0])
	}
}

// gcloud's token is asked for once, and again when it is refused.
func TestIdentity(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "gcloud"), "#!/bin/sh\nprintf x >>"+folder+"/count\n/bin/cat "+folder+"/count\n")
	if err := os.Chmod(filepath.Join(folder, "gcloud"), 0o755); err != nil {
		t.Fatal(err)
	}
	var tokens []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tokens = append(tokens, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		if len(tokens) == 2 {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer server.Close()
	note := func(format string, args ...any) { t.Logf(format, args...) }
	tests := []struct{ path, token, want string }{
		{folder, "", "[x x xx xx]"},
		{folder, "mine", "[mine mine mine]"},
		{t.TempDir(), "", "[  ]"},
	}
	for _, test := range tests {
		t.Setenv("PATH", test.path)
		t.Setenv("WHATIS_TOKEN", test.token)
		tokens = nil
		if err := os.RemoveAll(filepath.Join(folder, "count")); err != nil {
			t.Fatal(err)
		}
		s := &service{base: server.URL, client: server.Client(), identity: newIdentity(note), note: note}
		for range 3 {
			if resp, err := s.do(t.Context(), request{method: "GET", path: "/"}); err == nil {
				resp.Body.Close()
			}
		}
		if got := fmt.Sprint(tokens); got != test.want {
			t.Errorf("gcloud in %q, WHATIS_TOKEN %q: sent %s, want %s", test.path, test.token, got, test.want)
		}
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		address, base string
		identified    bool
	}{
		{"https://whatis.example.com/", "https://whatis.example.com", true},
		{"https://example.com/whatis/analyze", "https://example.com/whatis", true},
		{"https://localhost:8443", "https://localhost:8443", false},
		{"http://whatis.example.com", "http://whatis.example.com", false},
		{"whatis.example.com", "", false},
		{"https://", "", false},
		{"https://user:secret@example.com", "", false},
		{"https://example.com/?a=b", "", false},
	}
	for _, test := range tests {
		s, err := at(test.address, nil)
		if (err == nil) != (test.base != "") || err == nil && (s.base != test.base || (s.identity != nil) != test.identified) {
			t.Errorf("at(%q) = %+v, %v; want %q, identified %v", test.address, s, err, test.base, test.identified)
		}
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err   error
		try   int
		wait  time.Duration
		again bool
	}{
		{nil, 1, 0, false},
		{io.EOF, 1, 0, false},
		{fmt.Errorf("x: %w", errCut), 3, 4 * time.Second, true},
		{&problem{Status: 429}, 2, 2 * time.Second, true},
		{&problem{Status: 503, retryAfter: 7 * time.Second}, 4, 7 * time.Second, true},
		{&problem{Status: 429, retryAfter: time.Hour}, 1, time.Hour, false},
		{&problem{Status: 502}, 1, 0, false},
		{&problem{Status: 422}, 1, 0, false},
	}
	for _, test := range tests {
		if wait, again := pause(test.err, test.try); again != test.again || again && wait != test.wait {
			t.Errorf("pause(%v, %d) = %v, %v; want %v, %v", test.err, test.try, wait, again, test.wait, test.again)
		}
	}
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "30": 30 * time.Second, "-1": 0, "soon": 0, "99999999999999999": 1e6 * time.Second, "Sat, 21 Nov 2026 08:01:00 GMT": time.Minute, "Sat, 21 Nov 2026 07:00:00 GMT": 0,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("retryAfter(%q) = %v, want %v", value, got, want)
		}
	}
}
