// Package blob reads and writes Cloud Storage objects by generation.
//
//	bucket, name, generation → Read → bytes
//	a result and the generation of its source → PutNewer → written unless a newer one is there
package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"

	"example.com/whatis/internal/outage"
	"example.com/whatis/internal/usererror"
)

// Errors of Read and PutNewer.
var (
	ErrNotFound = usererror.New("blob", "there is no such object or generation")
	ErrTooLarge = usererror.New("blob", "the object is too large")
	ErrForeign  = errors.New("blob: what stands there is not the result of this object")
)

// The metadata keys under which PutNewer stores the source of a result.
const (
	keyBucket     = "source_bucket"
	keyName       = "source_object"
	keyGeneration = "source_generation"
	keySHA256     = "sha256"   // of the result
	keyRevision   = "revision" // of the result: how often it was corrected
)

// IsResult reports whether an object with this metadata was written by PutNewer.
func IsResult(metadata map[string]string) bool {
	_, ok := metadata[keyGeneration]
	return ok
}

// A Store reads and writes objects through a client.
type Store struct {
	// client is a *storage.Client, which only the function bucketOf needs to know: with a
	// field or a method of a type of package storage, the compiler would compile a thousand
	// generic functions of the client's metrics again in each package that names a Store.
	client any
}

// New returns a Store that uses client.
func New(client *storage.Client) *Store { return &Store{client: client} }

// Open returns a Store with the application default credentials, or for the emulator at
// STORAGE_EMULATOR_HOST. The Store outlives ctx.
func Open(ctx context.Context) (*Store, error) {
	client, err := storage.NewClient(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	return New(client), nil
}

// MaxName is the longest name of an object, in bytes.
// https://docs.cloud.google.com/storage/docs/objects#naming
const MaxName = 1024

// Inlined into another package it would name the client there.
//
//go:noinline
func bucketOf(s *Store, name string) *storage.BucketHandle {
	return s.client.(*storage.Client).Bucket(name)
}

// handle returns the handle of o, of its latest generation if o names none.
func handle(s *Store, o ObjectRef) *storage.ObjectHandle {
	h := bucketOf(s, o.Bucket).Object(o.Name)
	if o.Generation != 0 {
		h = h.Generation(o.Generation)
	}
	return h
}

// objectError returns the error of an operation on o, ErrNotFound if there is no such
// object.
func objectError(err error, what string, o ObjectRef) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, storage.ErrObjectNotExist), errors.Is(err, storage.ErrBucketNotExist):
		return fmt.Errorf("%w: gs://%s/%s#%d", ErrNotFound, o.Bucket, o.Name, o.Generation)
	}
	return fmt.Errorf("blob: %s gs://%s/%s: %w", what, o.Bucket, o.Name, err)
}

// reader returns a reader of the object as it is stored; content unpacks it.
func reader(ctx context.Context, s *Store, o ObjectRef) (*storage.Reader, error) {
	r, err := handle(s, o).ReadCompressed(true).NewReader(ctx)
	return r, objectError(err, "read", o)
}

// Read returns the bytes of an object, unpacked, and the generation that was read; generation
// 0 means the latest. An object of more than limit bytes, stored or unpacked, gives
// ErrTooLarge, one that cannot be unpacked ErrEncoding.
func (s *Store) Read(ctx context.Context, o ObjectRef, limit int64) (data []byte, generation int64, err error) {
	ctx, done := outage.Limit(ctx, outage.Objects, outage.Read)
	defer func() { err = done(err) }()
	r, err := reader(ctx, s, o)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	if r.Attrs.Size > limit {
		return nil, 0, fmt.Errorf("%w: gs://%s/%s has %d bytes, the limit is %d", ErrTooLarge, o.Bucket, o.Name, r.Attrs.Size, limit)
	}
	from, packed, err := content(r, o, limit)
	switch {
	case err == nil && packed:
		data, err = io.ReadAll(from)
	case err == nil:
		data = make([]byte, r.Attrs.Size)
		_, err = io.ReadFull(from, data)
	}
	if err != nil {
		return nil, 0, objectError(err, "read", o)
	}
	return data, r.Attrs.Generation, nil
}

// tries is how often PutNewer starts again because another writer was first.
const tries = 10

