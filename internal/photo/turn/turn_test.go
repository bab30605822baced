package turn_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"testing"

	"github.com/gen2brain/jpegn"

	"example.com/whatis/internal/photo/turn"
)

// picture returns a picture whose parts all differ.
func picture(width, height int, ratio image.YCbCrSubsampleRatio) *image.YCbCr {
	m := image.NewYCbCr(image.Rect(0, 0, width, height), ratio)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Y {
		x, y := i%m.YStride, i/m.YStride
		m.Y[i] = byte(40 + 150*x/width + 40*y/height + r.IntN(20))
	}
	for i := range m.Cb {
		x, y := i%m.CStride, i/m.CStride
		m.Cb[i], m.Cr[i] = byte(x*2), byte(255-y*2)
	}
	return m
}

func encoded(t testing.TB, m image.Image, o *jpegn.EncodeOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpegn.Encode(&b, m, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decoded(t testing.TB, data []byte) image.Image {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("the turned JPEG is not decoded: %v", err)
	}
	return img
}

// stored returns the place in the stored picture, of that size, of what is upright at x, y.
func stored(orientation, x, y int, size image.Point) (int, int) {
	right, bottom := size.X-1, size.Y-1
	p := [...]image.Point{1: {x, y}, 2: {right - x, y}, 3: {right - x, bottom - y}, 4: {x, bottom - y},
		5: {y, x}, 6: {y, bottom - x}, 7: {right - y, bottom - x}, 8: {right - y, x}}[orientation]
	return p.X, p.Y
}

// Each pixel comes to its place, in all eight ways, with each subsampling, restart markers,
// tables made for the picture, and sides that are no multiple of a block.
func TestJPEG(t *testing.T) {
	ratios := map[string]image.YCbCrSubsampleRatio{
		"4:4:4": image.YCbCrSubsampleRatio444, "4:2:2": image.YCbCrSubsampleRatio422, "4:4:0": image.YCbCrSubsampleRatio440, "4:2:0": image.YCbCrSubsampleRatio420,
	}
	for name, ratio := range ratios {
		for _, size := range []image.Point{{96, 160}, {1609, 80}, {112, 1607}} {
			for _, o := range []*jpegn.EncodeOptions{{Quality: 90}, {Quality: 95, RestartInterval: 7, OptimizeCoding: true}} {
				data := encoded(t, picture(size.X, size.Y, ratio), o)
				for orientation := 1; orientation <= 8; orientation++ {
					t.Run(fmt.Sprint(name, size, o.OptimizeCoding, orientation), func(t *testing.T) { checkTurned(t, data, orientation) })
				}
			}
		}
	}
}

func TestGrey(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 1601, 1700))
	for i := range m.Pix {
		m.Pix[i] = byte(i%m.Stride/7 + i/m.Stride/11)
	}
	data := encoded(t, m, &jpegn.EncodeOptions{Quality: 90})
	for orientation := 1; orientation <= 8; orientation++ {
		checkTurned(t, data, orientation)
	}
}

func checkTurned(t *testing.T, data []byte, orientation int) {
	t.Helper()
	out, err := turn.JPEG(data, orientation)
	if err != nil {
		t.Fatal(err)
	}
	before, after := decoded(t, data), decoded(t, out)
	from, to := before.Bounds().Size(), after.Bounds().Size()
	upright := to
	if orientation > 4 {
		to = image.Pt(to.Y, to.X)
	}
	if from.X-to.X > 15 || from.Y-to.Y > 15 || to.X > from.X || to.Y > from.Y {
		t.Fatalf("turned from %v to %v, as stored; want at most 15 pixels less", from, to)
	}
	far, worst := 0, 0
	for y := 0; y < upright.Y; y += 5 {
		for x := 0; x < upright.X; x += 7 {
			sx, sy := stored(orientation, x, y, to)
			d := distance(before.At(sx, sy), after.At(x, y))
			worst = max(worst, d)
			if d > 3 { // inverse transforms round rows and columns differently
				far++
			}
		}
	}
	if far > 0 {
		t.Errorf("orientation %d: %d pixels differ by more than 3, one by %d", orientation, far, worst)
	}
}

