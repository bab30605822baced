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
)

// The content types of pages that are read, each under one name.
const (
	HTML   = "text/html"
	Text   = "text/plain"
	CSV    = "text/csv" // also of tab-separated values
	JSON   = "application/json"
	XML    = "application/xml"
	Turtle = "text/turtle"
	PDF    = "application/pdf"
	XLSX   = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	ZIP    = "application/zip" // also of a workbook whose type nothing says
)

const accepted = "text/html, text/csv, application/json, application/xml, text/turtle, application/pdf, " + XLSX + ", " + ZIP + ", text/plain;q=0.8, */*;q=0.1"

// read reads the body of a response into page. The size is limited both compressed and
// decompressed.
func (f *Fetcher) read(r *http.Response, page *Page) error {
	wire := &io.LimitedReader{R: r.Body, N: f.config.MaxText + 1}
	plain, err := decompress(r, wire)
	if err != nil {
		return err
	}
	body := bufio.NewReader(plain)
	start, _ := body.Peek(512)
	most, isFile := f.config.MaxText, false
	page.ContentType, page.Charset = contentType(r, start), declaredCharset(r)
	switch page.ContentType {
	case PDF, XLSX, ZIP:
		wire.N += f.config.MaxFile - most
		most, isFile = f.config.MaxFile, true
	case HTML, Text, CSV, JSON, XML, Turtle:
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
	}
	page.Body = page.Body[:min(int64(len(page.Body)), most)]
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
	vague := said == "" || said == "application/octet-stream" || said == "binary/octet-stream" // S3's default
	extension := strings.ToLower(path.Ext(r.Request.URL.Path))
	switch {
	case bytes.HasPrefix(start, []byte("%PDF-")):
		return PDF
	case bytes.HasPrefix(start, []byte("PK\x03\x04")) && extension == ".xlsx":
		return XLSX
	case bytes.HasPrefix(start, []byte("PK\x03\x04")) && (vague || strings.Contains(said, "zip")):
		return ZIP
	case said == "text/tab-separated-values", (extension == ".csv" || extension == ".tsv") && (vague || said == Text || said == "application/csv" || said == "application/vnd.ms-excel"):
		return CSV
	case said == "application/x-turtle" || said == "application/n-triples":
		return Turtle
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
