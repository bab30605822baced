package photo

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"testing"
)

// striped returns a white picture, width × height, with a black bar over the middle fifth
// of its height.
func striped(t *testing.T, width, height int, asJPEG bool) *Photo {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(m, m.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(m, image.Rect(0, height*2/5, width, height*3/5), image.Black, image.Point{}, draw.Src)
	var b bytes.Buffer
	err := png.Encode(&b, m)
	if asJPEG {
		b.Reset()
		err = jpeg.Encode(&b, m, &jpeg.Options{Quality: 95})
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(b.Bytes(), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func grey(t *testing.T, m image.Image, x, y int) uint8 {
	t.Helper()
	return color.GrayModel.Convert(m.At(x, y)).(color.Gray).Y
}

// A box is painted over, the rest is unchanged, and the photo keeps its identity.
func TestMask(t *testing.T) {
	for _, asJPEG := range []bool{false, true} {
		p := striped(t, 400, 300, asJPEG)
		m, err := p.Mask([][4]int{{380, 0, 620, 500}}, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if m.SHA256 != p.SHA256 || m.Width != 400 || m.Height != 300 || m.MIMEType != p.MIMEType || bytes.Equal(m.Sent, p.Sent) {
			t.Errorf("Mask = %s %d × %d %s, want the original's, with other bytes to send", m.SHA256, m.Width, m.Height, m.MIMEType)
		}
		img, err := m.Pixels(Limits{})
		if err != nil {
			t.Fatal(err)
		}
		within, edge := grey(t, img, 100, 150), grey(t, img, 100, 118)
		if within < 60 || within > 160 || max(within, edge)-min(within, edge) > 6 {
			t.Errorf("JPEG %v: the box is of greys %d and %d, want one flat mean of black and white", asJPEG, within, edge)
		}
		if bar, paper := grey(t, img, 350, 150), grey(t, img, 350, 30); bar > 12 || paper < 243 {
			t.Errorf("JPEG %v: away from the box %d and %d, want black and white", asJPEG, bar, paper)
		}
	}
}

// Boxes at the edge, over the whole picture and of no size are painted as far as they are
// inside.
func TestMaskAtTheEdges(t *testing.T) {
	for _, box := range [][4]int{{0, 0, 1000, 1000}, {900, 900, 1000, 1000}, {0, 0, 1, 1}, {500, 500, 500, 500}} {
		if _, err := striped(t, 7, 5, false).Mask([][4]int{box}, Limits{}); err != nil {
			t.Errorf("Mask of %v = %v, want it painted", box, err)
		}
	}
}

func TestMaskRefuses(t *testing.T) {
	for _, sent := range [][]byte{nil, []byte("no picture"), []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"), striped(t, 40, 30, false).Sent[:60]} {
		m, err := (&Photo{Sent: sent}).Mask([][4]int{{0, 0, 10, 10}}, Limits{})
		var e *Error
		if !errors.As(err, &e) || m != nil {
			t.Errorf("Mask of %.12q = %v, %v, want an *Error", sent, m, err)
		}
	}
}
