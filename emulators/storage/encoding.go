package storage

import (
	"net/http"
	"strings"
)

// keepEncoded has content stay packed where Cloud Storage leaves it so: an XML upload's
// Content-Encoding is the object's, not that of its transport, and an object whose
// Cache-Control is no-transform is served as it is stored, whatever the reader takes.
// https://cloud.google.com/storage/docs/transcoding#decompressive_transcoding
func (s *Server) keepEncoded(r *http.Request, t target) {
	switch {
	case t.kind == xml && r.Method == http.MethodPut && r.Header.Get("Content-Encoding") != "":
		query := r.URL.Query()
		query.Set("contentEncoding", r.Header.Get("Content-Encoding"))
		r.URL.RawQuery = query.Encode()
		r.Header.Del("Content-Encoding")
	case t.name != "" && r.Method == http.MethodGet:
		o, err := s.fake.GetObjectStreaming(t.bucket, t.name)
		if err != nil {
			return
		}
		defer o.Close()
		if strings.Contains(o.CacheControl, "no-transform") {
			r.Header.Set("Accept-Encoding", "gzip")
		}
	}
}
