package analyze

import (
	"context"
	"errors"
	"image"
	"log/slog"
	"runtime/debug"

	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/barcode"
)

// A pixelTask says what to do with the pixels of one photo. They are decoded for it
// and released before the next model call.
type pixelTask struct {
	codes codeWish
	paint [][4]int // boxes to paint over, in thousandths
}

// scanAndPaint does t with the pixels of ph once there is memory for them. A photo
// that cannot be decoded has no codes and is not painted on: masked is nil. The
// error is an *admission.Busy, or ctx's.
func (p *Pipeline) scanAndPaint(ctx context.Context, ph *photo.Photo, t pixelTask) (codes []barcode.Code, masked *photo.Photo, err error) {
	if !t.codes.read && len(t.paint) == 0 {
		return nil, nil, nil
	}
	defer ph.Release()
	release, err := ph.Reserve(ctx, p.Memory, p.limits(), len(t.paint) > 0)
	var fault *photo.Error
	if errors.As(err, &fault) {
		slog.InfoContext(ctx, "pixels not looked at", "photo", ph.SHA256, "reason", err)
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer release()
	return p.recovering(ctx, ph, t)
}

// limits returns the memory limit for decoded pixels.
func (p *Pipeline) limits() photo.Limits { return photo.Limits{MaxMemory: p.Memory.MaxWork()} }

// recovering does t and recovers from a panic: the photo then has no codes.
func (p *Pipeline) recovering(ctx context.Context, ph *photo.Photo, t pixelTask) (codes []barcode.Code, masked *photo.Photo, err error) {
	defer func() {
		if v := recover(); v != nil {
			slog.ErrorContext(ctx, "pixels panicked", "photo", ph.SHA256, "panic", v, "stack", string(debug.Stack()))
			codes, masked, err = nil, nil, nil
		}
	}()
	var fault error
	if t.codes.read {
		var img image.Image
		if img, fault = ph.ForCodes(p.limits()); fault == nil {
			codes = t.codes.of(ctx, img)
		}
	}
	if fault == nil && len(t.paint) > 0 { // on the pixels that were decoded for the codes, if they were
		masked, fault = ph.Mask(t.paint, p.limits())
	}
	if fault != nil {
		slog.InfoContext(ctx, "pixels not looked at", "photo", ph.SHA256, "reason", fault)
	}
	return codes, masked, ctx.Err()
}
