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

	simd "github.com/segmentio/asm/base64"
)

// The SDK makes each request's body anew as JSON in memory, with its photos in base64, twice
// as large a buffer as needed. So it is given a mark in place of each photo, and the
// transport encodes the photo there while it is sent: a request in flight holds the photo's
// own bytes and no copy of them.

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

// A transport sends the blobs in the place of their marks, and takes the vectors out of answers.
type transport struct{ next http.RoundTripper }

// streaming makes c send blobs in the place of their marks, and take vectors out of answers.
func streaming(c *http.Client) {
	next := c.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	c.Transport = transport{next}
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if v, ok := r.Context().Value(vectorsKey{}).(*vectors); ok {
		resp, err := t.next.RoundTrip(r)
		if err == nil {
			err = v.take(resp)
		}
		if err != nil {
			return nil, err
		}
		return resp, nil
	}
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
		r.ContentLength += p.length()
	}
	r.GetBody = func() (io.ReadCloser, error) { return bodyOf(pieces), nil }
	r.Body = bodyOf(pieces)
	return t.next.RoundTrip(r)
}

// A piece of a body is text, or a blob that is sent in base64 by RFC 4648, padded.
type piece struct{ text, blob []byte }

func (p piece) length() int64 {
	return int64(len(p.text) + base64.StdEncoding.EncodedLen(len(p.blob)))
}

// filled returns text, in pieces, with parts in place of their marks, which stand in their
// order.
func filled(text []byte, parts []Part) (pieces []piece, err error) {
	for i, p := range parts {
		if !p.marked() {
			continue
		}
		before, after, found := bytes.Cut(text, base64.StdEncoding.AppendEncode(nil, markOf(i)))
		if !found {
			return nil, fmt.Errorf("gemini: the request has no place for part %d", i)
		}
		pieces, text = append(pieces, piece{text: before}, piece{blob: p.data}), after
	}
	return append(pieces, piece{text: text}), nil
}

// bodyOf returns a reader of pieces, one after the other.
func bodyOf(pieces []piece) io.ReadCloser {
	all := make([]io.Reader, 0, 2*len(pieces))
	for _, p := range pieces {
		all = append(all, bytes.NewReader(p.text), &encoder{data: p.blob})
	}
	return body{io.MultiReader(all...)}
}

// A body hides that its reader can write itself, for which that makes a buffer of 32 KB in each
// request.
type body struct{ io.Reader }

func (body) Close() error { return nil }

// An encoder is a reader of data's base64, which it makes where it is read to.
type encoder struct {
	data []byte
	rest []byte // the end of a group of four that there was no place for
}

func (e *encoder) Read(p []byte) (int, error) {
	switch {
	case len(e.rest) > 0:
		n := copy(p, e.rest)
		e.rest = e.rest[n:]
		return n, nil
	case len(e.data) == 0:
		return 0, io.EOF
	case len(p) < 4:
		n := min(3, len(e.data))
		e.rest, e.data = base64.StdEncoding.AppendEncode(nil, e.data[:n]), e.data[n:]
		return e.Read(p)
	}
	n := min(len(p)/4*3, len(e.data))
	simd.StdEncoding.Encode(p, e.data[:n])
	e.data = e.data[n:]
	return base64.StdEncoding.EncodedLen(n), nil
}
