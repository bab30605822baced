package intake

import (
	"context"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/photo"
)

// gather makes the photos of p ready in req. What it fetched has its room until
// leave is called.
func (in *Intake) gather(ctx context.Context, p Photo, req *analyze.Request) (leave func(), err error) {
	sources := append([]Source{{p.Data, p.URI}}, p.More...)
	if err := checkNumber(len(sources)); err != nil {
		return nil, err
	}
	leave, err = in.room(ctx, sources)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			leave()
		}
	}()
	var photos []*photo.Photo
	for i, s := range sources {
		one, generation, err := in.open(ctx, s)
		if err != nil {
			return leave, err
		}
		if i == 0 {
			req.URI, req.Generation = s.URI, generation
		}
		photos = append(photos, one)
	}
	req.Photo, req.More = photos[0], photos[1:]
	return leave, analyze.CheckPhotos(photos)
}

// checkNumber refuses more photos than fit into a question before they are read.
func checkNumber(n int) error {
	if n <= analyze.MaxPhotos {
		return nil
	}
	return analyze.CheckPhotos(make([]*photo.Photo, n))
}

// room takes room for what is to be fetched, as much as the objects really have.
func (in *Intake) room(ctx context.Context, sources []Source) (leave func(), err error) {
	var bytes int64
	for _, s := range sources {
		if s.URI == "" {
			continue
		}
		origin, err := in.locate(s.URI)
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
	return in.Memory.Enter(ctx, Held(bytes))
}

// open makes the photo of s, and says which generation of the object at its URI
// that is.
func (in *Intake) open(ctx context.Context, s Source) (p *photo.Photo, generation int64, err error) {
	if s.URI != "" {
		origin, err := in.locate(s.URI)
		if err != nil {
			return nil, 0, err
		}
		if s.Data, generation, err = in.Objects.Read(ctx, blob.Origin{Bucket: origin.Bucket, Name: origin.Name}, in.Limits.MaxBytes); err != nil {
			return nil, 0, err
		}
	}
	p, err = in.prepare(ctx, s.Data)
	return p, generation, err
}
