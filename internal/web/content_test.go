package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"example.com/whatis/internal/web"
)

// Content is sent compressed to whoever takes gzip, as it is to others, and to none who has it
// in either form. A part is of the content as it is.
func TestContent(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("0123456789", 200)
	contents := map[string]*web.Content{
		"/large":   web.NewContent(web.JSONMedia+"; charset=utf-8", `"a"`, []byte(large)),
		"/weak":    web.NewContent(web.JSONMedia, `W/"a"`, []byte(large)),
		"/small":   web.NewContent(web.JSONMedia, `"a"`, []byte("{}")),
		"/picture": web.NewContent("image/jpeg", `"a"`, []byte(large)),
	}
	inner := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { contents[r.URL.Path].Serve(w, r) })
	for name, handler := range map[string]http.Handler{"alone": inner, "in Compressed": web.Compressed(gzip.BestSpeed, inner)} {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		for _, test := range []struct {
			method, path, takes, header, value string
			status                             int
			encoding, tag, body                string
		}{
			{"GET", "/large", "gzip, br", "", "", 200, "gzip", `W/"a"`, large},
			{"GET", "/large", "br, GZIP ; q=0.5", "", "", 200, "gzip", `W/"a"`, large},
			{"GET", "/large", "br", "", "", 200, "", `"a"`, large},
			{"GET", "/large", "gzip;q=0", "", "", 200, "", `"a"`, large},
			{"HEAD", "/large", "gzip", "", "", 200, "gzip", `W/"a"`, ""},
			{"HEAD", "/large", "identity", "", "", 200, "", `"a"`, ""},
			{"GET", "/weak", "gzip", "", "", 200, "gzip", `W/"a"`, large},
			{"GET", "/weak", "identity", "", "", 200, "", `W/"a"`, large},
			{"GET", "/small", "gzip", "", "", 200, "", `"a"`, "{}"},
			{"GET", "/picture", "gzip", "", "", 200, "", `"a"`, large},
			{"GET", "/large", "gzip", "If-None-Match", `W/"a"`, 304, "", `W/"a"`, ""},
			{"GET", "/large", "gzip", "If-None-Match", `"b", "a"`, 304, "", `W/"a"`, ""},
			{"HEAD", "/large", "gzip", "If-None-Match", `W/"a"`, 304, "", `W/"a"`, ""},
			{"GET", "/large", "identity", "If-None-Match", `W/"a"`, 304, "", `"a"`, ""},
			{"GET", "/large", "gzip", "If-None-Match", `"b"`, 200, "gzip", `W/"a"`, large},
			{"GET", "/large", "gzip", "If-Match", `"b"`, 412, "", "", ""},
			{"GET", "/large", "gzip", "Range", "bytes=3-5", 206, "", `"a"`, "345"},
		} {
			r, err := http.NewRequestWithContext(t.Context(), test.method, server.URL+test.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", test.takes)
			if test.header != "" {
				r.Header.Set(test.header, test.value)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if test.encoding == "gzip" && len(body) > 0 {
				if len(body) > len(large)/10 {
					t.Errorf("%s: %+v: %d bytes are sent", name, test, len(body))
				}
				body = unzipped(t, body)
			}
			h := resp.Header
			if err != nil || resp.StatusCode != test.status || test.status < 400 && (h.Get("Content-Encoding") != test.encoding || h.Get("ETag") != test.tag || string(body) != test.body) {
				t.Errorf("%s: %+v: %s, %v, %.20q, %v", name, test, resp.Status, h, body, err)
			}
			if vary := strings.Join(h.Values("Vary"), ", "); (name != "alone" || test.path == "/large") && vary != "Accept-Encoding" {
				t.Errorf("%s: %+v: Vary is %q, want Accept-Encoding once", name, test, vary)
			}
		}
	}
}

// A document of the API's size is compressed at its first request only: compressing takes most of a
// megabyte.
func TestContentIsCompressedOnce(t *testing.T) {
	c := web.NewContent(web.JSONMedia, `"a"`, bytes.Repeat([]byte("0123456789"), 60_000))
	send := func() []byte {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", "gzip")
		c.Serve(w, r)
		return w.Body.Bytes()
	}
	allocated := func() uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		send()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	first, again := allocated(), allocated()
	for range 4 { // others allocate too
		again = min(again, allocated())
	}
	if first < 400_000 || again > 100_000 {
		t.Errorf("the first request allocates %d bytes and the second %d, want the first alone to compress", first, again)
	}
}

func unzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if data, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	return data
}
