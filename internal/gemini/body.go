package gemini

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
)

// The SDK makes each request's body anew as JSON in memory, with its photos in base64, twice
// as large a buffer as needed. So it is given a mark in place of each photo, and the
// transport sends the photo's base64 there, which was made once.

// markFrom is the size from which a blob is replaced by a mark, in bytes.
const markFrom = 4 << 10

// A mark stands for a blob in the body of a request: 24 bytes, of which 16 are this process's
// own, so that no other text of a request is taken for one, and 8 its index among the parts.
// Its base64 has no padding.
type mark [24]byte

var ownMark = func() (m mark) {
	_, _ = rand.Read(m[:16]) // never fails
	return m
}()

// markOf returns the mark of the part with that index.
func markOf(index int) []byte {
	m := ownMark
	binary.BigEndian.PutUint64(m[16:], uint64(index))
	return m[:]
}

// marked reports whether p is sent by a mark.
func (p Part) marked() bool { return len(p.data) >= markFrom }

type partsKey struct{}

// withParts returns a context whose requests have marks of parts.
func withParts(ctx context.Context, parts []Part) context.Context {
	return context.WithValue(ctx, partsKey{}, parts)
}

// A transport sends the blobs in the place of their marks.
type transport struct{ next http.RoundTripper }

// streaming makes c send blobs in the place of their marks.
func streaming(c *http.Client) {
	next := c.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	c.Transport = transport{next}
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	parts, ok := r.Context().Value(partsKey{}).([]Part)
	if !ok || r.Body == nil {
		return t.next.RoundTrip(r)
	}
	text := make([]byte, r.ContentLength) // the SDK has it in memory
	_, err := io.ReadFull(r.Body, text)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	pieces, err := filled(text, parts)
	if err != nil {
		return nil, err
	}
	r = r.WithContext(r.Context()) // a copy
	r.ContentLength = 0
	for _, p := range pieces {
		r.ContentLength += int64(len(p))
	}
	r.GetBody = func() (io.ReadCloser, error) { return bodyOf(pieces), nil }
	r.Body = bodyOf(pieces)
	return t.next.RoundTrip(r)
}

// filled returns text, in pieces, with the base64 of parts in place of their marks, which
// stand in their order.
func filled(text []byte, parts []Part) (pieces [][]byte, err error) {
	for i, p := range parts {
		if !p.marked() {
			continue
		}
		before, after, found := bytes.Cut(text, base64.StdEncoding.AppendEncode(nil, markOf(i)))
		if !found {
			return nil, fmt.Errorf("gemini: the request has no place for part %d", i)
		}
		pieces, text = append(pieces, before, p.encoded()), after
	}
	return append(pieces, text), nil
}

// bodyOf returns a reader of pieces, one after the other.
func bodyOf(pieces [][]byte) io.ReadCloser {
	all := make([]io.Reader, len(pieces))
	for i, p := range pieces {
		all[i] = bytes.NewReader(p)
	}
	return io.NopCloser(io.MultiReader(all...))
}
