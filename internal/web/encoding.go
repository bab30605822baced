package web

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"example.com/whatis/internal/usererror"
)

// UnsupportedEncoding is the code for a body, or an object, that cannot be unpacked.
var UnsupportedEncoding = Code{"unsupported_encoding", http.StatusUnsupportedMediaType, "The body has another Content-Encoding than gzip, or the object that it names cannot be unpacked."}

// unpacked returns the body of r unpacked, of which at most maxRequest bytes are read. A
// Content-Encoding other than gzip is a problem.
func unpacked(w http.ResponseWriter, r *http.Request, body io.ReadCloser) (io.ReadCloser, *Problem) {
	codings := strings.FieldsFunc(strings.ToLower(strings.Join(r.Header.Values("Content-Encoding"), ",")), func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })
	codings = slices.DeleteFunc(codings, func(c string) bool { return c == "identity" })
	switch {
	case len(codings) == 0 || r.ContentLength == 0:
		return body, nil
	case len(codings) > 1 || codings[0] != "gzip" && codings[0] != "x-gzip":
		w.Header().Set("Accept-Encoding", "gzip") // RFC 9110, 12.5.3
		p := UnsupportedEncoding.Problem("the body has the Content-Encoding %q: send it as it is, or with gzip", usererror.Short(strings.Join(codings, ", "), usererror.Quoted))
		return nil, &p
	}
	r.Header.Del("Content-Encoding")
	r.Header.Del("Content-Length")
	r.ContentLength = -1
	return http.MaxBytesReader(w, &gzipBody{ReadCloser: body}, maxRequest), nil
}

// A gzipBody reads what a body unpacks to.
type gzipBody struct {
	io.ReadCloser // as it was sent
	unpacked      *gzip.Reader
}

func (b *gzipBody) Read(p []byte) (n int, err error) {
	if b.unpacked == nil {
		b.unpacked, err = gzip.NewReader(b.ReadCloser)
	}
	if err == nil {
		n, err = b.unpacked.Read(p)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w is no whole gzip, which its Content-Encoding says it is: %w", ErrBody, err)
	}
	return n, err
}
