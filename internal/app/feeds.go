package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/fetch"
)

// maxFeed is how many bytes a file has, at most, that is fetched from the web.
const maxFeed = 256 << 20

// Download writes the file of products that an address on the web has to w. What trying again cannot mend is
// catalog.ErrFile.
func (a *App) Download(ctx context.Context, address string, w io.Writer) error {
	web, err := fetch.New(a.Config.Discover.fetcher(a.Platform, fetch.Config{Timeout: 5 * time.Minute}))
	if err != nil {
		return err
	}
	defer web.Close()
	if err = web.Download(ctx, address, maxFeed, w); err == nil {
		return nil
	}
	var answer *fetch.StatusError
	if fetch.Away(err) || errors.As(err, &answer) && answer.Passing() || ctx.Err() != nil {
		return fmt.Errorf("app: %s: %w", catalog.WithoutQuery(address), err)
	}
	return fmt.Errorf("%w: %s: %w", catalog.ErrFile, catalog.WithoutQuery(address), err)
}

// storeFeed puts the file that an address on the web has into the results bucket, unless the file of that ID is
// there already: an import that is interrupted goes on in the file with which it began.
func (a *App) storeFeed(ctx context.Context, id, address string) (blob.ObjectRef, error) {
	objects, err := a.objects.Get(ctx)
	if err != nil {
		return blob.ObjectRef{}, fmt.Errorf("app: %w", err)
	}
	place := blob.Place{Bucket: a.Platform.ResultsBucket, Name: blob.Catalogues + id + "/" + path.Base(catalog.WithoutQuery(address)), ContentType: "application/octet-stream"}
	_, err = objects.Create(ctx, place, func(w io.Writer) error { return a.Download(ctx, address, w) })
	return blob.ObjectRef{Bucket: place.Bucket, Name: place.Name}, err
}
