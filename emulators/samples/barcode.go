package samples

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// Bars of the digits, a bit a module, most significant first; each of the
// three sets has seven modules a digit (GS1 General Specifications, 5.2).
var (
	setA = [10]uint8{0x0d, 0x19, 0x13, 0x3d, 0x23, 0x31, 0x2f, 0x3b, 0x37, 0x0b}
	setB = [10]uint8{0x27, 0x33, 0x1b, 0x21, 0x1d, 0x39, 0x05, 0x11, 0x09, 0x17}
	setC = [10]uint8{0x72, 0x66, 0x6c, 0x42, 0x5c, 0x4e, 0x50, 0x44, 0x48, 0x74}

	// useB has a bit for each of the six left digits: by the first digit, which
	// is not drawn itself, some of them are of set B.
	useB = [10]uint8{0x00, 0x0b, 0x0d, 0x0e, 0x13, 0x19, 0x1c, 0x15, 0x16, 0x1a}
)

// modules returns the modules of an EAN-13 code, 95, or an EAN-8 code, 67: true for a bar.
func modules(gtin string) (m []bool) {
	add := func(bits uint8, n int) {
		for i := n - 1; i >= 0; i-- {
			m = append(m, bits>>i&1 == 1)
		}
	}
	first, rest := byte('0'), gtin // of an EAN-8, whose left digits are all of set A
	if len(gtin) == 13 {
		first, rest = gtin[0], gtin[1:]
	}
	half := len(rest) / 2
	add(0b101, 3)
	for i := range half {
		set := &setA
		if useB[first-'0']>>(half-1-i)&1 == 1 {
			set = &setB
		}
		add(set[rest[i]-'0'], 7)
	}
	add(0b01010, 5)
	for _, digit := range rest[half:] {
		add(setC[digit-'0'], 7)
	}
	add(0b101, 3)
	return m
}

// drawBars draws a code of 8 or 13 digits on a white panel with a quiet zone of 12 modules.
// The bars begin at at; module and height are in pixels.
func drawBars(m draw.Image, at image.Point, module, height int, gtin string) {
	bars := modules(gtin)
	panel := image.Rect(at.X-12*module, at.Y-4*module, at.X+(len(bars)+12)*module, at.Y+height+4*module)
	draw.Draw(m, panel, image.White, image.Point{}, draw.Src)
	for i, bar := range bars {
		if bar {
			x := at.X + i*module
			draw.Draw(m, image.Rect(x, at.Y, x+module, at.Y+height), image.NewUniform(color.Gray{0x11}), image.Point{}, draw.Src)
		}
	}
}

// Barcode returns a PNG of nothing but a code of 8 or 13 digits, with so many pixels about its
// quiet zone: photos of one code with other margins are other photos.
func Barcode(digits string, margin int) []byte {
	const module, height = 4, 200
	at := image.Pt(12*module+margin, 4*module+margin)
	m := image.NewGray(image.Rect(0, 0, len(modules(digits))*module+2*at.X, height+2*at.Y))
	draw.Draw(m, m.Rect, image.White, image.Point{}, draw.Src)
	drawBars(m, at, module, height, digits)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err) // into memory: only of an empty picture
	}
	return b.Bytes()
}
