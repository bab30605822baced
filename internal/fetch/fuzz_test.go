package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"
	"unicode/utf8"
)

func fuzzed(f *testing.F) *Fetcher {
	f.Helper()
	fetcher, err := New(Config{Agent: "whatis/test (+https://example.com)", MaxText: 4 << 10, MaxFile: 8 << 10})
	if err != nil {
		f.Fatal(err)
	}
	return fetcher
}

// Whatever a robots.txt says, it is parsed in time, and what it says after a line that
// disallows everything to this agent does not open the rest of the site.
func FuzzRobots(f *testing.F) {
	fetcher := fuzzed(f)
	for _, seed := range []string{
		"", "User-agent: *\nDisallow: /private\nAllow: /private/open$\nCrawl-delay: 2.5\nSitemap: https://example.org/s.xml\n",
		"User-agent: whatis\nDisallow: /*?x=\n\nUser-agent: *\nDisallow:\n", "user-agent:a\nuser-agent : b # c\ndisallow: %zz\nallow: ((((\n", "\xef\xbb\xbfUser-agent: *\rDisallow: /\r",
		"Disallow: /\nUser-agent: *", "User-agent: *\nDisallow: /" + string(bytes.Repeat([]byte("*a"), 200)), "User-agent: *\nCrawl-delay: 99999999\nCrawl-delay: -1\nCrawl-delay: 1e9",
	} {
		f.Add(200, "/a/b?c=d", []byte(seed))
	}
	f.Add(404, "/", []byte("User-agent: *\nDisallow: /\n"))
	f.Add(503, "/", []byte(""))
	f.Fuzz(func(t *testing.T, status int, path string, text []byte) {
		at, err := url.Parse("http://example.org/" + path)
		if err != nil || len(text) > maxRobots {
			t.Skip()
		}
		begin := time.Now()
		var answer *StatusError
		if status < 200 || status > 299 {
			answer = &StatusError{Status: status}
		}
		r := fetcher.newRules(answer, text)
		allowed := r.check(at) == nil
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%d bytes take %v", len(text), took)
		}
		if r.delay < 0 || r.delay > 10_000*time.Second {
			t.Errorf("the delay is %v", r.delay)
		}
		if refused := status >= 400 && status < 500 && status != 429; refused && !allowed || (status < 200 || status >= 500 || status == 429) && allowed {
			t.Errorf("status %d: allowed is %v", status, allowed)
		}
		all := fetcher.newRules(nil, append([]byte("User-agent: whatis\nDisallow: /\n\nUser-agent: other\n"), text...))
		if all.check(at) == nil && !bytes.Contains(bytes.ToLower(text), []byte("allow")) {
			t.Errorf("%q opens a site that is closed to this agent", text)
		}
	})
}

// A response is read within the limits, compressed or not, and its text is UTF-8.
func FuzzBody(f *testing.F) {
	fetcher := fuzzed(f)
	packed := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, text) // a buffer never fails
		_ = z.Close()
		return b.Bytes()
	}
	f.Add("text/html; charset=utf-8", "", "/", []byte("<p>Año"))
	f.Add("text/csv; charset=euc-kr", "gzip", "/a.csv", packed("\xbf\xc2\xbd\xc7"))
	f.Add("application/pdf", "x-gzip", "/a", packed("%PDF-1.4"))
	f.Add("application/octet-stream", "gzip", "/a.xlsx", packed("PK\x03\x04"+string(bytes.Repeat([]byte{0}, 1<<20))))
	f.Add("application/geo+json", "", "/", []byte(`{"a": "\ufeff"}`))
	f.Add("text/plain; charset=utf-16le; charset=x", "br", "/", []byte("A\x00"))
	f.Fuzz(func(t *testing.T, kind, encoding, path string, body []byte) {
		at, err := url.Parse("http://example.org/" + path)
		if err != nil {
			t.Skip()
		}
		var page Page
		err = fetcher.read(&http.Response{Header: http.Header{"Content-Type": {kind}, "Content-Encoding": {encoding}}, Body: io.NopCloser(bytes.NewReader(body)), Request: &http.Request{URL: at}}, &page)
		isFile := slices.Contains([]string{PDF, XLSX, ZIP}, page.ContentType)
		switch most := fetcher.config.MaxText; {
		case isFile && int64(len(page.Body)) > fetcher.config.MaxFile, !isFile && int64(len(page.Body)) > most:
			t.Errorf("%d bytes are read as %s", len(page.Body), page.ContentType)
		case err == nil && !slices.Contains([]string{HTML, Text, CSV, JSON, XML, Turtle, PDF, XLSX, ZIP}, page.ContentType):
			t.Errorf("%q is read", page.ContentType)
		case isFile && page.Truncated && !errors.Is(err, ErrTooLarge):
			t.Errorf("a file is cut without an error: %v", err)
		}
		text := page.Text()
		if !utf8.Valid(text) || len(text) > 4*len(page.Body) {
			t.Errorf("%d bytes as %q are the text %q", len(page.Body), page.Charset, text)
		}
		if again := (Page{Body: text}).Text(); err == nil && !bytes.Equal(again, bytes.TrimPrefix(text, []byte("\ufeff"))) && !bytes.ContainsAny(text, "\x00\x1b") {
			t.Errorf("the text %q is read again as %q", text, again)
		}
	})
}

// A canonical address stays as it is, and may be fetched.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		"http://example.org", "HTTPS://Example.ORG:443/a/../b/?utm_source=x&c=d#e", "http://example.org:80/%7Ea%2f", "http://bücher.example/ä", "http://[::ffff:7f00:1]/", "http://1２7.0.0.1/", "http://user@example.org/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		one, err := Canonical(address)
		if err != nil {
			if !errors.Is(err, ErrForbiddenAddress) {
				t.Errorf("Canonical(%q) = %v", address, err)
			}
			return
		}
		if again, err := Canonical(one); err != nil || again != one {
			t.Errorf("Canonical(%q) = %q, and of that %q, %v", address, one, again, err)
		}
	})
}
