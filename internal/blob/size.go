package blob

import (
	"context"
	"time"

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

// Created returns when a generation of an object was created, by the server's clock.
func (s *Store) Created(ctx context.Context, o ObjectRef) (time.Time, error) {
	ctx, done := outage.Limit(ctx, outage.Objects, outage.Read)
	attrs, err := handle(s, o).Attrs(ctx)
	if err = done(err); err != nil {
		return time.Time{}, objectError(err, "look at", o)
	}
	return attrs.Created, nil
}
