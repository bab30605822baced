package web

import (
	"fmt"
	"net/http"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// smallest is the size in bytes from which a response is compressed: about what fits into
// one packet anyway.
const smallest = 1 << 10

// compressible are the media types of a page that are compressed where the client takes gzip.
// Pictures already are.
var compressible = []string{JSONMedia, "text/html", "text/css", "text/javascript", "image/svg+xml"}

// Compressed compresses the responses of next, which must not be streams: what is flushed may
// wait.
func Compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(smallest), gzhttp.CompressionLevel(gzip.BestCompression), gzhttp.ContentTypes(compressible))
	if err != nil {
		panic(fmt.Sprintf("web: compression: %v", err)) // its options are constants
	}
	return wrap(next)
}
