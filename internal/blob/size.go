package blob

import "context"

// Size returns the size in bytes of an object, of its latest generation if o names none. A
// missing object gives ErrNotFound.
func (s *Store) Size(ctx context.Context, o ObjectRef) (int64, error) {
	attrs, err := handle(s, o).Attrs(ctx)
	if err != nil {
		return 0, objectError(err, "look at", o)
	}
	return attrs.Size, nil
}
