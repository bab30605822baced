package photo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"testing"

	"github.com/gen2brain/jpegn"
)

// A truncated file is detected wherever it was cut, and whatever looks like an end inside it.
// One that lacks only its end marker, or half of it, is accepted and gets one.
func TestCutJPEG(t *testing.T) {
	plain := asJPEG(t, gradient(80, 48))
	thumbnail := exif(binary.LittleEndian, 1)
	thumbnail = append(thumbnail, asJPEG(t, gradient(16, 8))...) // with an end marker of its own
	tests := map[string][]byte{
		"plain":            plain,
		"thumbnail":        jpegWithExif(plain, thumbnail),
		"restart markers":  flatJPEG{width: 80, height: 48, components: 3, restart: 7}.file(),
		"progressive":      progressive(t, gradient(80, 48)),
		"two pictures":     append(withSegments(plain, segment(0xe2, "MPF\x00")), plain...),
		"a video behind":   append(bytes.Clone(plain), "\x00\x00\x00\x18ftypmp42"...),
		"fill in the scan": append(bytes.Clone(plain[:len(plain)-2]), 0xff, 0xff, 0xff, 0xd9),
	}
	for name, data := range tests {
		p, err := Prepare(data, Limits{})
		if err != nil {
			t.Errorf("%s: Prepare = %v", name, err)
			continue
		}
		whole := len(p.Sent) - 2
		for p.Sent[whole-1] == 0xff {
			whole--
		}
		for cut := len(p.Sent) - 1; cut > 2; cut-- {
			got, err := Prepare(bytes.Clone(p.Sent[:cut]), Limits{})
			if cut < whole && codeOf(err) != Truncated {
				t.Errorf("%s, cut after %d of %d bytes: Prepare = %v, want code %s", name, cut, len(p.Sent), err, Truncated)
			}
			if cut < whole {
				continue
			}
			if err != nil {
				t.Errorf("%s, cut after %d of %d bytes: Prepare = %v, want it whole", name, cut, len(p.Sent), err)
				continue
			}
			want, sent := grayOf(checkSent(t, p, p.Width, p.Height)), grayOf(checkSent(t, got, p.Width, p.Height))
			for i := range want.Pix {
				if d := int(want.Pix[i]) - int(sent.Pix[i]); d < -20 || d > 20 {
					t.Fatalf("%s, cut after %d of %d bytes: pixel %d of what is sent has the brightness %d, want %d", name, cut, len(p.Sent), i, sent.Pix[i], want.Pix[i])
				}
			}
		}
	}
}

// progressive returns m in several scans.
func progressive(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	must(t, jpegn.Encode(&b, m, &jpegn.EncodeOptions{Quality: 90, Progressive: true}))
	return b.Bytes()
}

// The flattest possible picture is accepted, and one that declares a little more than its
// bytes can contain is refused.
func TestFlatJPEGIsNoLie(t *testing.T) {
	for _, f := range []flatJPEG{
		{width: 4000, height: 3000, components: 1},
		{width: 4000, height: 3000, components: 3},
		{width: 4000, height: 3000, components: 3, progressive: true},
		{width: 800, height: 600, components: 3, restart: 40},
	} {
		if _, err := Prepare(f.file(), Limits{}); err != nil {
			t.Errorf("Prepare of %+v = %v, want it accepted", f, err)
		}
		f.blocks = ceilDiv(f.width, 8)*ceilDiv(f.height, 8) - 100
		if _, err := Prepare(f.file(), Limits{}); codeOf(err) != LyingHeader {
			t.Errorf("Prepare of %+v = %v, want code %s", f, err, LyingHeader)
		}
	}
	white := image.NewUniform(image.White)
	flat := image.NewGray(image.Rect(0, 0, 2000, 2000))
	draw.Draw(flat, flat.Rect, white, image.Point{}, draw.Src)
	for name, data := range map[string][]byte{"sequential": asJPEG(t, flat), "progressive": progressive(t, flat)} {
		if _, err := Prepare(data, Limits{}); err != nil {
			t.Errorf("Prepare of a white %s JPEG = %v, want it accepted", name, err)
		}
	}
}

// Both JPEG decoders return the same picture.
func TestDecodersAgree(t *testing.T) {
	for name, data := range map[string][]byte{
		"photo": asJPEG(t, textured(403, 301)), "grey": asJPEG(t, grayOf(gradient(77, 41))), "progressive": progressive(t, textured(403, 301)),
	} {
		s, err := open(data, Limits{}.withDefaults())
		must(t, err)
		got, err := s.decode(1)
		must(t, err)
		want, err := jpeg.Decode(bytes.NewReader(data))
		must(t, err)
		a, b := brightness(got), brightness(want)
		for i := range a.Pix {
			if d := int(a.Pix[i]) - int(b.Pix[i]); d > 3 || d < -3 {
				t.Fatalf("%s: pixel %d has brightness %d, want %d", name, i, a.Pix[i], b.Pix[i])
			}
		}
	}
}

