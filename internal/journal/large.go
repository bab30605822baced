package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"example.com/whatis/internal/blob"
)

// fetch reads a large value.
func (j Journal) fetch(ctx context.Context, ref string) ([]byte, error) {
	if j.Large == nil {
		return nil, fmt.Errorf("the value is kept as %s, and there is no store of large values", ref)
	}
	return j.Large.Get(ctx, ref)
}

// A Bucket holds large values as objects under a prefix. An object is named by what
// it holds and never changes; the bucket's lifecycle has to remove it, later than
// its work can be taken up again.
type Bucket struct {
	Blobs        *blob.Store
	Name, Prefix string
}

// mostBytes bounds a value that is read.
const mostBytes = 64 << 20

// Put writes a value, unless it is there, and returns the object's name.
func (b Bucket) Put(ctx context.Context, key string, value []byte) (ref string, err error) {
	if len(value) > mostBytes {
		return "", fmt.Errorf("%d bytes, at most %d can be kept", len(value), mostBytes)
	}
	sum := sha256.Sum256(append([]byte(key+"\x00"), value...))
	ref = b.Prefix + hex.EncodeToString(sum[:])
	place := blob.Place{Bucket: b.Name, Name: ref, ContentType: "application/json"}
	_, err = b.Blobs.Create(ctx, place, func(w io.Writer) error {
		_, err := w.Write(value)
		return err
	})
	return ref, err
}

// Get reads the object of that name.
func (b Bucket) Get(ctx context.Context, ref string) ([]byte, error) {
	value, _, err := b.Blobs.Read(ctx, blob.ObjectRef{Bucket: b.Name, Name: ref}, mostBytes)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, fmt.Errorf("the large value is gone: %w", err)
	}
	return value, err
}
