package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/web"
)

// A cup is what the tests' shop sells.
type cup struct {
	Name string `json:"name"`
	Hot  bool   `json:"hot,omitempty"`
}

var (
	errSoldOut = errors.New("shop: sold out")
	soldOut    = web.Code{Name: "sold_out", Status: http.StatusConflict}
	cupName    = regexp.MustCompile(`^[a-z]+$`)
)

// shop is a part of a site that sells cups.
func shop() web.Part {
	return web.Part{
		Routes: []web.Route{
			{Method: "POST", Path: "/cups", Do: buy, Summary: "Buy a cup", Body: web.InJSON(web.Ref("Cup")),
				Answers: []web.Reply{{Status: 200, What: "The cup", Media: web.InJSON(web.Ref("Cup"))}}, Problems: []web.Code{web.BadBody, soldOut}},
			{Method: "GET", Path: "/cups/{id}", Do: look, Summary: "A cup", Parameters: []web.Parameter{web.InPath(cupName.String(), "blue"), web.InQuery("n", "how many", web.Schema{Type: "integer"})},
				Answers: []web.Reply{{Status: 200, What: "The cup", Media: web.InJSON(web.Ref("Cup"))}}, Problems: []web.Code{soldOut}},
		},
		Explain: web.ExplainKnown(func(err error) string { return strings.TrimPrefix(err.Error(), "shop: ") }, web.Known{Err: errSoldOut, Code: soldOut}),
		Schemas: func() (map[string]*web.Schema, error) {
			s, err := web.SchemaOf(reflect.TypeFor[cup](), nil)
			return map[string]*web.Schema{"Cup": s}, err
		},
		Others: map[string]http.Handler{"/sign.txt": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "open") })},
	}
}

func buy(w http.ResponseWriter, r *http.Request) error {
	var c cup
	if err := web.ReadJSON(w, r, 100, &c, "cup", `{"name":"tea"}`); err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, c)
	return nil
}

func look(w http.ResponseWriter, r *http.Request) error {
	id, err := web.PathID(r, cupName, errSoldOut)
	if err != nil {
		return err
	}
	n, err := web.Number(r.URL.Query(), "n", 1, 1, 9)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, cup{Name: strings.Repeat(id, n)})
	return nil
}

func site() *web.Site {
	return web.New(web.Config{Title: "shop", Version: "1", NothingHere: "POST a cup to /cups", Parts: []web.Part{shop()}})
}

func TestSite(t *testing.T) {
	tests := []struct {
		method, path, body, header string
		status                     int
		want                       string
	}{
		{"POST", "/cups", `{"name":"tea"}`, "", 200, `"name": "tea"`},
		{"POST", "/cups", `{"name":"tea","cold":true}`, "", 400, `the body is no cup: send {\"name\":\"tea\"}: json: unknown field`},
		{"POST", "/cups", `{"name":"tea"} x`, "", 400, "the body goes on behind its JSON object: send one cup"},
		{"POST", "/cups", `{"name":"` + strings.Repeat("x", 200), "", 413, "too_many_bytes"},
		{"POST", "/cups", `{}`, "cross-site", 403, "cross_origin"},
		{"PUT", "/cups", "", "", 405, "/cups takes POST"},
		{"DELETE", "/cups/tea", "", "", 405, "/cups/tea takes GET, HEAD"},
		{"GET", "/cups/tea?n=2", "", "", 200, "teatea"},
		{"HEAD", "/cups/tea", "", "", 200, ""},
		{"GET", "/cups/tea?n=10", "", "", 422, `wrong option: n \"10\": want 1 to 9`},
		{"GET", "/cups/tea?m=2", "", "", 422, `wrong option: there is no parameter m here, want n`},
		{"GET", "/cups/tea?n=2;m=2", "", "", 422, "a query is name=value"},
		{"POST", "/cups?n=2", `{"name":"tea"}`, "", 422, "want none"},
		{"GET", "/cups/TEA", "", "", 409, `"detail":"sold out: \"TEA\"","code":"sold_out"`},
		{"GET", "/plates/" + strings.Repeat("x", 99), "", "", 404, "…: POST a cup to /cups"},
		{"GET", "/sign.txt", "", "", 200, "open"},
	}
	for _, test := range tests {
		r := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
		r.Header.Set("Sec-Fetch-Site", test.header)
		w := httptest.NewRecorder()
		site().ServeHTTP(w, r)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s %.40s %.40q = %d, %s; want %d with %s", test.method, test.path, test.body, w.Code, w.Body, test.status, test.want)
		}
		if h := w.Header(); h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" || (w.Code == 405) != (h.Get("Allow") != "") {
			t.Errorf("%s %.40s: headers %v, want no-store, nosniff, and Allow only with 405", test.method, test.path, h)
		}
		if w.Code >= 400 && w.Header().Get("Content-Type") != web.ProblemMedia {
			t.Errorf("%s %.40s: Content-Type %q, want a problem", test.method, test.path, w.Header().Get("Content-Type"))
		}
	}
}