// Twelve megapixels in each orientation: a baseline JPEG is sent upright in all its pixels
// and is not decoded for that; a progressive one is decoded once, scaled, and keeps its luma
// for other uses.
func TestTwelveMegapixels(t *testing.T) {
	if testing.Short() {
		t.Skip("it decodes 12 megapixels ten times")
	}
	m := corners(4032, 3024)
	data := asJPEG(t, m)
	want := []string{1: "red green white white", "green red white white", "white white green red", "white white red green",
		"red white green white", "white red white green", "white green white red", "green white red white"}
	check := func(data []byte, orientation, decodes int, size image.Point) {
		t.Helper()
		if orientation > 4 {
			size.X, size.Y = size.Y, size.X
		}
		p, err := Prepare(jpegWithExif(data, exif(binary.BigEndian, uint16(orientation))), Limits{})
		must(t, err)
		if got := fmt.Sprint(p.Decodes(), p.HeldBytes() > 0); got != fmt.Sprint(decodes, decodes > 0) {
			t.Errorf("orientation %d: decodes and whether brightness is held = %s, want %d, %v", orientation, got, decodes, decodes > 0)
		}
		grey, err := p.Brightness(Limits{})
		must(t, err)
		if grey.Rect.Size() != size || p.Decodes() != 1 {
			t.Errorf("orientation %d: brightness of %v after %d decodings, want %v after one in all", orientation, grey.Rect.Size(), p.Decodes(), size)
		}
		if got := cornerColours(checkSent(t, p, size.X, size.Y)); got != want[orientation] {
			t.Errorf("orientation %d: corners = %s, want %s", orientation, got, want[orientation])
		}
	}
	for orientation := 1; orientation <= 8; orientation++ {
		check(data, orientation, 0, image.Pt(4032, 3024))
	}
	check(progressive(t, m), 6, 1, image.Pt(3072, 2304))
}

// Turning a baseline JPEG takes less memory than its pixels, for which there need not be any.
func TestTurnedWithoutPixels(t *testing.T) {
	m, l := textured(640, 480), Limits{MaxMemory: 1_000_000}
	tag := exif(binary.BigEndian, 6)
	p, err := Prepare(jpegWithExif(asJPEG(t, m), tag), l)
	must(t, err)
	checkSent(t, p, 480, 640)
	if _, err := Prepare(jpegWithExif(progressive(t, m), tag), l); codeOf(err) != TooManyPixels {
		t.Errorf("Prepare of a progressive one = %v, want code %s", err, TooManyPixels)
	}
}

// A picture that is scaled to half or less is decoded at a reduced size, and looks the
// same.
func TestDecodedSmaller(t *testing.T) {
	data := mirrored(progressive(t, corners(801, 601)))
	whole, err := Prepare(data, Limits{MaxSide: 500})
	must(t, err)
	part, err := Prepare(data, Limits{MaxSide: 200})
	must(t, err)
	a, b := checkSent(t, whole, 500, 375), checkSent(t, part, 200, 150)
	if cornerColours(a) != cornerColours(b) {
		t.Errorf("corners = %s, want %s", cornerColours(b), cornerColours(a))
	}
	f, err := NewUpload(data).Inspect(Limits{MaxSide: 200})
	must(t, err)
	if f.shrink() != 4 {
		t.Errorf("801 × 601 for 200 is decoded at 1/%d, want 1/4", f.shrink())
	}
}

// The decoder gets files whose markers were checked. Decoding any of them ends with a
// picture of the declared size or an error, and uses no more memory than computed.
func FuzzDecodeJPEG(f *testing.F) {
	m := gradient(24, 16)
	for _, seed := range [][]byte{
		asJPEG(f, m), asJPEG(f, grayOf(m)), progressive(f, m), jpegWithExif(asJPEG(f, m), exif(binary.BigEndian, 6)),
		flatJPEG{width: 24, height: 16, components: 3, restart: 2}.file(), flatJPEG{width: 24, height: 16, components: 4}.file(),
		flatJPEG{width: 24, height: 16, components: 3, progressive: true}.file(),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 || data[0] != 0xff || data[1] != 0xd8 {
			return
		}
		l := Limits{MaxPixels: 1 << 18}
		file, err := NewUpload(data).Inspect(l)
		if err != nil {
			return
		}
		p := &Photo{Sent: file.source.clean}
		need, err := p.PixelMemory(l, false)
		if err != nil {
			return
		}
		got := allocated(func() { _, err = p.Pixels(l) })
		if most := uint64(3*need + 4<<20); got > most {
			t.Errorf("Pixels of %d bytes allocated %d, want at most %d", len(data), got, most)
		}
		if code := codeOf(err); err != nil && advice[code] == "" {
			t.Errorf("Pixels = %v, want an *Error", err)
		}
	})
}
