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
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
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

// read reads the body of a response into page. The size is limited both compressed and
// decompressed, and text is converted to UTF-8.
func (f *Fetcher) read(r *http.Response, page *Page) error {
	wire := &io.LimitedReader{R: r.Body, N: f.config.MaxText + 1}
	plain, err := decompress(r, wire)
	if err != nil {
		return err
	}
	body := bufio.NewReader(plain)
	start, _ := body.Peek(512)
	most, isFile := f.config.MaxText, false
	switch page.ContentType = contentType(r, start); page.ContentType {
	case PDF, XLSX:
		wire.N += f.config.MaxFile - most
		most, isFile = f.config.MaxFile, true
	case HTML, Text, CSV, JSON, XML:
	default:
		return fmt.Errorf("%w: it is %s", ErrContentType, page.ContentType)
	}
	page.Body, err = io.ReadAll(io.LimitReader(body, most+1))
	page.Truncated = int64(len(page.Body)) > most || wire.N <= 0
	switch {
	case isFile && page.Truncated:
		page.Body = nil
		return ErrTooLarge
	case err != nil && !page.Truncated:
		return err
	case !isFile:
		page.Body = decode(page.Body[:min(int64(len(page.Body)), most)], r.Header.Get("Content-Type"))
	}
	return nil
}

func decompress(r *http.Response, wire io.Reader) (io.Reader, error) {
	switch encoding := strings.ToLower(r.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		return wire, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(wire)
	default:
		return nil, fmt.Errorf("%w: it is compressed as %s", ErrContentType, encoding)
	}
}

// contentType returns the declared type of a response, or the one detected from its start
// if the header is missing or generic.
func contentType(r *http.Response, start []byte) string {
	said, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	vague := said == "" || said == "application/octet-stream"
	extension := strings.ToLower(path.Ext(r.Request.URL.Path))
	switch {
	case bytes.HasPrefix(start, []byte("%PDF-")):
		return PDF
	case bytes.HasPrefix(start, []byte("PK\x03\x04")) && extension == ".xlsx":
		return XLSX
	case extension == ".csv" && (vague || said == Text || said == "application/csv" || said == "application/vnd.ms-excel"):
		return CSV
	case said == "application/xhtml+xml":
		return HTML
	case strings.HasSuffix(said, "+json"):
		return JSON
	case said == "text/xml" || strings.HasSuffix(said, "+xml"):
		return XML
	case vague:
		said, _, _ = mime.ParseMediaType(http.DetectContentType(start))
	}
	return said
}

// decode converts text to UTF-8. Valid UTF-8 is kept whatever is declared. Other text is
// decoded by the charset in the header or the page, unless that is UTF-8, or else by
// detection from its bytes.
func decode(body []byte, header string) []byte {
	for cut := range min(utf8.UTFMax, len(body)) { // the size limit may have cut a character
		if whole := body[:len(body)-cut]; utf8.Valid(whole) && bytes.ContainsFunc(whole, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return bytes.TrimPrefix(whole, []byte("\uFEFF"))
		}
	}
	if !bytes.ContainsFunc(body, func(r rune) bool { return r >= utf8.RuneSelf || r == 0 || r == '\x1b' }) {
		return body // ASCII, and not one of the encodings based on it
	}
	said := body
	if bytes.HasPrefix(body, []byte("<?xml")) { // its encoding is found like a page's charset
		said = bytes.Replace(bytes.Replace(body, []byte("<?xml"), []byte("<meta"), 1), []byte(" encoding="), []byte(" charset="), 1)
	}
	encoding, name, certain := charset.DetermineEncoding(said, header)
	if name == "utf-8" {
		encoding, name, certain = charset.DetermineEncoding(said, HTML)
	}
	if name == "utf-8" || !certain && !bytes.Contains(said[:min(len(said), 1024)], []byte("charset=")) {
		if guess, err := chardet.NewHtmlDetector().DetectBest(body); err == nil {
			encoding, _ = charset.Lookup(guess.Charset)
		}
	}
	if encoding == nil {
		encoding = charmap.Windows1252
	}
	text, _ := encoding.NewDecoder().Bytes(body)
	return bytes.ToValidUTF8(text, []byte("\uFFFD"))
}