func TestProblem(t *testing.T) {
	tests := []struct {
		err  error
		code string
		text string
	}{
		{&http.MaxBytesError{Limit: 2 << 20}, "too_many_bytes", "larger than 2 MiB"},
		{&http.MaxBytesError{Limit: 64 << 10}, "too_many_bytes", "larger than 64 KiB"},
		{context.DeadlineExceeded, "timeout", "try again"},
		{fmt.Errorf("a: %w", status.Error(codes.Canceled, "left")), "timeout", "try again"},
		{fmt.Errorf("%w: n", web.ErrOption), "bad_option", "wrong option: n"},
		{fmt.Errorf("%w is odd", web.ErrBody), "bad_body", "the body is odd"},
		{fmt.Errorf("shelf: %w", errSoldOut), "sold_out", "sold out"},
		{errors.New("the password is xyz"), "internal", "the log says what"},
	}
	for _, test := range tests {
		if p := site().Problem(test.err); p.Code != test.code || !strings.Contains(p.Detail, test.text) || p.Title == "" || p.Status == 0 {
			t.Errorf("Problem(%v) = %+v, want %s with %q", test.err, p, test.code, test.text)
		}
	}
}

// Retry-After is never zero.
func TestRetryAfter(t *testing.T) {
	tests := []struct {
		wait   time.Duration
		body   string
		header string
	}{
		{-time.Second, `"code":"busy"}`, ""},
		{0, `"code":"busy"}`, ""},
		{time.Nanosecond, `"code":"busy","retry_after":1}`, "1"},
		{400 * time.Millisecond, `"code":"busy","retry_after":1}`, "1"},
		{time.Second, `"code":"busy","retry_after":1}`, "1"},
		{1400 * time.Millisecond, `"code":"busy","retry_after":2}`, "2"},
		{8 * time.Hour, `"code":"busy","retry_after":28800}`, "28800"},
	}
	for _, test := range tests {
		w := httptest.NewRecorder()
		site().Problem(&admission.Busy{RetryAfter: test.wait}).Write(w)
		if got := w.Header().Get("Retry-After"); got != test.header || !strings.HasSuffix(strings.TrimSpace(w.Body.String()), test.body) {
			t.Errorf("busy for %s: Retry-After %q, %s; want %q, …%s", test.wait, got, w.Body, test.header, test.body)
		}
	}
}

// Which problems may succeed later with the same request.
func TestPassing(t *testing.T) {
	for status, want := range map[int]bool{400: false, 422: false, 429: true, 500: true, 501: false, 502: true, 503: true, 504: true} {
		if got := (web.Code{Name: "x", Status: status}).Problem("").Passing(); got != want {
			t.Errorf("a problem of status %d passes: %v, want %v", status, got, want)
		}
	}
}

// The document describes the routes, with each problem under its status.
func TestDocument(t *testing.T) {
	w := httptest.NewRecorder()
	site().ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	var d struct {
		Info  struct{ Title string }
		Paths map[string]map[string]struct {
			OperationID string
			Responses   map[string]struct{ Description string }
		}
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any
				Enum       []string
			}
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Info.Title != "shop" || len(d.Paths) != 3 || len(d.Components.Schemas["Cup"].Properties) != 2 {
		t.Errorf("the document is %s", w.Body)
	}
	if id := d.Paths["/cups"]["post"].OperationID; id != "postCups" {
		t.Errorf("POST /cups has the ID %q, want postCups", id)
	}
	answers := d.Paths["/cups"]["post"].Responses
	if answers["400"].Description != "bad_body" || answers["403"].Description != "cross_origin" || answers["409"].Description != "sold_out" {
		t.Errorf("POST /cups is documented to answer %v", answers)
	}
	if got, want := fmt.Sprint(d.Components.Schemas["ProblemCode"].Enum), "[bad_body cross_origin identity_keys_unreachable method_not_allowed misdirected_request not_found request_header_fields_too_large slow_body sold_out unidentified unsupported_encoding]"; got != want {
		t.Errorf("documented codes %s, want %s", got, want)
	}
}

// A slow body is cut only when another request waits for its memory.
func TestReceive(t *testing.T) {
	for _, test := range []struct {
		waits bool
		want  string
	}{{false, "read"}, {true, "busy"}} {
		memory := admission.New(admission.Config{Requests: 1, Work: 1, Queue: 1, Patience: time.Minute})
		leave, err := memory.Acquire(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		client, server := io.Pipe()
		got := make(chan error, 1)
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got <- web.Receive(w, r, memory, func() error { _, err := io.ReadAll(r.Body); return err })
		}))
		go func() {
			resp, err := http.Post(srv.URL, "text/plain", client)
			if err == nil {
				resp.Body.Close()
			}
			client.CloseWithError(io.ErrClosedPipe)
		}()
		if test.waits {
			go func() {
				if leave, err := memory.Acquire(t.Context(), 1); err == nil {
					leave()
				}
			}()
		} else {
			time.AfterFunc(time.Millisecond, func() { _, _ = server.Write([]byte("x")); server.Close() })
		}
		err = <-got
		var busy *admission.Busy
		if (err == nil) == test.waits || errors.As(err, &busy) != test.waits {
			t.Errorf("Receive while somebody waits: %v = %v, want it %s", test.waits, err, test.want)
		}
		server.Close()
		leave()
		srv.Close()
	}
}
