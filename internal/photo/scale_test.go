package photo

import (
	"encoding/binary"
	"image"
	"image/color"
	"testing"
)

// Drawings and transparent pictures become PNG if that is smaller; photos and large
// transparent pictures become JPEG on white.
func TestPrepareScales(t *testing.T) {
	glass := gradient(300, 150)
	for i := 3; i < len(glass.Pix); i += 4 {
		glass.Pix[i] = 0
	}
	ruled := image.NewPaletted(image.Rect(0, 0, 1000, 500), color.Palette{white, red})
	wide := gradient(700, 2)
	tests := []struct {
		name, sent    string
		data          []byte
		width, height int
	}{
		{"JPEG", "image/jpeg", mirrored(progressive(t, gradient(400, 200))), 100, 50},
		{"grey JPEG", "image/jpeg", mirrored(progressive(t, grayOf(gradient(400, 200)))), 100, 50},
		{"PNG photo", "image/jpeg", mirrored(asPNG(t, gradient(400, 200))), 100, 50},
		{"PNG drawing", "image/png", mirrored(asPNG(t, ruled)), 100, 50},
		{"PNG transparent", "image/png", mirrored(asPNG(t, glass)), 100, 50},
		{"lossy WebP", "image/jpeg", mirrored(lossyWebP(400, 200)), 100, 50},
		{"thin", "image/jpeg", mirrored(asJPEG(t, wide)), 100, 1},
		{"CMYK", "image/jpeg", flatJPEG{width: 64, height: 32, components: 4}.file(), 64, 32},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := Prepare(test.data, Limits{MaxSide: 100})
			if err != nil {
				t.Fatalf("Prepare = %v", err)
			}
			if p.SentType != test.sent {
				t.Errorf("SentType = %s, want %s", p.SentType, test.sent)
			}
			checkSent(t, p, test.width, test.height)
		})
	}
}

// mirrored returns a file whose metadata declares a mirror image (orientation 2), so that
// its pixels must be decoded, except those of a baseline JPEG.
func mirrored(data []byte) []byte {
	tag := exif(binary.LittleEndian, 2)
	switch {
	case starts(data, "\xff\xd8"):
		return jpegWithExif(data, tag)
	case starts(data, pngSignature):
		return withChunks(data, pngChunk("eXIf", tag))
	}
	width, height, _ := vp8Size(data[20:])
	return riff(vp8x(webpExif, width, height), data[12:], chunk("EXIF", tag))
}

func grayOf(m image.Image) *image.Gray {
	g := image.NewGray(m.Bounds())
	for y := range g.Rect.Dy() {
		for x := range g.Rect.Dx() {
			g.Set(x, y, m.At(x, y))
		}
	}
	return g
}

// Scaling keeps a flat colour flat and a gradient's middle in the middle.
func TestScaleKeepsColours(t *testing.T) {
	m := gradient(400, 240)
	p, err := Prepare(mirrored(asPNG(t, m)), Limits{MaxSide: 100})
	if err != nil {
		t.Fatal(err)
	}
	img := checkSent(t, p, 100, 60)
	for _, at := range []image.Point{{4, 4}, {50, 30}, {96, 56}} {
		want := m.NRGBAAt(399-(at.X*4+2), at.Y*4+2)
		r, g, _, _ := img.At(at.X, at.Y).RGBA()
		if dr, dg := int(r>>8)-int(want.R), int(g>>8)-int(want.G); max(dr, -dr, dg, -dg) > 6 {
			t.Errorf("pixel %v = %d %d, want about %d %d", at, r>>8, g>>8, want.R, want.G)
		}
	}
}

// Where the kernel overshoots at sharp edges, premultiplied colours stay valid.
func TestScaleKeepsAlphaValid(t *testing.T) {
	m := noise(64, 64)
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = byte(i / 4 % 8 / 4 * 255) // bars, four pixels wide
	}
	out := fit(m, image.Pt(48, 48), 1).(*image.RGBA)
	for i := 0; i < len(out.Pix); i += 4 {
		if p := out.Pix[i:][:4]; max(p[0], p[1], p[2]) > p[3] {
			t.Fatalf("pixel %d = %v, a colour above its alpha", i/4, p)
		}
	}
}

// JPEG has no transparency: transparent pixels become white.
func TestTransparencyBecomesWhite(t *testing.T) {
	m := noise(160, 120)
	for i := 0; i < len(m.Pix)/2; i += 4 {
		copy(m.Pix[i:], []byte{0, 0, 0, 0})
	}
	p, err := Prepare(mirrored(asPNG(t, m)), Limits{MaxSide: 120})
	if err != nil {
		t.Fatal(err)
	}
	img := checkSent(t, p, 120, 90)
	if got := colourName(img.At(10, 10)); p.SentType != "image/jpeg" || got != "white" {
		t.Errorf("Prepare sends %s with %s where it was transparent, want image/jpeg with white", p.SentType, got)
	}
}

// A picture of too many bytes loses quality first, then size.
func TestPrepareFitsMaxSent(t *testing.T) {
	data := asPNG(t, noise(150, 100))
	for _, most := range []int{len(data), 15_000, 5000, 1000} {
		p, err := Prepare(data, Limits{MaxSent: most})
		if err != nil {
			t.Fatalf("Prepare with MaxSent %d = %v", most, err)
		}
		if len(p.Sent) > most {
			t.Errorf("Prepare with MaxSent %d sends %d bytes", most, len(p.Sent))
		}
	}
	if _, err := Prepare(data, Limits{MaxSent: 10}); codeOf(err) != TooManyBytes {
		t.Errorf("Prepare with MaxSent 10 = %v, want code %s", err, TooManyBytes)
	}
	if _, err := Prepare(heifRecipe{}.file(), Limits{MaxSent: 10}); codeOf(err) != TooManyBytes {
		t.Errorf("Prepare of a HEIC with MaxSent 10 = %v, want code %s", err, TooManyBytes)
	}
}
