package photo

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// secret is in all metadata that the tests write, and must never be sent.
const secret = "37.5665N 126.9780E"

var (
	red   = color.NRGBA{220, 0, 0, 255}
	green = color.NRGBA{0, 180, 0, 255}
	white = color.NRGBA{255, 255, 255, 255}
)

// corners returns a white picture whose upper left quarter is red and upper right quarter
// is green.
func corners(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := white
			if y < height/2 {
				c = green
				if x < width/2 {
					c = red
				}
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

// noise returns a picture that does not compress, the same in each run.
func noise(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	state := uint32(1)
	for i := range m.Pix {
		state = state*1664525 + 1013904223
		m.Pix[i] = byte(state >> 24)
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	return m
}

// gradient returns a picture like a photo: smooth, with many colours.
func gradient(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.SetNRGBA(x, y, color.NRGBA{byte(x * 255 / width), byte(y * 255 / height), byte((x*7 + y*3) / 5), 255})
		}
	}
	return m
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func asJPEG(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, m, &jpeg.Options{Quality: 92}))
	return b.Bytes()
}

func asPNG(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	must(t, png.Encode(&b, m))
	return b.Bytes()
}

func asGIF(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	must(t, gif.Encode(&b, m, nil))
	return b.Bytes()
}

func asBMP(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	must(t, bmp.Encode(&b, m))
	return b.Bytes()
}

func asTIFF(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	must(t, tiff.Encode(&b, m, &tiff.Options{Compression: tiff.Deflate}))
	return b.Bytes()
}

func asWebP(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	must(t, nativewebp.Encode(&b, m, nil))
	return b.Bytes()
}

// lossyWebP returns a grey picture: a VP8 key frame of zero bits.
func lossyWebP(width, height int) []byte {
	return riff(chunk("VP8 ", vp8(width, height)))
}

func vp8(width, height int) []byte {
	first := 64 + ceilDiv(width, 16)*ceilDiv(height, 16)*8
	b := []byte{byte(first<<5) | 1<<4, byte(first >> 3), byte(first >> 11), 0x9d, 0x01, 0x2a}
	b = binary.LittleEndian.AppendUint16(b, uint16(width))
	b = binary.LittleEndian.AppendUint16(b, uint16(height))
	return append(b, make([]byte, 2*first)...)
}

func riff(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

// chunk returns a padded RIFF chunk.
func chunk(name string, body []byte) []byte {
	out := append(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(body))), body...)
	if len(body)%2 != 0 {
		out = append(out, 0)
	}
	return out
}

func vp8x(flags byte, width, height int) []byte {
	w, h := width-1, height-1
	return chunk("VP8X", []byte{flags, 0, 0, 0, byte(w), byte(w >> 8), byte(w >> 16), byte(h), byte(h >> 8), byte(h >> 16)})
}

// extendedWebP returns m with a colour profile, and Exif and XMP with the secret.
func extendedWebP(t testing.TB, m image.Image, exif []byte) []byte {
	simple := asWebP(t, m)
	size := m.Bounds().Size()
	return riff(vp8x(webpICC|webpExif|webpXMP|webpAlpha, size.X, size.Y),
		chunk("ICCP", []byte("profile")), simple[12:], chunk("EXIF", exif), chunk("XMP ", []byte(secret)))
}

// animatedWebP returns a canvas of 48 × 32 with two lossless frames, the first of which is
// at 16, 8 and shows m.
func animatedWebP(t testing.TB, m image.Image) []byte {
	frame := func(x, y int, m image.Image) []byte {
		size := m.Bounds().Size()
		head := []byte{byte(x / 2), 0, 0, byte(y / 2), 0, 0, byte(size.X - 1), 0, 0, byte(size.Y - 1), 0, 0, 100, 0, 0, 0}
		return chunk("ANMF", append(head, asWebP(t, m)[12:]...))
	}
	return riff(vp8x(webpAnimated|webpAlpha, 48, 32), chunk("ANIM", make([]byte, 6)), frame(16, 8, m), frame(0, 0, noise(8, 8)))
}

// exif returns an Exif block with an orientation and one text entry, the secret.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("II*\x00")
	if order.String() == "BigEndian" {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	b = order.AppendUint16(b, 0x0112)
	b = order.AppendUint16(b, 3)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint16(b, orientation)
	b = order.AppendUint16(b, 0)
	b = order.AppendUint16(b, 0x013b)
	b = order.AppendUint16(b, 2)
	b = order.AppendUint32(b, uint32(len(secret)))
	b = order.AppendUint32(b, 38)
	b = order.AppendUint32(b, 0)
	return append(b, secret...)
}

// pngChunk returns a PNG chunk with its checksum.
func pngChunk(name string, body []byte) []byte {
	out := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), name...)
	out = append(out, body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// withChunks inserts chunks after a PNG's header.
func withChunks(data []byte, chunks ...[]byte) []byte {
	const header = 8 + 25
	return bytes.Join([][]byte{data[:header], bytes.Join(chunks, nil), data[header:]}, nil)
}

// withPNGSize changes the size in a PNG's header and corrects its checksum.
func withPNGSize(data []byte, width, height uint32) []byte {
	ihdr := bytes.Clone(data[16:29])
	binary.BigEndian.PutUint32(ihdr, width)
	binary.BigEndian.PutUint32(ihdr[4:], height)
	return bytes.Join([][]byte{data[:8], pngChunk("IHDR", ihdr), data[33:]}, nil)
}

// interlacedPNG returns a black RGB picture in seven passes.
func interlacedPNG(width, height int) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	pass := func(x, y, dx, dy int) {
		columns, rows := ceilDiv(width-x, dx), ceilDiv(height-y, dy)
		z.Write(make([]byte, rows*(1+3*columns)))
	}
	pass(0, 0, 8, 8)
	pass(4, 0, 8, 8)
	pass(0, 4, 4, 8)
	pass(2, 0, 4, 4)
	pass(0, 2, 2, 4)
	pass(1, 0, 2, 2)
	pass(0, 1, 1, 2)
	z.Close()
	ihdr := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height)), 8, 2, 0, 0, 1)
	return bytes.Join([][]byte{[]byte(pngSignature), pngChunk("IHDR", ihdr), pngChunk("IDAT", b.Bytes()), pngChunk("IEND", nil)}, nil)
}

// tiffWithOrientation returns an uncompressed RGB TIFF.
func tiffWithOrientation(m *image.NRGBA, orientation uint16) []byte {
	size := m.Rect.Size()
	o := binary.LittleEndian
	b := o.AppendUint32([]byte("II*\x00"), 8)
	entries := [][3]uint32{
		{256, 4, uint32(size.X)}, {257, 4, uint32(size.Y)}, {258, 3, 138}, {259, 3, 1}, {262, 3, 2}, {266, 3, 1},
		{273, 4, 144}, {274, 3, uint32(orientation)}, {277, 3, 3}, {279, 4, uint32(3 * size.X * size.Y)},
	}
	b = o.AppendUint16(b, uint16(len(entries)))
	for _, e := range entries {
		count := uint32(1)
		if e[0] == 258 {
			count = 3
		}
		b = o.AppendUint16(b, uint16(e[0]))
		b = o.AppendUint16(b, uint16(e[1]))
		b = o.AppendUint32(b, count)
		b = o.AppendUint32(b, e[2])
	}
	b = o.AppendUint32(b, 0)
	b = append(b, make([]byte, 138-len(b))...)
	b = append(b, 8, 0, 8, 0, 8, 0)
	for i := 0; i < len(m.Pix); i += 4 {
		b = append(b, m.Pix[i:i+3]...)
	}
	return b
}
