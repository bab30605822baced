package barcode

import (
	"context"
	"image"
)

// most is the largest number of boxes read in one picture.
const most = 8

// ReadIn returns the codes of img in boxes: y0, x0, y1, x1 in thousandths of the picture.
// Boxes come from a model and may be off by a tenth of their size or a little more. Each is
// widened by a quarter of its longer side on each side and read in the original pixels,
// upright or rotated. ReadIn looks for the symbologies of Read, then for GS1 DataBar,
// ITF-14, GS1-128 and DataBar Expanded, of which two reads must agree. It ignores boxes
// after the first 8.
// The Box of a code refers to the whole picture. ReadIn returns nil when ctx ends or img
// cannot be read.
func ReadIn(ctx context.Context, img image.Image, boxes [][4]int) []Code {
	return guarded(func() []Code { return readBoxes(ctx, img, boxes) })
}

func readBoxes(ctx context.Context, img image.Image, boxes [][4]int) (codes []Code) {
	if img.Bounds().Empty() {
		return nil
	}
	b := img.Bounds()
	whole := view{img: img, from: b, plane: plane{width: b.Dx(), height: b.Dy()}}
	for _, at := range boxes[:min(len(boxes), most)] {
		for _, c := range whole.codesIn(ctx, at) {
			codes = unique(codes, c)
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return codes
}

// codesIn returns the codes in a box given in thousandths. It stops at the first group of
// symbologies with a result, because a box surrounds one code.
func (v *view) codesIn(ctx context.Context, at [4]int) []Code {
	part := v.part(v.pixels(at), closely)
	defer part.plane.release()
	if codes := part.bars(ctx, true); len(codes) > 0 {
		return codes
	}
	less := v.part(v.pixels(at), surroundings)
	defer less.plane.release()
	for _, read := range []func(context.Context) []Code{less.matrixCodesIn, part.linearCodes} {
		if codes := read(ctx); len(codes) > 0 {
			return codes
		}
	}
	return nil
}

// pixels converts a box from thousandths to pixels of the picture.
func (v *view) pixels(at [4]int) box {
	w, h := float32(v.plane.width)/1000, float32(v.plane.height)/1000
	y0, y1 := min(at[0], at[2]), max(at[0], at[2])
	x0, x1 := min(at[1], at[3]), max(at[1], at[3])
	in := func(v int) float32 { return float32(max(0, min(1000, v))) }
	return box{in(x0) * w, in(y0) * h, in(x1) * w, in(y1) * h}
}
