package photo

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"strings"
	"testing"
)

// Each format is detected by its content, keeps its size, and is sent in a format that the
// model accepts.
func TestPrepareKinds(t *testing.T) {
	m := gradient(40, 24)
	gray := image.NewGray(m.Rect)
	deep := image.NewNRGBA64(m.Rect)
	for y := range 24 {
		for x := range 40 {
			gray.Set(x, y, m.At(x, y))
			deep.Set(x, y, m.At(x, y))
		}
	}
	tests := []struct {
		name, mime, sent string
		width, height    int
		shared           bool // Sent is the input
		data             []byte
	}{
		{"JPEG", "image/jpeg", "image/jpeg", 40, 24, true, asJPEG(t, m)},
		{"grey JPEG", "image/jpeg", "image/jpeg", 40, 24, true, asJPEG(t, gray)},
		{"JPEG with its longest codes", "image/jpeg", "image/jpeg", 80, 48, true, asJPEG(t, noise(80, 48))},
		{"JPEG with restart markers", "image/jpeg", "image/jpeg", 80, 48, true, flatJPEG{width: 80, height: 48, components: 3, restart: 7}.file()},
		{"progressive JPEG", "image/jpeg", "image/jpeg", 80, 48, true, flatJPEG{width: 80, height: 48, components: 3, progressive: true}.file()},
		{"PNG", "image/png", "image/png", 40, 24, true, asPNG(t, m)},
		{"16-bit PNG", "image/png", "image/png", 40, 24, true, asPNG(t, deep)},
		{"interlaced PNG", "image/png", "image/png", 13, 11, true, interlacedPNG(13, 11)},
		{"grey PNG", "image/png", "image/png", 40, 24, true, asPNG(t, gray)},
		{"lossless WebP", "image/webp", "image/webp", 40, 24, true, asWebP(t, m)},
		{"lossy WebP", "image/webp", "image/webp", 50, 30, true, lossyWebP(50, 30)},
		{"GIF of noise", "image/gif", "image/jpeg", 200, 120, false, asGIF(t, noise(200, 120))},
		{"GIF of a drawing", "image/gif", "image/png", 200, 120, false, asGIF(t, corners(200, 120))},
		{"BMP", "image/bmp", "image/jpeg", 40, 24, false, asBMP(t, m)},
		{"TIFF", "image/tiff", "image/jpeg", 40, 24, false, asTIFF(t, m)},
		{"16-bit TIFF", "image/tiff", "image/jpeg", 40, 24, false, asTIFF(t, deep)},
		{"TIFF of a drawing", "image/tiff", "image/png", 40, 24, false, asTIFF(t, corners(40, 24))},
		{"HEIC", "image/heic", "image/heic", 64, 48, false, heifRecipe{}.file()},
		{"HEIF", "image/heif", "image/heif", 64, 48, false, heifRecipe{brand: "mif1"}.file()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := Prepare(test.data, Limits{})
			if err != nil {
				t.Fatalf("Prepare = %v", err)
			}
			if p.MIMEType != test.mime || p.SentType != test.sent || p.Width != test.width || p.Height != test.height {
				t.Errorf("Prepare = %s sent as %s, %d × %d; want %s as %s, %d × %d",
					p.MIMEType, p.SentType, p.Width, p.Height, test.mime, test.sent, test.width, test.height)
			}
			if shared := &p.Sent[0] == &test.data[0]; shared != test.shared {
				t.Errorf("Sent shares the input's memory: %v, want %v", shared, test.shared)
			}
			if want := sha256.Sum256(test.data); p.SHA256 != hex.EncodeToString(want[:]) {
				t.Errorf("SHA256 = %s, want the input's", p.SHA256)
			}
			if test.sent != "image/heic" && test.sent != "image/heif" {
				checkSent(t, p, test.width, test.height)
			}
		})
	}
}

// checkSent decodes what is sent and checks its size.
func checkSent(t *testing.T, p *Photo, width, height int) image.Image {
	t.Helper()
	s, err := open(p.Sent, Limits{}.withDefaults())
	if err != nil {
		t.Fatalf("Sent cannot be opened: %v", err)
	}
	if s.mime != p.SentType {
		t.Errorf("Sent is %s, SentType says %s", s.mime, p.SentType)
	}
	img, err := s.decode(1)
	if err != nil {
		t.Fatalf("Sent cannot be decoded: %v", err)
	}
	if size := img.Bounds().Size(); size != image.Pt(width, height) {
		t.Errorf("Sent has %v pixels, want %d × %d", size, width, height)
	}
	if bytes.Contains(p.Sent, []byte(secret)) {
		t.Errorf("Sent holds the metadata %q", secret)
	}
	return img
}

