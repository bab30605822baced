package blob

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/storage"
)

// Size is how many bytes the latest generation of an object has, or of the one
// that o names. It is ErrNotFound when there is no such object.
func (s *Store) Size(ctx context.Context, o Origin) (int64, error) {
	handle := s.client.Bucket(o.Bucket).Object(o.Name)
	if o.Generation != 0 {
		handle = handle.Generation(o.Generation)
	}
	attrs, err := handle.Attrs(ctx)
	if errors.Is(err, storage.ErrObjectNotExist) || errors.Is(err, storage.ErrBucketNotExist) {
		return 0, fmt.Errorf("%w: gs://%s/%s#%d", ErrNotFound, o.Bucket, o.Name, o.Generation)
	}
	if err != nil {
		return 0, fmt.Errorf("blob: look at gs://%s/%s: %w", o.Bucket, o.Name, err)
	}
	return attrs.Size, nil
}
