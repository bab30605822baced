package blob

import (
	"strings"
	"unicode/utf8"

	"example.com/whatis/internal/usererror"
)

// An ObjectRef names an object: one generation, or the latest if Generation is 0.
type ObjectRef struct {
	Bucket, Name string
	Generation   int64
}

// URI returns the object's address without its generation.
func (r ObjectRef) URI() string { return "gs://" + r.Bucket + "/" + r.Name }

// ErrURI is the error for a text that is not a gs:// URI, ErrName for one without a valid
// object name.
var (
	ErrURI  = usererror.New("blob", "want gs://bucket/object")
	ErrName = usererror.Errorf("blob", "names of objects have at most %d bytes of UTF-8 in one line", MaxName)
)

// ParseURI parses gs://bucket/name. The name may be empty or end with a slash, as a prefix
// does. Errors are ErrURI and ErrName.
func ParseURI(uri string) (ObjectRef, error) {
	rest, ok := strings.CutPrefix(uri, "gs://")
	bucket, name, slash := strings.Cut(rest, "/")
	switch {
	case !ok || !slash || bucket == "":
		return ObjectRef{}, ErrURI
	case len(name) > MaxName || !utf8.ValidString(name) || strings.ContainsAny(name, "\r\n\x00"):
		return ObjectRef{}, ErrName
	}
	return ObjectRef{Bucket: bucket, Name: name}, nil
}
