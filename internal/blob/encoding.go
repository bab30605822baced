package blob

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"cloud.google.com/go/storage"

	"example.com/whatis/internal/usererror"
)

// ErrEncoding is the error for an object whose Content-Encoding is not read here, or is not
// that of its bytes.
var ErrEncoding = usererror.New("blob", "the object cannot be unpacked")

// maxGrowth is how many times its size deflated data may grow at most.
// https://zlib.net/zlib_tech.html
const maxGrowth = 1032

// MostBytes returns how many bytes reading gives, at most, of an object that is stored with
// that size and Content-Encoding.
func MostBytes(size int64, encoding string) int64 {
	if plain(encoding) {
		return size
	}
	return size * maxGrowth
}

func plain(encoding string) bool { return encoding == "" || strings.EqualFold(encoding, "identity") }

// content returns the bytes of an object: those that are stored, or what they unpack to if
// its Content-Encoding is gzip, as after gsutil -Z. They are unpacked here, and not by the
// client, which would ask again for ever for an object whose gzip is damaged
// (googleapis/google-cloud-go#8588). More than most bytes unpacked give ErrTooLarge.
func content(r *storage.Reader, o ObjectRef, most int64) (from io.Reader, packed bool, err error) {
	switch encoding := r.Attrs.ContentEncoding; {
	case plain(encoding):
		return r, false, nil
	case strings.EqualFold(encoding, "gzip"), strings.EqualFold(encoding, "x-gzip"):
		u := &unpacked{stored: r, object: o, left: most}
		if u.Reader, err = gzip.NewReader(r); err != nil {
			err = u.damaged(err)
		}
		return u, true, err
	default:
		return nil, false, fmt.Errorf("%w: gs://%s/%s has the Content-Encoding %q: store it as it is, or with gzip", ErrEncoding, o.Bucket, o.Name, usererror.Short(encoding, usererror.Quoted))
	}
}

// An unpacked reads what an object unpacks to.
type unpacked struct {
	*gzip.Reader
	stored io.Reader
	object ObjectRef
	left   int64 // how many bytes may still come
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if u.left -= int64(n); u.left < 0 {
		return 0, fmt.Errorf("%w: gs://%s/%s is compressed, and unpacks to more than the limit", ErrTooLarge, u.object.Bucket, u.object.Name)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = u.damaged(err)
	}
	return n, err
}

// damaged returns ErrEncoding if the object was read as it is stored, which the client
// verifies by its checksum at the end; otherwise the error of reading it.
func (u *unpacked) damaged(err error) error {
	if _, unread := io.Copy(io.Discard, u.stored); unread != nil {
		return unread
	}
	return fmt.Errorf("%w: gs://%s/%s has the Content-Encoding gzip, and its bytes are no whole gzip (%w): store it anew", ErrEncoding, u.object.Bucket, u.object.Name, err)
}
