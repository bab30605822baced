package web_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/web"
)

// A request that is too large or whose body cannot be read gets a problem, whatever the
// handler did with it.
func TestErrorsAreProblems(t *testing.T) {
	s := start(t, web.Limits{Body: 2 * time.Second}) // enough for everything that is sent at once
	post := func(header, body string) string {
		return "POST / HTTP/1.1\r\nHost: a\r\n" + header + "\r\n\r\n" + body
	}
	tests := []struct {
		name, sends string
		status      int
		code        string
	}{
		{"too large", post("Content-Length: 33554433", ""), 413, "too_many_bytes"},
		{"bad chunk", post("Transfer-Encoding: chunked", "4\r\nfour\r\nxyz\r\n"), 400, "bad_body"},
		{"bad chunk at once", post("Transfer-Encoding: chunked", "xyz\r\n"), 400, "bad_body"},
		{"slow body", post("Content-Length: 10", "four"), 408, "slow_body"},
		{"large header", post("X-Large: "+strings.Repeat("x", 65<<10), ""), 431, "request_header_fields_too_large"},
	}
	for _, test := range tests {
		c := dial(t, s.url, test.sends)
		_ = c.SetReadDeadline(time.Now().Add(8 * time.Second))
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		body, _ := io.ReadAll(resp.Body)
		var p struct {
			Type, Title, Detail, Code string
			Status                    int
		}
		err = json.Unmarshal(body, &p)
		if err != nil || resp.StatusCode != test.status || p.Status != test.status || p.Code != test.code || p.Detail == "" || p.Title == "" ||
			resp.Header.Get("Content-Type") != "application/problem+json" || resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %s %v, %s; want a problem of %d, %s", test.name, resp.Status, resp.Header, body, test.status, test.code)
		}
	}
}

// Errors of Go's server before any handler are plain text, which cannot be changed. If that
// becomes possible, this test fails.
func TestErrorsBeforeTheHandler(t *testing.T) {
	s := start(t, web.Limits{})
	tests := []struct {
		sends  string
		status int
	}{
		{"GET / HTTP/1.1\r\nHost: a\r\nno header\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\n\r\n", 400},
		{"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
		{"GET / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n", 417},
		{"GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 2<<20), 431},
	}
	for _, test := range tests {
		c := dial(t, s.url, "")
		_ = c.SetDeadline(time.Now().Add(8 * time.Second))
		go func() { _, _ = io.WriteString(c, test.sends) }() // the response may come before everything is sent
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || resp.StatusCode != test.status || strings.Contains(resp.Header.Get("Content-Type"), "json") {
			t.Errorf("%.60q = %+v, %v; want %d and no problem document", test.sends, resp, err, test.status)
		}
	}
}
