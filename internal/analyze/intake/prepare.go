package intake

import (
	"context"
	"errors"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/photo"
)

// MemoryFor estimates the bytes of memory that a photo of n bytes needs from reading
// it to its answer: the file, the bytes that are sent, and the request that holds
// them.
func MemoryFor(n int64) int64 { return 4 * n }

// photoByHash returns a photo with only its hash, which is enough to find an earlier
// result without decoding the same bytes again.
func photoByHash(u photo.Upload) *photo.Photo { return &photo.Photo{SHA256: u.SHA256} }

// prepareAll sets the prepared photos of uploads in req. If together they have too many
// bytes for one question, the larger ones are made smaller. Their memory beyond the files
// stays reserved until release is called.
func (in *Intake) prepareAll(ctx context.Context, uploads []photo.Upload, req *analyze.Request) (release func(), err error) {
	a := &album{in: in, uploads: uploads, origins: req.Origins, photos: make([]*photo.Photo, len(uploads))}
	return a.into(ctx, req, a.prepareAll(ctx))
}

// An album is the photos of one question while they are prepared.
type album struct {
	in      *Intake
	uploads []photo.Upload
	origins []analyze.Origin // may be nil
	photos  []*photo.Photo   // of uploads, nil before they are prepared
	held    releases
	bad     map[int]error // the photos that cannot be used, by index; nil if the first is an error
}

// into sets the prepared photos in req, made to fit into one question. After an error, failed
// or its own, their memory is released.
func (a *album) into(ctx context.Context, req *analyze.Request, failed error) (release func(), err error) {
	if err = failed; err == nil {
		err = a.fit(ctx)
	}
	if err == nil {
		err = analyze.CheckPhotos(a.photos)
	}
	if err != nil {
		a.held.release()
		return nil, err
	}
	req.Photo, req.More = a.photos[0], a.photos[1:]
	return a.held.release, nil
}

// prepareAll prepares all photos.
func (a *album) prepareAll(ctx context.Context) error {
	return a.prepare(ctx, a.in.Limits, func(*photo.Photo) bool { return true })
}

// prepare prepares the photos that wanted chooses, within l. A repeated one is prepared
// once.
func (a *album) prepare(ctx context.Context, l photo.Limits, wanted func(*photo.Photo) bool) error {
	prepared := map[string]*photo.Photo{}
	for i, u := range a.uploads {
		if !wanted(a.photos[i]) {
			continue
		}
		if p := prepared[u.SHA256]; p != nil {
			a.photos[i] = p
			continue
		}
		p, leave, err := a.in.prepare(ctx, u, false, l)
		if err != nil {
			err = ofPhoto(i, len(a.uploads), a.origin(i), err)
			var bad *photo.Error
			if a.bad == nil || !errors.As(err, &bad) {
				return err
			}
			a.bad[i] = err
			continue
		}
		a.held = append(a.held, leave)
		a.photos[i], prepared[u.SHA256] = p, p
	}
	return nil
}

func (a *album) origin(i int) (o analyze.Origin) {
	if i < len(a.origins) {
		o = a.origins[i]
	}
	return o
}

// fit makes the larger photos smaller if all have too many bytes for one question.
func (a *album) fit(ctx context.Context) error {
	share := analyze.Share(a.photos)
	if share == 0 {
		return nil
	}
	l := a.in.Limits
	l.MaxSent = share
	return a.prepare(ctx, l, func(p *photo.Photo) bool { return len(p.Sent) > share && analyze.Scalable(p) })
}

// releases lists functions that release memory.
type releases []func()

func (r releases) release() {
	for _, release := range r {
		release()
	}
}

// prepare returns the photo of u within l. Pixels are decoded only if there is memory for
// them. The photo keeps only their brightness, if it may be needed (for codes, or
// looks is set) and there is memory for it. Release gives back its memory beyond
// the file.
func (in *Intake) prepare(ctx context.Context, u photo.Upload, looks bool, l photo.Limits) (p *photo.Photo, release func(), err error) {
	if p, err = u.Prepare(ctx, in.Memory, l); err != nil {
		return nil, nil, err
	}
	sent, ok := in.Memory.TryAcquire(MemoryFor(int64(len(p.Sent) - len(u.Data))))
	if !ok {
		return nil, nil, in.Memory.Busy()
	}
	return p, releases{sent, in.brightnessOf(p, looks)}.release, nil
}

// brightnessOf reserves memory for the brightness that p holds. Without memory, or if
// brightness is not needed, p drops it and decodes the photo again if asked.
func (in *Intake) brightnessOf(p *photo.Photo, looks bool) (release func()) {
	if !looks && !in.Pipeline.ReadCodes.Reads() {
		p.Release()
	}
	release, ok := in.Memory.TryAcquire(p.HeldBytes())
	if !ok {
		p.Release()
		return func() {}
	}
	return release
}
