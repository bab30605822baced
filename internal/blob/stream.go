package blob

import (
	"context"
	"fmt"
	"io"
)

// Open returns the bytes of an object as they come, of its latest generation if o
// names none. It is ErrNotFound when there is no such object. The reader must be
// closed.
func (s *Store) Open(ctx context.Context, o ObjectRef) (io.ReadCloser, error) {
	r, err := s.reader(ctx, o)
	if err != nil {
		return nil, err // not r: an io.ReadCloser that holds nil is not nil
	}
	return r, nil
}

// A Place is where an object is written to, and as what.
type Place struct {
	Bucket, Name string
	ContentType  string
}

// Create writes what write writes, as it comes, unless there is an object at p
// already. It reports whether it wrote. Of any number of writers one does; an
// error of write leaves nothing.
func (s *Store) Create(ctx context.Context, p Place, write func(io.Writer) error) (bool, error) {
	at, err := s.state(ctx, p.Bucket, p.Name)
	if err != nil || at.generation != 0 {
		return false, err
	}
	return s.stream(ctx, p, at, write)
}

// Replace writes what write writes over what is at p, unless somebody else writes
// there meanwhile: then theirs stands, and Replace reports false.
func (s *Store) Replace(ctx context.Context, p Place, write func(io.Writer) error) (bool, error) {
	at, err := s.state(ctx, p.Bucket, p.Name)
	if err != nil {
		return false, err
	}
	return s.stream(ctx, p, at, write)
}

// stream writes to p in one request, if at still stands there.
func (s *Store) stream(ctx context.Context, p Place, at state, write func(io.Writer) error) (bool, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends an upload that is not closed
	w := s.client.Bucket(p.Bucket).Object(p.Name).If(at.condition()).NewWriter(ctx)
	w.ContentType = p.ContentType
	w.ChunkSize = 0 // one request, which holds nothing in memory
	out := &sink{Writer: w}
	err := write(out)
	if err != nil && out.err == nil {
		// Not closed: the body would be whole, and might be stored before the
		// cancelling is noticed.
		return false, fmt.Errorf("blob: write gs://%s/%s: %w", p.Bucket, p.Name, err)
	}
	if closed := w.Close(); err == nil || lostRace(closed) {
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

// A sink tells apart who failed, it or what was written from.
type sink struct {
	io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if err != nil {
		s.err = err
	}
	return n, err
}
