package blob

import (
	"context"
	"time"

	"example.com/whatis/internal/outage"
)

// Size returns the size in bytes of an object, of its latest generation if o names none. A
// missing object gives ErrNotFound.
func (s *Store) Size(ctx context.Context, o ObjectRef) (int64, error) {
	ctx, done := outage.Limit(ctx, outage.Objects, outage.Read)
	attrs, err := handle(s, o).Attrs(ctx)
	if err = done(err); err != nil {
		return 0, objectError(err, "look at", o)
	}
	return attrs.Size, nil
}

// Created returns when a generation of an object was created, by the server's clock.
func (s *Store) Created(ctx context.Context, o ObjectRef) (time.Time, error) {
	ctx, done := outage.Limit(ctx, outage.Objects, outage.Read)
	attrs, err := handle(s, o).Attrs(ctx)
	if err = done(err); err != nil {
		return time.Time{}, objectError(err, "look at", o)
	}
	return attrs.Created, nil
}
