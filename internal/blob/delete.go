package blob

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/storage"
	"example.com/whatis/internal/outage"
)

// Delete deletes that generation of an object. If it is missing, it returns ErrNotFound.
func (s *Store) Delete(ctx context.Context, o ObjectRef) error {
	return objectError(deleted(ctx, handle(s, o)), "delete", o)
}

// DeleteResult deletes what PutNewer has written at bucket/name for o, and reports whether
// it did. A result of another object or generation is left.
func (s *Store) DeleteResult(ctx context.Context, bucket, name string, o ObjectRef) (bool, error) {
	for range tries {
		at, err := s.state(ctx, bucket, name)
		if err != nil || at.generation == 0 || at.origin != o {
			return false, err
		}
		err = deleted(ctx, bucketOf(s, bucket).Object(name).If(storage.Conditions{GenerationMatch: at.generation}))
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, storage.ErrObjectNotExist):
			return false, nil
		case !lostRace(err):
			return false, fmt.Errorf("blob: delete gs://%s/%s: %w", bucket, name, err)
		}
	}
	return false, fmt.Errorf("blob: delete gs://%s/%s: other writers came first %d times", bucket, name, tries)
}

// deleted deletes an object.
func deleted(ctx context.Context, o *storage.ObjectHandle) error {
	ctx, done := outage.Limit(ctx, outage.Objects, outage.Write)
	return done(o.Delete(ctx))
}
