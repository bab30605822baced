package intake

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/usererror"
)

// A group is the photos of a delivery that has several. One that cannot be used is left
// out, and does not keep the others from an answer.
type group struct {
	uploads []photo.Upload
	origins []analyze.Origin // of uploads
	left    []analyze.Image  // the photos that were left out, with the reasons
}

// openGroup reads the photos of w, and computes their hashes.
func (w *delivered) openGroup(ctx context.Context) (err error) {
	members := append([]Object{w.d.Object}, w.d.More...)
	if len(members) > MaxGroup {
		return fmt.Errorf("%w: the group of %s has more than the %d that one product may have: give each product a folder of its own, or upload them without group", analyze.ErrTooMany, w.d.subject().URI(), MaxGroup)
	}
	var bytes int64
	for _, o := range members {
		bytes += w.in.size(o)
	}
	if w.leave, err = w.in.Memory.Acquire(ctx, MemoryFor(bytes)); err != nil {
		return err
	}
	w.group = &group{}
	if err := w.group.read(ctx, w.in, members); err != nil {
		return err
	}
	w.req.Origins = w.group.origins
	w.req.Photo, w.req.More = photoByHash(w.group.uploads[0]), nil
	for _, u := range w.group.uploads[1:] {
		w.req.More = append(w.req.More, photoByHash(u))
	}
	w.CacheKey, w.Tags = w.in.Pipeline.Key(w.req), w.req.Hashes()
	w.Notes = w.in.notes(w.Tags)
	return nil
}

// read reads members, as many different ones as are looked at together. If none can be
// read, it returns why the first cannot.
func (g *group) read(ctx context.Context, in *Intake, members []Object) error {
	var first error
	seen := map[string]photo.Upload{}
	for i, o := range members {
		from := analyze.Origin{URI: o.URI(), Generation: o.Generation}
		data, _, err := in.Objects.Read(ctx, o.ObjectRef, in.Limits.MaxBytes)
		switch {
		case errors.Is(err, blob.ErrNotFound), errors.Is(err, blob.ErrTooLarge), errors.Is(err, blob.ErrEncoding):
			g.leaveOut(from, err)
			if first == nil || errors.Is(first, blob.ErrNotFound) {
				first = ofPhoto(i, len(members), from, err)
			}
			continue
		case err != nil:
			return err
		}
		u := photo.NewUpload(data)
		if same, ok := seen[u.SHA256]; ok {
			u = same
		} else if len(seen) == analyze.MaxPhotos {
			g.leaveOut(from, usererror.Errorf("intake", "%d different photos are looked at together, and it is one more", analyze.MaxPhotos))
			continue
		}
		seen[u.SHA256] = u
		g.uploads, g.origins = append(g.uploads, u), append(g.origins, from)
	}
	if len(g.uploads) == 0 {
		return first
	}
	return nil
}

func (g *group) leaveOut(from analyze.Origin, err error) {
	g.left = append(g.left, analyze.Image{URI: from.URI, Generation: from.Generation, Error: usererror.Text(err)})
}

// prepare sets the prepared photos in req. Those that are no usable photos are left out;
// if all are, it returns why the first is.
func (g *group) prepare(ctx context.Context, in *Intake, req *analyze.Request) (release func(), err error) {
	a := &album{in: in, uploads: g.uploads, origins: g.origins, photos: make([]*photo.Photo, len(g.uploads)), bad: map[int]error{}}
	if err = a.prepareAll(ctx); err == nil && len(a.bad) == len(g.uploads) {
		err = a.bad[0]
	}
	if err == nil {
		req.LeftOut = g.drop(a)
	}
	if release, err = a.into(ctx, req, err); err != nil {
		return nil, err
	}
	g.uploads = nil // where metadata were removed, frees the original files
	req.Origins = a.origins
	return release, nil
}

// dropAgain leaves those photos out of req that an earlier result of the same photos left out.
func (g *group) dropAgain(earlier analyze.Result, req *analyze.Request) {
	a := &album{uploads: g.uploads, origins: g.origins, photos: req.Photos(), bad: map[int]error{}}
	for i, u := range g.uploads {
		for _, known := range earlier.MoreImages {
			if known.SHA256 == u.SHA256 && known.Error != "" {
				a.bad[i] = usererror.New("intake", known.Error)
			}
		}
	}
	req.LeftOut = g.drop(a)
	req.Photo, req.More = a.photos[0], a.photos[1:]
	req.Origins = a.origins
}

// drop leaves the bad photos of a out, and returns their SHA-256.
func (g *group) drop(a *album) (bad []string) {
	for _, i := range slices.Backward(slices.Sorted(maps.Keys(a.bad))) {
		image := analyze.Image{URI: a.origins[i].URI, Generation: a.origins[i].Generation, SHA256: a.uploads[i].SHA256}
		var of *photoError
		text := usererror.Text(a.bad[i])
		if errors.As(a.bad[i], &of) {
			text = of.text
		}
		image.Error = text
		bad = append(bad, image.SHA256)
		g.left = slices.Insert(g.left, 0, image)
		a.photos, a.origins, a.uploads = slices.Delete(a.photos, i, i+1), slices.Delete(slices.Clone(a.origins), i, i+1), slices.Delete(slices.Clone(a.uploads), i, i+1)
	}
	a.bad = nil
	return bad
}

// note adds the photos that were left out to r.
func (g *group) note(r *analyze.Result) {
	r.MoreImages = append(r.MoreImages, g.left...)
	if slices.ContainsFunc(r.MoreImages, func(i analyze.Image) bool { return i.Error != "" }) {
		r.Warnings = append(r.Warnings, warnPhotosLeftOut)
	}
}
