package answers

import (
	"image"

	"golang.org/x/image/draw"
)

// readingSide is the longest side, in pixels, of the picture in which barcodes and text
// are read.
const readingSide = 1600

// greyOf returns img in greyscale, scaled down to at most side pixels a side.
func greyOf(img image.Image, side int) *image.Gray {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	if longest := max(w, h); longest > side {
		w, h = max(1, w*side/longest), max(1, h*side/longest)
	}
	grey := image.NewGray(image.Rect(0, 0, w, h))
	if w == b.Dx() {
		draw.Draw(grey, grey.Rect, img, b.Min, draw.Src)
	} else {
		draw.ApproxBiLinear.Scale(grey, grey.Rect, img, b, draw.Src, nil)
	}
	return grey
}
