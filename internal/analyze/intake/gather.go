package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/usererror"
)

// maxSources is how many photos a question may name: the copies among them count once.
const maxSources = 20

// gather reads the files of a and sets their photos in the request, with hashes only.
func (a *asked) gather(ctx context.Context) (err error) {
	if len(a.sources) > maxSources {
		return fmt.Errorf("%w: there are %d, and %d at most are taken together: leave some out", analyze.ErrTooMany, len(a.sources), maxSources)
	}
	if a.leave, err = a.in.reserve(ctx, a.sources); err != nil {
		return err
	}
	var photos []*photo.Photo
	read := map[string]photo.Upload{} // by SHA-256
	for i, s := range a.sources {
		u, from, err := a.in.readUpload(ctx, s, read)
		if err != nil {
			return ofPhoto(i, len(a.sources), analyze.Origin{File: s.File, URI: s.URI}, err)
		}
		a.uploads, photos = append(a.uploads, u), append(photos, photoByHash(u))
		if err := analyze.CheckPhotos(photos); err != nil {
			return err
		}
		a.req.Origins = append(a.req.Origins, from)
	}
	a.req.Photo, a.req.More = photos[0], photos[1:]
	first := &a.req.Origins[0]
	first.Thumbnail = len(a.thumbnail) > 0
	if len(photos) == 1 && !a.in.KeepThumbnails {
		first.File, first.Thumbnail = "", false
	}
	return nil
}

// readUpload reads s. If its bytes are among those that were read, it returns those, so that
// copies are held once.
func (in *Intake) readUpload(ctx context.Context, s Source, read map[string]photo.Upload) (u photo.Upload, from analyze.Origin, err error) {
	from = analyze.Origin{File: s.File, URI: s.URI}
	data, generation, err := in.readSource(ctx, s)
	if err != nil {
		return u, from, err
	}
	from.Generation = generation
	u = photo.NewUpload(data)
	if same, ok := read[u.SHA256]; ok {
		return same, from, nil
	}
	read[u.SHA256] = u
	return u, from, nil
}

// reserve reserves memory for the objects to be fetched, by their real sizes.
func (in *Intake) reserve(ctx context.Context, sources []Source) (leave func(), err error) {
	var bytes int64
	for i, s := range sources {
		if s.URI == "" {
			continue
		}
		if err := in.mayRead(ctx); err != nil {
			return nil, err
		}
		origin, err := in.readableObject(s.URI)
		var size int64
		if err == nil {
			size, err = in.Objects.Size(ctx, origin)
		}
		if err != nil {
			return nil, ofPhoto(i, len(sources), analyze.Origin{File: s.File, URI: s.URI}, err)
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

// A photoError is an error of one of several photos.
type photoError struct {
	i, of int    // its index, and how many there are
	which string // "photo 2 of 3, back.jpg"
	text  string // of err, for callers
	err   error
}

// Error names the photo before its error.
func (e *photoError) Error() string { return e.which + ": " + e.err.Error() }

// Public names the photo before what callers may read of its error.
func (e *photoError) Public() string { return e.which + ": " + e.text }

// Unwrap returns the error of the photo.
func (e *photoError) Unwrap() error { return e.err }

// ofPhoto returns err as that of the photo with index i of several, so that whoever sent
// them knows which to replace. Too little memory is no fault of a photo.
func ofPhoto(i, of int, from analyze.Origin, err error) error {
	var busy *admission.Busy
	text, ok := usererror.Message(err)
	if of < 2 || !ok || errors.As(err, &busy) {
		return err
	}
	which := fmt.Sprintf("photo %d of %d", i+1, of)
	if name := cmp.Or(from.File, from.URI); name != "" {
		which += ", " + usererror.Short(name, 2*usererror.Quoted)
	}
	return &photoError{i, of, which, text, err}
}