// The stored picture is red at its upper left and green at its upper right; where these end
// up identifies the eight orientations.
func TestPrepareOrientation(t *testing.T) {
	tests := []struct {
		orientation uint16
		size        image.Point
		want        string // colours at upper left, upper right, lower left, lower right
	}{
		{0, image.Pt(40, 24), "red green white white"}, // an invalid value: upright
		{1, image.Pt(40, 24), "red green white white"},
		{2, image.Pt(40, 24), "green red white white"},
		{3, image.Pt(40, 24), "white white green red"},
		{4, image.Pt(40, 24), "white white red green"},
		{5, image.Pt(24, 40), "red white green white"},
		{6, image.Pt(24, 40), "white red white green"},
		{7, image.Pt(24, 40), "white green white red"},
		{8, image.Pt(24, 40), "green white red white"},
		{9, image.Pt(40, 24), "red green white white"},
	}
	m := corners(40, 24)
	for _, test := range tests {
		little, big := exif(binary.LittleEndian, test.orientation), exif(binary.BigEndian, test.orientation)
		files := map[string][]byte{
			"JPEG":         jpegWithExif(asJPEG(t, m), little),
			"JPEG MM":      jpegWithExif(asJPEG(t, m), big),
			"PNG":          withChunks(asPNG(t, m), pngChunk("eXIf", little)),
			"WebP":         extendedWebP(t, m, big),
			"WebP Exif\\0": extendedWebP(t, m, append([]byte("Exif\x00\x00"), little...)),
			"TIFF":         tiffWithOrientation(m, test.orientation),
			"JPEG scaled":  jpegWithExif(asJPEG(t, corners(160, 96)), little),
		}
		for name, data := range files {
			t.Run(fmt.Sprintf("%s %d", name, test.orientation), func(t *testing.T) {
				p, err := Prepare(data, Limits{MaxSide: 40})
				if err != nil {
					t.Fatalf("Prepare = %v", err)
				}
				if name == "JPEG scaled" && p.Decodes() == 0 {
					return // upright: sent at its own size
				}
				img := checkSent(t, p, test.size.X, test.size.Y)
				if got := cornerColours(img); got != test.want {
					t.Errorf("corners = %s, want %s", got, test.want)
				}
				if upright := test.size.X > test.size.Y; upright != (p.Width > p.Height) {
					t.Errorf("Prepare says %d × %d, Sent has %v", p.Width, p.Height, test.size)
				}
			})
		}
	}
}

func cornerColours(m image.Image) string {
	b := m.Bounds()
	var names []string
	for _, p := range []image.Point{{b.Min.X + 3, b.Min.Y + 3}, {b.Max.X - 4, b.Min.Y + 3}, {b.Min.X + 3, b.Max.Y - 4}, {b.Max.X - 4, b.Max.Y - 4}} {
		names = append(names, colourName(m.At(p.X, p.Y)))
	}
	return strings.Join(names, " ")
}

func colourName(c color.Color) string {
	r, g, b, a := c.RGBA()
	high := func(v uint32) bool { return v > 0x9000 }
	switch {
	case a < 0x4000:
		return "clear"
	case high(r) && high(g) && high(b):
		return "white"
	case high(r):
		return "red"
	case high(g):
		return "green"
	}
	return fmt.Sprintf("(%x %x %x)", r>>8, g>>8, b>>8)
}

