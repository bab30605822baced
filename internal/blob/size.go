package blob

import (
	"context"

	"example.com/whatis/internal/outage"
)

// Size returns how many bytes reading an object gives, at most: its size, unless it is stored
// compressed (MostBytes). A missing object gives ErrNotFound.
func (s *Store) Size(ctx context.Context, o ObjectRef) (int64, error) {
	ctx, done := outage.Limit(ctx, outage.Objects, outage.Read)
	attrs, err := handle(s, o).Attrs(ctx)
	if err = done(err); err != nil {
		return 0, objectError(err, "look at", o)
	}
	return MostBytes(attrs.Size, attrs.ContentEncoding), nil
}

// Live returns the generation of an object that is live, or ErrNotFound.
func (s *Store) Live(ctx context.Context, bucket, name string) (Listed, error) {
	o := ObjectRef{Bucket: bucket, Name: name}
	ctx, done := outage.Limit(ctx, outage.Objects, outage.Read)
	attrs, err := handle(s, o).Attrs(ctx)
	if err = done(err); err != nil {
		return Listed{}, objectError(err, "look at", o)
	}
	o.Generation = attrs.Generation
	return Listed{o, MostBytes(attrs.Size, attrs.ContentEncoding), attrs.Metadata, attrs.Created}, nil
}
