package intake

import (
	"context"
	"log/slog"
	"time"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/phash"
)

// A Near returns the products of photos with a similar perceptual hash, the nearest
// first. They are only candidates for the photo.
type Near func(context.Context, phash.Hash) ([]catalog.Match, error)

// looks returns the perceptual hash of p if d.Near is set, else 0. It is also 0 if
// there is no useful hash: photos of one colour all look alike, and HEIC is not
// decoded here. The error is an *admission.Busy or ctx's: there is no free memory.
func (in *Intake) looks(ctx context.Context, p *photo.Photo, d Delivery) (phash.Hash, error) {
	if d.Near == nil {
		return 0, nil
	}
	var need int64
	if p.HeldBytes() == 0 {
		var err error
		if need, err = p.PixelMemory(in.Limits, false); err != nil {
			slog.InfoContext(ctx, "no near duplicates sought", "object", d.URI(), "reason", err)
			return 0, nil
		}
	}
	done, err := in.Memory.AcquireWork(ctx, need)
	if err != nil {
		return 0, err
	}
	defer done()
	grey, err := p.Brightness(in.Limits)
	if err != nil {
		slog.InfoContext(ctx, "no near duplicates sought", "object", d.URI(), "reason", err)
		return 0, nil
	}
	return phash.Of(grey), nil
}

// nearPatience bounds the search for near duplicates.
const nearPatience = 2 * time.Second

// nearDuplicates asks d.Near for near duplicates. If that fails or takes too long,
// the photo is analysed without them.
func nearDuplicates(ctx context.Context, d Delivery, looks phash.Hash) []catalog.Match {
	ctx, cancel := context.WithTimeout(ctx, nearPatience)
	defer cancel()
	found, err := d.Near(ctx, looks)
	if err != nil {
		slog.WarnContext(ctx, "no near duplicates found", "object", d.URI(), "error", err)
		return nil
	}
	return found
}
