package barcode

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"slices"

	"golang.org/x/image/draw"
)

// A way changes a drawing to look like a photo.
type way struct {
	name string
	do   func(img image.Image, r *rand.Rand) image.Image
}

func ways() []way {
	all := []way{}
	for _, px := range []float64{0.7, 1, 1.5, 2, 2.5, 3, 5, 9} {
		all = append(all, way{fmt.Sprintf("%.1f pixels a module", px), func(m image.Image, r *rand.Rand) image.Image { return at(m, px, 0) }})
	}
	for _, degrees := range []float64{5, -12, 23, 45, 67, 90, 171, 268} {
		all = append(all, way{fmt.Sprintf("3 pixels, turned %.0f°", degrees), func(m image.Image, r *rand.Rand) image.Image { return at(m, 3, degrees) }})
	}
	for _, tilt := range []float64{0.05, 0.1, 0.15, 0.2} {
		all = append(all, way{fmt.Sprintf("4 pixels, far side %.0f %% shorter", tilt*200), func(m image.Image, r *rand.Rand) image.Image {
			return tilted(at(m, 4, 0), tilt, r.IntN(4))
		}})
	}
	return append(all,
		way{"4 pixels, turned 20°, far side 20 % shorter", func(m image.Image, r *rand.Rand) image.Image { return tilted(at(m, 4, 20), 0.1, r.IntN(4)) }},
		way{"4 by 2.8 pixels, turned 8°", func(m image.Image, r *rand.Rand) image.Image { return warp(m, 8, 0.5, 0.35) }},
		way{"3 pixels, blurred over 2", func(m image.Image, r *rand.Rand) image.Image { return warp(at(m, 1.5, 0), 0, 2, 2) }},
		way{"3 pixels, blurred over 3", func(m image.Image, r *rand.Rand) image.Image { return warp(at(m, 1, 0), 0, 3, 3) }},
		way{"3 pixels, noise of 15", func(m image.Image, r *rand.Rand) image.Image { return noisy(at(m, 3, 0), 15, r) }},
		way{"3 pixels, noise of 40, turned 7°", func(m image.Image, r *rand.Rand) image.Image { return noisy(at(m, 3, 7), 40, r) }},
		way{"3 pixels, contrast of a twelfth", func(m image.Image, r *rand.Rand) image.Image { return flat(at(m, 3, 3)) }},
		way{"3 pixels, in a slanting light", func(m image.Image, r *rand.Rand) image.Image { return lit(at(m, 3, 4)) }},
		way{"3 pixels, JPEG of quality 25", func(m image.Image, r *rand.Rand) image.Image { return compressed(at(m, 3, 2), 25) }},
		way{"3 pixels, on stripes", func(m image.Image, r *rand.Rand) image.Image { return on(at(m, 3, 5)) }},
		way{"4 pixels, 3 stains", func(m image.Image, r *rand.Rand) image.Image { return stained(at(m, 4, 0), r) }},
		way{"3 pixels, all at once", func(m image.Image, r *rand.Rand) image.Image {
			return compressed(lit(noisy(tilted(warp(at(m, 1.8, 14), 0, 1.7, 1.7), 0.04, r.IntN(4)), 8, r)), 60)
		}},
	)
}

// tilted shortens one side of a picture by part at both ends, as in perspective.
func tilted(img image.Image, part float64, which int) image.Image {
	p := grey(img, img.Bounds(), 1<<30)
	out := white(p.width, p.height)
	k := 1/(1-2*part) - 1
	for y := range p.height {
		for x := range p.width {
			u, v := float64(x)/float64(p.width), float64(y)/float64(p.height)
			if which%2 == 1 {
				u, v = v, u
			}
			if which > 1 {
				v = 1 - v
			}
			u, v = (u-0.5)/(1-2*part*v)+0.5, v/(1+k-k*v)
			if which > 1 {
				v = 1 - v
			}
			if which%2 == 1 {
				u, v = v, u
			}
			if u > 0 && u < 1 && v > 0 && v < 1 {
				out.Pix[y*out.Stride+x] = p.value(u*float64(p.width), v*float64(p.height))
			}
		}
	}
	return out
}

// lit makes a picture darker towards the right.
func lit(img image.Image) image.Image {
	p := grey(img, img.Bounds(), 1<<30)
	out := white(p.width, p.height)
	for i, v := range p.pix {
		out.Pix[i] = uint8(float64(v)*(1-0.75*float64(i%p.width)/float64(p.width)) + 8)
	}
	return out
}

// stained covers three places with paint.
func stained(img image.Image, r *rand.Rand) image.Image {
	p := grey(img, img.Bounds(), 1<<30)
	out := &image.Gray{Pix: slices.Clone(p.pix), Stride: p.width, Rect: image.Rect(0, 0, p.width, p.height)}
	for range 3 {
		x, y := p.width/3+r.IntN(p.width/3), p.height/3+r.IntN(p.height/3)
		draw.Draw(out, image.Rect(x, y, x+6, y+6), image.NewUniform(color.Gray{uint8(r.IntN(256))}), image.Point{}, draw.Src)
	}
	return out
}
