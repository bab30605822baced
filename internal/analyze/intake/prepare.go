package intake

import (
	"context"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/photo"
)

// MemoryFor is about how many bytes a photo of n bytes holds from when it is read
// until it has its answer: itself, what is sent of it, and the request that this is
// written into.
func MemoryFor(n int64) int64 { return 4 * n }

// photoByHash is a photo of which no more is known than its hash. It is all that an
// earlier result is found by, so that the same bytes again are not looked into.
func photoByHash(u photo.Upload) *photo.Photo { return &photo.Photo{SHA256: u.SHA256} }

// prepareAll makes the photos of uploads ready in req. What they hold beyond their
// files has its room until release is called.
func (in *Intake) prepareAll(ctx context.Context, uploads []photo.Upload, req *analyze.Request) (release func(), err error) {
	var rooms rooms
	defer func() {
		if err != nil {
			rooms.release()
		}
	}()
	var photos []*photo.Photo
	for _, u := range uploads {
		p, room, err := in.prepare(ctx, u, false)
		if err != nil {
			return nil, err
		}
		rooms = append(rooms, room)
		photos = append(photos, p)
	}
	req.Photo, req.More = photos[0], photos[1:]
	return rooms.release, analyze.CheckPhotos(photos)
}

// rooms are what gives back room in memory.
type rooms []func()

func (r rooms) release() {
	for _, release := range r {
		release()
	}
}

// prepare makes the photo of u. Pixels are decoded only where there is room for
// them, and of these it holds no more than their brightness, if codes may be read
// in it, or it is asked for how it looks, and there is room for that. Release gives back what it holds beyond its
// file.
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
	return p, rooms{sent, in.brightnessOf(p, looks)}.release, nil
}

// brightnessOf takes room for the brightness that p holds. Where there is none, or
// nobody will ask for it, p is made to let go of it: who asks all the same has it
// decoded again.
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
