package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/whatis/internal/web"
)

// A body with Content-Encoding gzip is read unpacked, within the limit of bodies; another
// coding is refused by its name before anything is read.
func TestPackedBodies(t *testing.T) {
	site := httptest.NewServer(web.Limits{}.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := web.ReadAll(r.Body, r.ContentLength, 1<<20)
		if err != nil {
			web.BadBody.Problem("%v", err).Write(w)
			return
		}
		_, _ = io.WriteString(w, r.Header.Get("Content-Encoding")+string(data[:min(len(data), 9)]))
	})))
	t.Cleanup(site.Close)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, "a photo") // a buffer never fails
	_ = z.Close()
	packed := b.String()
	b.Reset()
	z.Reset(&b)
	_, _ = z.Write(make([]byte, 40<<20))
	_ = z.Close()
	bomb := b.String()
	tests := []struct {
		encoding, body string
		status         int
		want           string
	}{
		{"", "a photo", 200, "a photo"},
		{"identity", "a photo", 200, "identitya photo"},
		{"gzip", packed, 200, "a photo"},
		{"X-Gzip, identity", packed, 200, "a photo"},
		{"gzip", "", 200, "gzip"},
		{"br", "", 200, "br"}, // nothing is nothing
		{"gzip", packed[:20], 400, "no whole gzip"},
		{"gzip", "a photo", 400, "no whole gzip"},
		{"gzip", bomb, 400, "too large"},
		{"br", "a photo", 415, `Content-Encoding \"br\"`},
		{"gzip, gzip", packed, 415, `Content-Encoding \"gzip, gzip\"`},
	}
	for _, test := range tests {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site.URL, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		if test.encoding != "" {
			r.Header.Set("Content-Encoding", test.encoding)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		takes := resp.Header.Get("Accept-Encoding")
		if err != nil || resp.StatusCode != test.status || !strings.Contains(string(body), test.want) || (test.status == 415) != (takes == "gzip") {
			t.Errorf("%q of %.20q = %d, %.300s, Accept-Encoding %q, %v; want %d, %s", test.encoding, test.body, resp.StatusCode, body, takes, err, test.status, test.want)
		}
	}
}
