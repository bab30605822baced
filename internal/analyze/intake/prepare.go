package intake

import (
	"context"

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

// prepareAll sets the prepared photos of uploads in req. Their memory beyond the
// files stays reserved until release is called.
func (in *Intake) prepareAll(ctx context.Context, uploads []photo.Upload, req *analyze.Request) (release func(), err error) {
	var held releases
	defer func() {
		if err != nil {
			held.release()
		}
	}()
	var photos []*photo.Photo
	for _, u := range uploads {
		p, leave, err := in.prepare(ctx, u, false)
		if err != nil {
			return nil, err
		}
		held = append(held, leave)
		photos = append(photos, p)
	}
	req.Photo, req.More = photos[0], photos[1:]
	return held.release, analyze.CheckPhotos(photos)
}

// releases lists functions that release memory.
type releases []func()

func (r releases) release() {
	for _, release := range r {
		release()
	}
}

// prepare returns the photo of u. Pixels are decoded only if there is memory for
// them. The photo keeps only their brightness, if it may be needed (for codes, or
// looks is set) and there is memory for it. Release gives back its memory beyond
// the file.
func (in *Intake) prepare(ctx context.Context, u photo.Upload, looks bool) (p *photo.Photo, release func(), err error) {
	f, err := u.Inspect(in.Limits)
	if err != nil {
		return nil, nil, err
	}
	done, err := in.Memory.AcquireWork(ctx, f.Memory())
	if err != nil {
		return nil, nil, err
	}
	defer done()
	if p, err = f.Photo(); err != nil {
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
