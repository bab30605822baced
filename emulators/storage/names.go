package storage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"unicode/utf8"
)

// Limits of an object in bytes, which fake-gcs-server does not know.
// https://cloud.google.com/storage/docs/objects#naming
// https://cloud.google.com/storage/quotas#objects
const (
	maxName     = 1024
	maxMetadata = 8 << 10 // keys and values together
)

// resource is what a request says of the object that it writes.
type resource struct {
	Name     string
	Metadata map[string]*string // a null removes one
}

// written returns the object that r writes: its resource is the body, or for an upload with its
// content the body's first part.
func written(r *http.Request, t target, body []byte) (o resource) {
	query := r.URL.Query()
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case t.kind == xml, query.Get("uploadType") == "media", query.Has("upload_id"), strings.HasPrefix(r.URL.Path, "/upload/resumable/"): // the body is content
	case kind == "multipart/related":
		if part, err := multipart.NewReader(bytes.NewReader(body), params["boundary"]).NextPart(); err == nil {
			_ = json.NewDecoder(part).Decode(&o) // fake-gcs-server refuses what is no JSON
		}
	case kind == "application/json":
		_ = json.Unmarshal(body, &o)
	}
	o.Name = cmp.Or(t.name, query.Get("name"), o.Name)
	return o
}

// refused returns why Cloud Storage does not take o, or "".
func (o resource) refused() string {
	size := 0
	for key, value := range o.Metadata {
		if size += len(key); value != nil {
			size += len(*value)
		}
	}
	switch {
	case len(o.Name) > maxName:
		return fmt.Sprintf("The maximum object length is %d characters, but got a name with %d characters.", maxName, len(o.Name))
	case !utf8.ValidString(o.Name) || strings.ContainsAny(o.Name, "\r\n"):
		return fmt.Sprintf("Disallowed unicode characters present in object name %q", o.Name)
	case o.Name == "." || o.Name == ".." || strings.HasPrefix(o.Name, ".well-known/acme-challenge/"):
		return fmt.Sprintf("Invalid object name: %q", o.Name)
	case size > maxMetadata:
		return fmt.Sprintf("The metadata of the object has %d bytes, and %d at most are taken.", size, maxMetadata)
	}
	return ""
}
