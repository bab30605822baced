package blob

import "context"

// Size is how many bytes the latest generation of an object has, or of the one
// that o names. It is ErrNotFound when there is no such object.
func (s *Store) Size(ctx context.Context, o ObjectRef) (int64, error) {
	attrs, err := s.handle(o).Attrs(ctx)
	if err != nil {
		return 0, objectError(err, "look at", o)
	}
	return attrs.Size, nil
}
