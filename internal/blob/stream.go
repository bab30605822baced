package blob

import (
	"context"
	"fmt"
	"io"

	"cloud.google.com/go/storage"
	"example.com/whatis/internal/outage"
)

// A Reader reads one generation of an object, unpacked.
type Reader struct {
	io.Reader
	io.Closer
	Generation int64
	Size       int64 // -1 if it is stored compressed
}

// A compressed object that is read as a stream may unpack to maxRatio times its size, and to
// maxSmall: one that grows further is made to cost.
const (
	maxRatio = 100
	maxSmall = 1 << 20
)

// Open returns a reader of an object, of its latest generation if o names none. A missing
// object gives ErrNotFound, one that cannot be unpacked ErrEncoding. The reader must be closed.
func (s *Store) Open(ctx context.Context, o ObjectRef) (*Reader, error) {
	ctx, wait := outage.Series(ctx, outage.Objects, outage.Read)
	var r *storage.Reader
	err := wait(func() (err error) {
		r, err = reader(ctx, s, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	size := r.Attrs.Size
	from, packed, err := content(r, o, max(maxSmall, maxRatio*size))
	if packed {
		size = -1
	}
	if err != nil {
		_ = r.Close()
		return nil, objectError(err, "read", o)
	}
	return &Reader{from, r, r.Attrs.Generation, size}, nil
}

// A Place is the destination and content type of an object.
type Place struct {
	Bucket, Name string
	ContentType  string
}

// Create streams the output of write to p, unless there is an object already. It reports
// whether it wrote. Of several concurrent writers one succeeds. If write fails, nothing is
// stored.
func (s *Store) Create(ctx context.Context, p Place, write func(io.Writer) error) (bool, error) {
	at, err := s.state(ctx, p.Bucket, p.Name)
	if err != nil || at.generation != 0 {
		return false, err
	}
	return s.stream(ctx, p, at, write)
}

// Replace streams the output of write to p, replacing the object there. If another writer
// changes it meanwhile, that object remains, and Replace returns false.
func (s *Store) Replace(ctx context.Context, p Place, write func(io.Writer) error) (bool, error) {
	at, err := s.state(ctx, p.Bucket, p.Name)
	if err != nil {
		return false, err
	}
	return s.stream(ctx, p, at, write)
}

// stream writes to p in one request, on the condition that the object there has not changed
// since at.
func (s *Store) stream(ctx context.Context, p Place, at state, write func(io.Writer) error) (bool, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // aborts an upload that is not closed
	ctx, wait := outage.Series(ctx, outage.Objects, outage.Write)
	w := bucketOf(s, p.Bucket).Object(p.Name).If(at.condition()).NewWriter(ctx)
	w.ContentType = p.ContentType
	w.ChunkSize = 0 // one request, without a buffer in memory
	out := &sink{Writer: w, wait: wait}
	err := write(out)
	if err != nil && out.err == nil {
		// Not closed: Close would complete the body, and it might be stored before the
		// cancellation arrives.
		return false, fmt.Errorf("blob: write gs://%s/%s: %w", p.Bucket, p.Name, err)
	}
	if closed := wait(w.Close); err == nil || lostRace(closed) {
		err = closed
	}
	switch {
	case err == nil:
		return true, nil
	case lostRace(err):
		return false, nil
	}
	return false, fmt.Errorf("blob: write gs://%s/%s: %w", p.Bucket, p.Name, err)
}

// A sink distinguishes errors of writing to it from errors of its source.
type sink struct {
	io.Writer
	wait func(func() error) error
	err  error
}

func (s *sink) Write(p []byte) (n int, err error) {
	err = s.wait(func() (err error) {
		n, err = s.Writer.Write(p)
		return err
	})
	if err != nil {
		s.err = err
	}
	return n, err
}
