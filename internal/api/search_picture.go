package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
)

// Pictures says which product pictures may be shown.
type Pictures struct {
	Objects func(context.Context) (*blob.Store, error)
	Buckets []string // pictures in other buckets are refused, even if a product names them
}

// Shows reports whether a picture may be shown.
func (p Pictures) Shows(uri string) bool {
	at, err := blob.ParseURI(uri)
	return err == nil && slices.Contains(p.Buckets, at.Bucket)
}

// errNoPicture is the error for a product without a picture that may be shown.
var errNoPicture = usererror.New("api", "this product has no picture that can be shown here")

// pictureWidth is the width of a product's picture, in pixels, if the request does not say.
const pictureWidth = 480

// pictureMinutes is how long a browser may show a picture without revalidating it.
const pictureMinutes = 60

// productPicture answers with the picture of a product: rotated upright, scaled down to the
// requested width, and without EXIF data.
func (a *API) productPicture(w http.ResponseWriter, r *http.Request) error {
	width, err := web.Number(r.URL.Query(), "width", pictureWidth, leastWidth, mostWidth)
	if err != nil {
		return err
	}
	at, err := a.pictureOf(r)
	if err != nil {
		return err
	}
	data, generation, err := a.small(r.Context(), at, width)
	if errors.Is(err, blob.ErrNotFound) {
		return errNoPicture
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", fmt.Sprintf("private, max-age=%d", pictureMinutes*60))
	h.Set("ETag", fmt.Sprintf(`"%s-%d-%d"`, r.PathValue("id"), generation, width))
	h.Set("Content-Type", "image/jpeg")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	return nil
}

// pictureOf returns the location of the picture of the product in the path.
func (a *API) pictureOf(r *http.Request) (blob.ObjectRef, error) {
	p, err := a.searcher(r.Context())
	if err != nil {
		return blob.ObjectRef{}, err
	}
	id, err := web.PathID(r, productID, search.ErrNoProduct)
	if err != nil {
		return blob.ObjectRef{}, err
	}
	uri, err := p.Picture(r.Context(), r.URL.Query().Get("shop"), id)
	if err != nil {
		return blob.ObjectRef{}, err
	}
	if !a.Pictures.Shows(uri) {
		return blob.ObjectRef{}, errNoPicture
	}
	return blob.ParseURI(uri)
}

// small returns the picture at most width pixels wide, and its generation.
func (a *API) small(ctx context.Context, at blob.ObjectRef, width int) (data []byte, generation int64, err error) {
	objects, err := a.Pictures.Objects(ctx)
	if err != nil {
		return nil, 0, err
	}
	size, err := objects.Size(ctx, at)
	if err != nil {
		return nil, 0, err
	}
	leave, err := a.Memory.Acquire(ctx, intake.MemoryFor(min(size, maxBody)))
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	data, generation, err = objects.Read(ctx, at, maxBody)
	if err != nil {
		return nil, 0, err
	}
	f, err := photo.Upload{Data: data}.Inspect(photo.Limits{MaxMemory: a.Memory.MaxWork()})
	if err != nil {
		return nil, 0, err
	}
	done, err := a.Memory.AcquireWork(ctx, f.ThumbnailMemory(width))
	if err != nil {
		return nil, 0, err
	}
	defer done()
	data, err = f.Thumbnail(width)
	return data, generation, err
}