func distance(a, b color.Color) (most int) {
	ya, yb := luma(a), luma(b)
	for i := range ya {
		most = max(most, ya[i]-yb[i], yb[i]-ya[i])
	}
	return most
}

func luma(c color.Color) [3]int {
	if g, ok := c.(color.Gray); ok {
		return [3]int{int(g.Y)}
	}
	y := c.(color.YCbCr)
	return [3]int{int(y.Y), int(y.Cb), int(y.Cr)}
}

// Nothing is lost: turned there and back, the pixels are the same.
func TestThereAndBack(t *testing.T) {
	data := encoded(t, picture(1600, 1616, image.YCbCrSubsampleRatio420), &jpegn.EncodeOptions{Quality: 85, OptimizeCoding: true})
	for orientation, back := range map[int]int{2: 2, 3: 3, 4: 4, 5: 5, 6: 8, 7: 7, 8: 6} {
		out, err := turn.JPEG(data, orientation)
		if err == nil {
			out, err = turn.JPEG(out, back)
		}
		if err != nil {
			t.Fatal(err)
		}
		a, b := decoded(t, data).(*image.YCbCr), decoded(t, out).(*image.YCbCr)
		if !bytes.Equal(a.Y, b.Y) || !bytes.Equal(a.Cb, b.Cb) || !bytes.Equal(a.Cr, b.Cr) {
			t.Errorf("turned by %d and back, pixels differ", orientation)
		}
	}
}

func TestUnsupported(t *testing.T) {
	small := encoded(t, picture(100, 100, image.YCbCrSubsampleRatio420), &jpegn.EncodeOptions{Quality: 90})
	large := encoded(t, picture(1600, 1600, image.YCbCrSubsampleRatio420), &jpegn.EncodeOptions{Quality: 90})
	tests := map[string][]byte{
		"progressive":     encoded(t, picture(1600, 1600, image.YCbCrSubsampleRatio420), &jpegn.EncodeOptions{Quality: 90, Progressive: true}),
		"4 of 100 pixels": small,
		"half of it":      large[:len(large)/2],
		"headers only":    large[:bytes.Index(large, []byte{0xff, 0xda})],
		"nothing":         nil,
		"no JPEG":         []byte("GIF89a, and more"),
	}
	for name, data := range tests {
		if _, err := turn.JPEG(data, 3); err != turn.ErrUnsupported {
			t.Errorf("%s = %v, want ErrUnsupported", name, err)
		}
	}
	if _, err := turn.JPEG(large, 9); err != turn.ErrUnsupported {
		t.Errorf("orientation 9 = %v, want ErrUnsupported", err)
	}
}

// What can be decoded still can be when it is turned, and has a quarter more bytes at most.
func FuzzJPEG(f *testing.F) {
	for _, o := range []*jpegn.EncodeOptions{{Quality: 50}, {Quality: 90, RestartInterval: 2, OptimizeCoding: true}} {
		f.Add(encoded(f, picture(64, 48, image.YCbCrSubsampleRatio420), o), 6)
		f.Add(encoded(f, picture(64, 64, image.YCbCrSubsampleRatio444), o), 3)
	}
	f.Fuzz(func(t *testing.T, data []byte, orientation int) {
		out, err := turn.JPEG(data, orientation)
		if err != nil {
			return
		}
		if len(out) > len(data)*5/4+1000 {
			t.Errorf("%d bytes of %d, want a quarter more at most", len(out), len(data))
		}
		if _, err := jpegn.Decode(bytes.NewReader(data), nil); err != nil {
			return
		}
		if _, err := jpegn.Decode(bytes.NewReader(out), nil); err != nil {
			t.Errorf("turned, it is not decoded any more: %v", err)
		}
	})
}