// Metadata is removed; what colours and pixels need is kept.
func TestPrepareDropsMetadata(t *testing.T) {
	m := gradient(40, 24)
	note := "\x00" + secret
	jpg := asJPEG(t, m)
	icc := segment(0xe2, "ICC_PROFILE\x00\x01\x01colours")
	jfif := segment(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")
	adobe := segment(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x01")
	pic := asPNG(t, m)
	tests := []struct {
		name       string
		data, want []byte
	}{
		{"JPEG Exif", jpegWithExif(jpg, exif(binary.LittleEndian, 1)), jpg},
		{"JPEG XMP", withSegments(jpg, segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret)), jpg},
		{"JPEG IPTC", withSegments(jpg, segment(0xed, "Photoshop 3.0\x00"+secret)), jpg},
		{"JPEG comment", withSegments(jpg, segment(0xfe, secret)), jpg},
		{"JPEG multi-picture index", withSegments(jpg, segment(0xe2, "MPF\x00"+secret)), jpg},
		{"JPEG JFIF thumbnail extension", withSegments(jpg, segment(0xe0, "JFXX\x00\x10"+secret)), jpg},
		{"JPEG colours", withSegments(jpg, jfif, segment(0xe1, "Exif\x00\x00"+secret), icc, adobe), withSegments(jpg, jfif, icc, adobe)},
		{"JPEG with a second picture behind it", append(bytes.Clone(jpg), jpegWithExif(jpg, exif(binary.BigEndian, 1))...), jpg},
		{"JPEG fill bytes", withSegments(jpg, []byte{0xff, 0xff, 0xff}, segment(0xfe, secret)), jpg},
		{"PNG text", withChunks(pic, pngChunk("tEXt", []byte("a"+note)), pngChunk("zTXt", []byte(note)), pngChunk("iTXt", []byte(note)), pngChunk("tIME", []byte(note))), pic},
		{"PNG Exif", withChunks(pic, pngChunk("eXIf", exif(binary.BigEndian, 1))), pic},
		{"PNG private", withChunks(pic, pngChunk("caBX", []byte(note)), pngChunk("prVt", []byte(note))), pic},
		{"PNG broken text", withChunks(pic, append(pngChunk("tEXt", []byte(note))[:8+len(note)], 0, 0, 0, 0)), pic},
		{"PNG colours", withChunks(pic, pngChunk("gAMA", []byte{0, 0, 0xb1, 0x8f}), pngChunk("tEXt", []byte(note))), withChunks(pic, pngChunk("gAMA", []byte{0, 0, 0xb1, 0x8f}))},
		{"PNG trailing", append(bytes.Clone(pic), secret...), pic},
		{"WebP trailing", append(lossyWebP(40, 24), secret...), lossyWebP(40, 24)},
		{"WebP extended", riff(vp8x(webpICC|webpExif|webpXMP, 40, 24), chunk("ICCP", []byte("colours")), chunk("VP8 ", vp8(40, 24)), chunk("EXIF", exif(binary.BigEndian, 1)), chunk("XMP ", []byte(note))),
			riff(vp8x(webpICC, 40, 24), chunk("ICCP", []byte("colours")), chunk("VP8 ", vp8(40, 24)))},
		{"WebP flags of metadata that are not there", riff(vp8x(webpExif|webpXMP, 40, 24), chunk("VP8 ", vp8(40, 24))), lossyWebP(40, 24)},
		{"WebP unknown chunk", riff(vp8x(0, 40, 24), chunk("VP8 ", vp8(40, 24)), chunk("priv", []byte(note))), lossyWebP(40, 24)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := Prepare(test.data, Limits{})
			if err != nil {
				t.Fatalf("Prepare = %v", err)
			}
			if !bytes.Equal(p.Sent, test.want) {
				t.Errorf("Sent = %d bytes %.200q, want %d bytes %.200q", len(p.Sent), p.Sent, len(test.want), test.want)
			}
		})
	}
}

// A new JPEG keeps the colour profile of the old one.
func TestTranscodedJPEGKeepsProfile(t *testing.T) {
	icc := segment(0xe2, "ICC_PROFILE\x00\x01\x01colours")
	data := withSegments(jpegWithExif(asJPEG(t, gradient(40, 24)), exif(binary.LittleEndian, 6)), icc)
	p, err := Prepare(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	checkSent(t, p, 24, 40)
	if !bytes.HasPrefix(p.Sent[2:], icc) {
		t.Errorf("Sent begins with %q, want SOI and %q", p.Sent[:40], icc)
	}
}

// The first frame is used, on its canvas.
func TestPrepareAnimations(t *testing.T) {
	palette := color.Palette{color.Transparent, red, green, white}
	small := image.NewPaletted(image.Rect(16, 8, 32, 24), palette)
	for i := range small.Pix {
		small.Pix[i] = 1
	}
	var b bytes.Buffer
	must(t, gif.EncodeAll(&b, &gif.GIF{
		Image: []*image.Paletted{small, image.NewPaletted(image.Rect(0, 0, 48, 32), palette)}, Delay: []int{1, 1},
		Config: image.Config{ColorModel: palette, Width: 48, Height: 32},
	}))
	redBlock := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for i := 0; i < len(redBlock.Pix); i += 4 {
		copy(redBlock.Pix[i:], []byte{220, 0, 0, 255})
	}
	for name, data := range map[string][]byte{"GIF": b.Bytes(), "WebP": animatedWebP(t, redBlock)} {
		t.Run(name, func(t *testing.T) {
			p, err := Prepare(data, Limits{})
			if err != nil {
				t.Fatalf("Prepare = %v", err)
			}
			img := checkSent(t, p, 48, 32)
			if got := colourName(img.At(20, 12)); got != "red" {
				t.Errorf("colour inside the first frame = %s, want red", got)
			}
			if got := colourName(img.At(4, 4)); got != "clear" && got != "white" {
				t.Errorf("colour outside the first frame = %s, want clear or white", got)
			}
		})
	}
	whole, err := Prepare(riff(vp8x(webpAnimated, 16, 16), chunk("ANIM", make([]byte, 6)),
		chunk("ANMF", append([]byte{0, 0, 0, 0, 0, 0, 15, 0, 0, 15, 0, 0, 1, 0, 0, 0}, chunk("VP8 ", vp8(16, 16))...))), Limits{})
	if err != nil || !bytes.Equal(whole.Sent, lossyWebP(16, 16)) {
		t.Errorf("Prepare of an animation whose first frame covers its canvas = %v, want that frame's bits unchanged", err)
	}
}

func codeOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return fmt.Sprintf("no code: %v", err)
}
