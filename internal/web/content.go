package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Content is data that is the same for every caller until the next deployment, such as the
// document of the API.
type Content struct {
	media, tag string
	data       []byte
	gzipped    func() []byte // nil for data that is not compressed
}

// NewContent returns content of a media type. Tag is its ETag, with the quotes. What Compressed
// would compress is compressed once, when a client that takes gzip asks for it first.
func NewContent(media, tag string, data []byte) *Content {
	c := &Content{media: media, tag: tag, data: data}
	if kind, _, _ := strings.Cut(media, ";"); len(data) >= smallest && slices.Contains(compressible, kind) {
		c.gzipped = sync.OnceValue(func() []byte { return gzipOf(data) })
	}
	return c
}

// gzipOf compresses data as far as gzip does.
func gzipOf(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // the level is a constant, and a buffer takes all
	}
	return b.Bytes()
}

// Serve sends the content, or 304 if the client has it in either form: the ETag of the
// compressed one is that of the other, as a weak one, since its bytes differ. Parts are those of
// the content as it is.
func (c *Content) Serve(w http.ResponseWriter, r *http.Request) {
	h, tag, data := w.Header(), c.tag, c.data
	h.Set("Content-Type", c.media)
	if c.gzipped != nil && !slices.Contains(h.Values("Vary"), acceptEncoding) {
		h.Add("Vary", acceptEncoding)
	}
	if c.gzipped != nil && r.Header.Get("Range") == "" && takesGzip(r) {
		tag, data = "W/"+strings.TrimPrefix(tag, "W/"), c.gzipped()
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// takesGzip reports that the client takes answers that are compressed by gzip.
func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(coding, " ", "")), ";")
		if name != "gzip" {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimPrefix(weight, "q="), 64)
		return weight == "" || err == nil && q > 0
	}
	return false
}

// WriteConstant sends data that is the same for every caller until the next deployment, or
// 304 if the client has it already. Its ETag is a weak one, as it may be compressed on its way.
func WriteConstant(w http.ResponseWriter, r *http.Request, media string, data []byte) {
	w.Header().Set("Cache-Control", "private, no-cache")
	(&Content{media: media, tag: tagOf(data), data: data}).Serve(w, r)
}

// Constant returns a handler that sends the JSON of the value that make returns, as
// WriteConstant does. The value is made, encoded and compressed at the first request.
func Constant(make func() (any, error)) Handler {
	once := sync.OnceValues(func() (*Content, error) {
		v, err := make()
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		err = encode(&b, v)
		return NewContent(JSONMedia+"; charset=utf-8", tagOf(b.Bytes()), b.Bytes()), err
	})
	return func(w http.ResponseWriter, r *http.Request) error {
		c, err := once()
		if err == nil {
			w.Header().Set("Cache-Control", "private, no-cache")
			c.Serve(w, r)
		}
		return err
	}
}

// tagOf returns the weak entity tag of data.
func tagOf(data []byte) string {
	hash := sha256.Sum256(data)
	return `W/"` + hex.EncodeToString(hash[:8]) + `"`
}
