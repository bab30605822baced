package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// smallest is the size in bytes from which a response is compressed: about what fits into
// one packet anyway.
const smallest = 1 << 10

// compressible are the media types that are compressed where the client takes gzip. Pictures
// and sound already are.
var compressible = []string{
	JSONMedia, ProblemMedia, "application/x-ndjson", "text/html", "text/css", "text/csv", "text/javascript", "text/plain", "image/svg+xml",
}

// Compressed compresses the responses of next at a level of gzip. Event streams, and what next
// has compressed itself, are sent as they are written and flushed. The ETag of a response is
// that of its content, whatever its encoding.
func Compressed(level int, next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(smallest), gzhttp.CompressionLevel(level), gzhttp.ContentTypes(compressible), gzhttp.EnableZstd(false))
	if err != nil {
		panic(fmt.Sprintf("web: compression: %v", err)) // its options are constants
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if w.Header().Get("Vary") == acceptEncoding { // of one around this, which is said once more
			w.Header().Del("Vary")
		}
		wrap(http.HandlerFunc(func(compressing http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(&encoder{ResponseWriter: compressing, plain: w}, r)
		})).ServeHTTP(w, r)
	})
}

const acceptEncoding = "Accept-Encoding"

// An encoder writes a response to its ResponseWriter, or to plain if it is not to be compressed
// here. A compressing writer does not flush through wrapped ones (http.ResponseController does),
// so that an event would wait for the next.
type encoder struct {
	http.ResponseWriter
	plain http.ResponseWriter
	begun bool
}

// WriteHeader chooses the writer by the header.
func (e *encoder) WriteHeader(status int) {
	h := e.Header()
	if !e.begun && (strings.HasPrefix(h.Get("Content-Type"), EventMedia) || h.Get("Content-Encoding") != "") {
		e.ResponseWriter = e.plain
	}
	e.begun = e.begun || status >= http.StatusOK
	e.ResponseWriter.WriteHeader(status)
}

// Write writes the header first, as net/http does.
func (e *encoder) Write(p []byte) (int, error) {
	if !e.begun {
		e.WriteHeader(http.StatusOK)
	}
	return e.ResponseWriter.Write(p)
}

// Unwrap lets the handler flush and set deadlines.
func (e *encoder) Unwrap() http.ResponseWriter { return e.ResponseWriter }
