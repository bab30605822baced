package barcode

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
)

// spoil contains the kinds of damage to a photo.
var spoil = map[string]func(image.Image, *rand.Rand) image.Image{
	"turned 4°":   func(m image.Image, r *rand.Rand) image.Image { return warp(m, 4, 1, 1) },
	"turned -9°":  func(m image.Image, r *rand.Rand) image.Image { return warp(m, -9, 1, 1) },
	"turned 17°":  func(m image.Image, r *rand.Rand) image.Image { return warp(m, 17, 1, 1) },
	"turned 45°":  func(m image.Image, r *rand.Rand) image.Image { return warp(m, 45, 1, 1) },
	"turned 90°":  func(m image.Image, r *rand.Rand) image.Image { return warp(m, 90, 1, 1) },
	"turned 181°": func(m image.Image, r *rand.Rand) image.Image { return warp(m, 181, 1, 1) },
	"half":        func(m image.Image, r *rand.Rand) image.Image { return warp(m, 0, 0.5, 0.5) },
	"0.7":         func(m image.Image, r *rand.Rand) image.Image { return warp(m, 1, 0.7, 0.7) },
	"1.3":         func(m image.Image, r *rand.Rand) image.Image { return warp(m, 0, 1.3, 1.3) },
	"narrow":      func(m image.Image, r *rand.Rand) image.Image { return warp(m, 2, 0.6, 1) },
	"low":         func(m image.Image, r *rand.Rand) image.Image { return warp(m, 0, 1, 0.6) },
	"blurred":     func(m image.Image, r *rand.Rand) image.Image { return warp(warp(m, 0, 0.5, 0.5), 0, 2, 2) },
	"q40":         func(m image.Image, r *rand.Rand) image.Image { return compressed(m, 40) },
	"q15":         func(m image.Image, r *rand.Rand) image.Image { return compressed(m, 15) },
	"noise":       func(m image.Image, r *rand.Rand) image.Image { return noisy(m, 12, r) },
	"much noise":  func(m image.Image, r *rand.Rand) image.Image { return noisy(m, 30, r) },
	"dim":         func(m image.Image, r *rand.Rand) image.Image { return dimmed(m, 0.12) },
	"blurred, noise": func(m image.Image, r *rand.Rand) image.Image {
		return noisy(warp(warp(m, 3, 0.6, 0.6), 0, 1.7, 1.7), 9, r)
	},
}

// warp rotates img by degrees about its middle and scales it.
func warp(img image.Image, degrees, sx, sy float64) image.Image {
	b := img.Bounds()
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	w, h := float64(b.Dx()), float64(b.Dy())
	ow := (math.Abs(w*cos) + math.Abs(h*sin)) * sx
	oh := (math.Abs(w*sin) + math.Abs(h*cos)) * sy
	m := f64.Aff3{cos * sx, -sin * sx, 0, sin * sy, cos * sy, 0}
	m[2] = ow/2 - (m[0]*w/2 + m[1]*h/2)
	m[5] = oh/2 - (m[3]*w/2 + m[4]*h/2)
	out := image.NewGray(image.Rect(0, 0, int(ow), int(oh)))
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	draw.BiLinear.Transform(out, m, img, b, draw.Src, nil)
	return out
}

func compressed(img image.Image, quality int) image.Image {
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: quality}); err != nil {
		panic(err)
	}
	out, err := jpeg.Decode(&buf)
	if err != nil {
		panic(err)
	}
	return out
}

func noisy(img image.Image, sigma float64, r *rand.Rand) image.Image {
	return mapped(img, func(v float64) float64 { return v + sigma*r.NormFloat64() })
}

func dimmed(img image.Image, part float64) image.Image {
	return mapped(img, func(v float64) float64 { return v*part + 20 })
}

func mapped(img image.Image, f func(float64) float64) image.Image {
	p := grey(img, img.Bounds(), 1<<30)
	out := image.NewGray(image.Rect(0, 0, p.width, p.height))
	for i, v := range p.pix {
		out.Pix[i] = uint8(max(0, min(255, f(float64(v)))))
	}
	return out
}