// PutNewer writes v as JSON to bucket/name, as that revision of the result of o, unless the
// object there is the same result, a later revision of it, or the result of a newer generation
// of o. It reports whether it wrote. With any
// number of writers, the result of the newest generation remains. If the object there is
// not a result of o, PutNewer leaves it and returns ErrForeign.
func (s *Store) PutNewer(ctx context.Context, bucket, name string, v any, o ObjectRef, revision int64) (bool, error) {
	body, err := encode(v)
	if err != nil {
		return false, fmt.Errorf("blob: encode gs://%s/%s: %w", bucket, name, err)
	}
	sum := sha256.Sum256(body)
	this := result{origin: o, revision: revision, sha256: hex.EncodeToString(sum[:])}
	for range tries {
		state, err := s.state(ctx, bucket, name)
		if err != nil {
			return false, err
		}
		switch {
		case state.foreign(o):
			return false, fmt.Errorf("%w: gs://%s/%s", ErrForeign, bucket, name)
		case state.covers(this):
			return false, nil
		}
		err = s.put(ctx, bucket, name, body, this, state.condition())
		if err == nil {
			return true, nil
		}
		if !lostRace(err) {
			return false, fmt.Errorf("blob: write gs://%s/%s: %w", bucket, name, err)
		}
	}
	return false, fmt.Errorf("blob: write gs://%s/%s: other writers came first %d times", bucket, name, tries)
}

// encode returns v as JSON for people: indented, without escaping <, > and &.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

func (s *Store) put(ctx context.Context, bucket, name string, body []byte, r result, c storage.Conditions) (err error) {
	ctx, done := outage.Limit(ctx, outage.Objects, outage.Write)
	defer func() { err = done(err) }() // aborts an upload that is not closed
	w := bucketOf(s, bucket).Object(name).If(c).NewWriter(ctx)
	w.ContentType = "application/json"
	w.ChunkSize = 0 // one request
	w.Metadata = map[string]string{
		keyBucket: r.origin.Bucket, keyName: r.origin.Name, keyGeneration: strconv.FormatInt(r.origin.Generation, 10), keySHA256: r.sha256, keyRevision: strconv.FormatInt(r.revision, 10),
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Close()
}

func lostRace(err error) bool {
	var e *googleapi.Error
	return errors.As(err, &e) && e.Code == http.StatusPreconditionFailed
}

// A result is the source of an object according to its metadata.
type result struct {
	origin   ObjectRef
	revision int64
	sha256   string
}

// state is the object at the place of a result.
type state struct {
	generation int64 // of the result object, 0 if there is none
	result
}

// foreign reports whether the object there is not a result of o, of any generation.
func (s state) foreign(o ObjectRef) bool {
	return s.generation != 0 && (s.origin.Bucket != o.Bucket || s.origin.Name != o.Name)
}

// covers reports whether the object there, a result of the same source, is r, a later
// revision of it, or of a newer generation.
func (s state) covers(r result) bool {
	same := s.origin.Generation == r.origin.Generation && (s.revision > r.revision || s.revision == r.revision && s.sha256 == r.sha256)
	return s.generation != 0 && (s.origin.Generation > r.origin.Generation || same)
}

// condition returns the precondition that the object has not changed.
func (s state) condition() storage.Conditions {
	if s.generation == 0 {
		return storage.Conditions{DoesNotExist: true}
	}
	return storage.Conditions{GenerationMatch: s.generation}
}

func (s *Store) state(ctx context.Context, bucket, name string) (_ state, err error) {
	ctx, done := outage.Limit(ctx, outage.Objects, outage.Read)
	defer func() { err = done(err) }()
	attrs, err := bucketOf(s, bucket).Object(name).Attrs(ctx)
	if errors.Is(err, storage.ErrObjectNotExist) {
		return state{}, nil
	}
	if err != nil {
		return state{}, fmt.Errorf("blob: look at gs://%s/%s: %w", bucket, name, err)
	}
	of := ObjectRef{Bucket: attrs.Metadata[keyBucket], Name: attrs.Metadata[keyName]}
	of.Generation, _ = strconv.ParseInt(attrs.Metadata[keyGeneration], 10, 64)
	revision, _ := strconv.ParseInt(attrs.Metadata[keyRevision], 10, 64) // 0 without one
	return state{generation: attrs.Generation, result: result{of, revision, attrs.Metadata[keySHA256]}}, nil
}
