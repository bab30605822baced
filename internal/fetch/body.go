package fetch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/transform"
)

// The content types of pages that are read, each under one name.
const (
	HTML = "text/html"
	Text = "text/plain"
	CSV  = "text/csv"
	JSON = "application/json"
	XML  = "application/xml"
	PDF  = "application/pdf"
	XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

const accepted = "text/html, text/csv, application/json, application/xml, application/pdf, " + XLSX + ", text/plain;q=0.8, */*;q=0.1"

// read takes the body of a response into page: bounded as it comes and again as it is
// decompressed, and text as UTF-8.
func (f *Fetcher) read(r *http.Response, page *Page) error {
	wire := &io.LimitedReader{R: r.Body, N: max(f.config.MaxText, f.config.MaxFile) + 1}
	plain, err := decompress(r, wire)
	if err != nil {
		return err
	}
	body := bufio.NewReader(plain)
	start, _ := body.Peek(512)
	page.ContentType = contentType(r, start)
	most := f.config.MaxText
	switch page.ContentType {
	case PDF, XLSX:
		most = f.config.MaxFile
	case HTML, Text, CSV, JSON, XML:
		wire.N -= max(0, f.config.MaxFile-most)
	default:
		return fmt.Errorf("%w: it is %s", ErrContentType, page.ContentType)
	}
	page.Body, err = io.ReadAll(io.LimitReader(body, most+1))
	page.Truncated = int64(len(page.Body)) > most || wire.N <= 0
	page.Body = page.Body[:min(int64(len(page.Body)), most)]
	switch {
	case err != nil && !page.Truncated:
		return err
	case most == f.config.MaxText:
		page.Body = decode(page.Body, r.Header.Get("Content-Type"), page.ContentType)
	case page.Truncated:
		page.Body = nil
		return ErrTooLarge
	}
	return nil
}

func decompress(r *http.Response, wire *io.LimitedReader) (io.Reader, error) {
	switch encoding := strings.ToLower(r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		return wire, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(wire)
	default:
		return nil, fmt.Errorf("%w: it is compressed as %s", ErrContentType, encoding)
	}
}

// contentType is what a response says it is, or what it begins like where it says
// nothing or something that no program could use.
func contentType(r *http.Response, start []byte) string {
	said, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	extension := strings.ToLower(path.Ext(r.Request.URL.Path))
	switch {
	case bytes.HasPrefix(start, []byte("%PDF-")):
		return PDF
	case bytes.HasPrefix(start, []byte("PK\x03\x04")) && (said == XLSX || extension == ".xlsx"):
		return XLSX
	case strings.HasSuffix(said, "+json"):
		return JSON
	case said == "application/xhtml+xml":
		return HTML
	case said == "text/xml" || strings.HasSuffix(said, "+xml"):
		return XML
	case extension == ".csv" && slices.Contains([]string{Text, "", "application/octet-stream", "application/csv", "application/vnd.ms-excel"}, said):
		return CSV
	case said == "" || said == "application/octet-stream":
		said, _, _ = mime.ParseMediaType(http.DetectContentType(start))
	}
	return said
}

// decode is text as UTF-8. What is UTF-8 is so, whatever is said of it; what is not is
// read by what the header says, or else the page itself, or else as Windows-1252.
func decode(body []byte, header, kind string) []byte {
	for cut := 0; cut < utf8.UTFMax && cut < len(body); cut++ { // a bound may have cut a letter
		if whole := body[:len(body)-cut]; utf8.Valid(whole) && !isASCII(whole) {
			return bytes.TrimPrefix(whole, []byte("\uFEFF"))
		}
	}
	if kind == XML {
		body = bytes.Replace(body, []byte("<?xml"), []byte("<meta"), 1) // its encoding is found as a page's charset is
		body = bytes.Replace(body, []byte(" encoding="), []byte(" charset="), 1)
	}
	encoding, name, _ := charset.DetermineEncoding(body, header)
	if name == "utf-8" { // which was said, and is not so
		encoding, _, _ = charset.DetermineEncoding(body, "text/html")
	}
	text, _, err := transform.Bytes(encoding.NewDecoder(), body)
	if err != nil {
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return text
}

func isASCII(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf })
}
