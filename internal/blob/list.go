package blob

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"cloud.google.com/go/storage"
	"example.com/whatis/internal/outage"
	"google.golang.org/api/iterator"
)

// A Listed is an object in a list.
type Listed struct {
	ObjectRef
	Size     int64 // how many bytes reading gives, at most (MostBytes)
	Metadata map[string]string
	Created  time.Time // of this generation, by the server
}

// List yields every object of bucket whose name begins with prefix, sorted by the bytes of
// the UTF-8 name. It stops at the first error; a missing bucket gives ErrNotFound.
func (s *Store) List(ctx context.Context, bucket, prefix string) iter.Seq2[Listed, error] {
	return s.list(ctx, bucket, prefix, "")
}

// ListFolder is List without the objects of subfolders of prefix, which ends in a slash.
func (s *Store) ListFolder(ctx context.Context, bucket, prefix string) iter.Seq2[Listed, error] {
	return s.list(ctx, bucket, prefix, "/")
}

// list is not inlined, as bucketOf.
//
//go:noinline
func (s *Store) list(ctx context.Context, bucket, prefix, delimiter string) iter.Seq2[Listed, error] {
	return func(yield func(Listed, error) bool) {
		q := &storage.Query{Prefix: prefix, Delimiter: delimiter, Projection: storage.ProjectionNoACL}
		if err := q.SetAttrSelection([]string{"Name", "Generation", "Size", "ContentEncoding", "Metadata", "Created"}); err != nil {
			yield(Listed{}, fmt.Errorf("blob: list gs://%s/%s: %w", bucket, prefix, err))
			return
		}
		ctx, wait := outage.Series(ctx, outage.Objects, outage.Read)
		for all := bucketOf(s, bucket).Objects(ctx, q); ; {
			var o *storage.ObjectAttrs
			err := wait(func() (err error) {
				o, err = all.Next()
				return err
			})
			switch {
			case errors.Is(err, iterator.Done):
				return
			case errors.Is(err, storage.ErrBucketNotExist):
				yield(Listed{}, fmt.Errorf("%w: the bucket %s", ErrNotFound, bucket))
				return
			case err != nil:
				yield(Listed{}, fmt.Errorf("blob: list gs://%s/%s: %w", bucket, prefix, err))
				return
			}
			if o.Name == "" {
				continue // the name of a subfolder
			}
			if !yield(Listed{ObjectRef{bucket, o.Name, o.Generation}, MostBytes(o.Size, o.ContentEncoding), o.Metadata, o.Created}, nil) {
				return
			}
		}
	}
}
