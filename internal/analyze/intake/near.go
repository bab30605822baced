package intake

import (
	"context"
	"log/slog"
	"time"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/phash"
)

// A Near says what photos that look like one of this hash were found to be, the
// nearest first. They are candidates for the photo, no more.
type Near func(context.Context, phash.Hash) ([]catalog.Match, error)

// looks is the perceptual hash of p if d asks for photos that look alike, else 0.
// It is 0 as well where there is nothing to go by: a photo of one colour looks
// like every other one, and HEIC is not decoded here. The error is that there is no
// room.
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

// nearPatience is how long photos that look alike are waited for.
const nearPatience = 2 * time.Second

// nearDuplicates asks d for photos that look alike. They only help: a photo whose store of
// them cannot be reached in time is analysed without.
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
