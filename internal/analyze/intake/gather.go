package intake

import (
	"context"
	"slices"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/photo"
)

// gather reads the files of a and sets their photos in the request, with hashes only.
func (a *asked) gather(ctx context.Context) (err error) {
	if err := analyze.CheckNumber(len(a.sources)); err != nil { // before they are read
		return err
	}
	if a.leave, err = a.in.reserve(ctx, a.sources); err != nil {
		return err
	}
	for i, s := range a.sources {
		data, generation, err := a.in.readSource(ctx, s)
		if err != nil {
			return err
		}
		u := photo.NewUpload(data)
		a.uploads = append(a.uploads, u)
		if i == 0 {
			a.req.Photo, a.req.URI, a.req.Generation = photoByHash(u), s.URI, generation
		} else {
			a.req.More = append(a.req.More, photoByHash(u))
		}
	}
	return nil
}

// reserve reserves memory for the objects to be fetched, by their real sizes.
func (in *Intake) reserve(ctx context.Context, sources []Source) (leave func(), err error) {
	var bytes int64
	for _, s := range sources {
		if s.URI == "" {
			continue
		}
		if err := in.mayRead(ctx); err != nil {
			return nil, err
		}
		origin, err := in.readableObject(s.URI)
		if err != nil {
			return nil, err
		}
		size, err := in.Objects.Size(ctx, origin)
		if err != nil {
			return nil, err
		}
		bytes += min(size, in.Limits.MaxBytes) // a larger one is not read
	}
	if bytes == 0 {
		return func() {}, nil
	}
	return in.Memory.Acquire(ctx, MemoryFor(bytes))
}

func (in *Intake) mayRead(ctx context.Context) error {
	if in.MayRead == nil {
		return nil
	}
	return in.MayRead(ctx)
}

// readSource returns the bytes of s, and the generation of the object at its URI.
func (in *Intake) readSource(ctx context.Context, s Source) (data []byte, generation int64, err error) {
	if s.URI == "" {
		return s.Data, 0, nil
	}
	origin, err := in.readableObject(s.URI)
	if err != nil {
		return nil, 0, err
	}
	return in.Objects.Read(ctx, blob.ObjectRef{Bucket: origin.Bucket, Name: origin.Name}, in.Limits.MaxBytes)
}

// hashes returns the hashes of the photos of req, by which its work is found.
func hashes(req analyze.Request) []string {
	all := []string{req.Photo.SHA256}
	for _, p := range req.More {
		if !slices.Contains(all, p.SHA256) {
			all = append(all, p.SHA256)
		}
	}
	return all
}
