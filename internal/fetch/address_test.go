package fetch_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/korean"

	"example.com/whatis/internal/fetch"
)

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		"HTTP://Example.ORG":                                   "http://example.org/",
		"http://example.org:80/#top":                           "http://example.org/",
		"https://example.org.:443/a":                           "https://example.org/a",
		"http://example.org:443/":                              "http://example.org:443/",
		"http://example.org/a/../b/./c/":                       "http://example.org/b/c/",
		"http://example.org/%7euser/%2f%c3%a9":                 "http://example.org/~user/%2F%C3%A9",
		"http://example.org/é?q=é b":                           "http://example.org/%C3%A9?q=%C3%A9%20b",
		"http://example.org/?b=2&a=1&b=1":                      "http://example.org/?a=1&b=2&b=1",
		"http://example.org/?utm_source=x&id=7&gclid=y&fbclid": "http://example.org/?id=7",
		"http://example.org/?":                                 "http://example.org/",
		"http://example.org/a;jsessionid=1F?x=1":               "http://example.org/a?x=1",
		"http://bücher.example/":                               "http://xn--bcher-kva.example/",
		"http://BÜCHER.example/":                               "http://xn--bcher-kva.example/",
		"http://[2001:4860:4860:0:0:0:0:8888]:80/x":            "http://[2001:4860:4860::8888]/x",
		"http://example.org/Path?Key=Value":                    "http://example.org/Path?Key=Value",
	} {
		got, err := fetch.Canonical(in)
		if err != nil || got != want {
			t.Errorf("Canonical(%q) = %q, %v; want %q", in, got, err, want)
		}
		if again, err := fetch.Canonical(got); err != nil || again != got {
			t.Errorf("Canonical(%q) = %q, %v: it is not canonical", got, again, err)
		}
	}
	if _, err := fetch.Canonical("mailto:a@example.org"); !errors.Is(err, fetch.ErrForbiddenAddress) {
		t.Errorf("Canonical of mail = %v", err)
	}
}

func TestSite(t *testing.T) {
	for in, want := range map[string]string{
		"https://www.data.example.gob.ar/x": "example.gob.ar", "http://example.gob.ar": "example.gob.ar", "http://a.b.example.go.kr/": "example.go.kr",
		"http://unfccc.int/": "unfccc.int", "https://www.gov.uk/a": "www.gov.uk", "http://8.8.8.8/": "8.8.8.8",
	} {
		if got, err := fetch.Site(in); err != nil || got != want {
			t.Errorf("Site(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestCharsets(t *testing.T) {
	latin, _ := charmap.Windows1252.NewEncoder().String("Número de años: ñ")
	hangul, _ := korean.EUCKR.NewEncoder().String("온실가스 배출량")
	latin2, _ := charmap.ISO8859_2.NewEncoder().String("Úřad vlády")
	for _, c := range []struct{ kind, body, want string }{
		{"text/html; charset=utf-8", "Año", "Año"},
		{"text/html; charset=iso-8859-1", "Año", "Año"}, // UTF-8, whatever the header says
		{"text/html; charset=windows-1252", latin, "Número de años: ñ"},
		{"text/html; charset=utf-8", latin, "Número de años: ñ"}, // not UTF-8
		{"text/html", `<meta charset="euc-kr">` + hangul, "온실가스 배출량"},
		{"text/html; charset=utf-8", `<meta charset="euc-kr">` + hangul, "온실가스 배출량"},
		{"text/csv; charset=euc-kr", hangul, "온실가스 배출량"},
		{"text/csv", latin, "Número de años: ñ"},
		{"text/xml", `<?xml version="1.0" encoding="ISO-8859-2"?><a>` + latin2 + "</a>", "Úřad vlády"},
		{"text/plain", "\uFEFFAño", "Año"},
		{"text/plain; charset=utf-16le", "A\x00\xf1\x00o\x00", "Año"},
		{"text/plain", "plain", "plain"},
	} {
		f, url := serve(t, fetch.Config{}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			_, _ = io.WriteString(w, c.body)
		})
		page, err := f.Get(t.Context(), url+"/x")
		text := string(page.Text())
		if err != nil || !strings.Contains(text, c.want) || c.want == "Año" && text != c.want {
			t.Errorf("%q as %s is %q, %v; want %q", c.body, c.kind, text, err, c.want)
		}
	}
}

func TestContentTypes(t *testing.T) {
	for _, c := range []struct{ path, said, body, want string }{
		{"/a", "text/html; charset=utf-8", "<p>", fetch.HTML}, {"/a", "application/xhtml+xml", "<p>", fetch.HTML}, {"/a", "", "<!doctype html><p>", fetch.HTML},
		{"/a.csv", "text/plain", "a,b", fetch.CSV}, {"/a.csv", "application/octet-stream", "a,b", fetch.CSV}, {"/a.csv", "application/vnd.ms-excel", "a,b", fetch.CSV},
		{"/a.csv", "text/html", "<p>404", fetch.HTML}, {"/a", "application/geo+json", "{}", fetch.JSON}, {"/a", "application/rss+xml", "<a/>", fetch.XML},
		{"/a", "application/octet-stream", "%PDF-1.4", fetch.PDF}, {"/a", "text/html", "%PDF-1.4", fetch.PDF}, {"/a.xlsx", "application/octet-stream", "PK\x03\x04", fetch.XLSX},
		{"/a", "application/zip", "PK\x03\x04", fetch.ZIP}, {"/a.xlsm", "application/octet-stream", "PK\x03\x04", fetch.ZIP},
		{"/a", "binary/octet-stream", "<!doctype html><p>", fetch.HTML}, {"/a.csv", "binary/octet-stream", "a,b", fetch.CSV},
		{"/a.xlsx", "binary/octet-stream", "PK\x03\x04", fetch.XLSX}, {"/a.zip", "binary/octet-stream", "PK\x03\x04", fetch.ZIP},
		{"/a", "text/tab-separated-values; charset=utf-8", "a\tb", fetch.CSV}, {"/a.tsv", "text/plain", "a\tb", fetch.CSV}, {"/a.tsv", "binary/octet-stream", "a\tb", fetch.CSV},
		{"/a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "PK\x03\x04", ""}, {"/a", "video/mp4", "x", ""}, {"/a", "application/x-msdownload", "MZ", ""},
		{"/a", "binary/octet-stream", "\x89PNG\r\n\x1a\n", ""},
	} {
		f, url := serve(t, fetch.Config{}, func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Type"] = []string{c.said}
			_, _ = io.WriteString(w, c.body)
		})
		page, err := f.Get(t.Context(), url+c.path)
		if c.want == "" {
			if !errors.Is(err, fetch.ErrContentType) || page.ContentType == "" || len(page.Body) > 0 {
				t.Errorf("%s as %q is %q with %d bytes, %v; want ErrContentType", c.path, c.said, page.ContentType, len(page.Body), err)
			}
		} else if err != nil || page.ContentType != c.want {
			t.Errorf("%s as %q is %q, %v; want %q", c.path, c.said, page.ContentType, err, c.want)
		}
	}
}
