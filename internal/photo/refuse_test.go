package photo

import (
	"bytes"
	"encoding/binary"
	"image"
	"runtime"
	"strings"
	"testing"
)

// Files that are not pictures, or of unsupported formats, are named in the message.
func TestPrepareRefusesOtherKinds(t *testing.T) {
	tests := []struct{ name, data, code, says string }{
		{"no bytes", "", Empty, "no bytes"},
		{"text named .jpg", "hello, I am a photo\n", NotAnImage, "text"},
		{"text that begins with BM", "BMI is not a bitmap but a body mass index", NotAnImage, "text"},
		{"JSON", `{"uri":"gs://bucket/photo.jpg"}`, NotAnImage, "text"},
		{"HTML", "<!DOCTYPE html><html><body><svg/></body></html>", NotAnImage, "HTML"},
		{"PDF", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", NotAnImage, "PDF"},
		{"SVG", `<svg xmlns="http://www.w3.org/2000/svg"></svg>`, UnsupportedFormat, "SVG"},
		{"SVG with prologue", "<?xml version=\"1.0\"?>\n<!-- drawn -->\n<SVG></SVG>", UnsupportedFormat, "SVG"},
		{"MP4", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", NotAnImage, "video"},
		{"QuickTime", "\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00qt  ", NotAnImage, "video"},
		{"WebM", "\x1a\x45\xdf\xa3\x9f\x42\x86\x81", NotAnImage, "video"},
		{"AVI", "RIFF\x10\x00\x00\x00AVI LIST", NotAnImage, "video"},
		{"WAV", "RIFF\x10\x00\x00\x00WAVEfmt ", NotAnImage, "audio"},
		{"MP3", "ID3\x03\x00\x00\x00\x00\x00\x00", NotAnImage, "audio"},
		{"ZIP", "PK\x03\x04\x14\x00\x00\x00", NotAnImage, "ZIP"},
		{"AVIF", "\x00\x00\x00\x1cftypavif\x00\x00\x00\x00avifmif1miaf", UnsupportedFormat, "AVIF"},
		{"AVIF, general brand first", "\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1avif", UnsupportedFormat, "AVIF"},
		{"AVIF inside HEIF", string(heifRecipe{brand: "mif1", kind: "av01"}.file()), UnsupportedFormat, "AVIF"},
		{"JPEG XL", "\xff\x0a\xfa\x1f", UnsupportedFormat, "JPEG XL"},
		{"Photoshop", "8BPS\x00\x01", UnsupportedFormat, "Photoshop"},
		{"Canon raw", "II*\x00\x10\x00\x00\x00CR\x02\x00", UnsupportedFormat, "raw"},
		{"icon", "\x00\x00\x01\x00\x01\x00", UnsupportedFormat, "icon"},
		{"anything else", "\x07\x06\x05\x04\x03\x02\x01\x00", NotAnImage, "no known"},
		{"one byte", "\x07", NotAnImage, "no known"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Prepare([]byte(test.data), Limits{})
			if codeOf(err) != test.code || !strings.Contains(err.Error(), test.says) {
				t.Errorf("Prepare = %v, want code %s and a message with %q", err, test.code, test.says)
			}
		})
	}
}

// Each kind of damage has its own code.
func TestPrepareRefusesDamage(t *testing.T) {
	m := gradient(80, 48)
	jpg, pic, gifFile, bmpFile, tiffFile := asJPEG(t, m), asPNG(t, m), asGIF(t, m), asBMP(t, m), asTIFF(t, m)
	webpFile, heic := asWebP(t, m), heifRecipe{}.file()
	flat := flatJPEG{width: 800, height: 480, components: 1}.file()
	half := func(b []byte) []byte { return b[:len(b)/2] }
	eoi := []byte{0xff, 0xd9}
	flip := func(b []byte, at int) []byte {
		out := bytes.Clone(b)
		out[at] ^= 0x55
		return out
	}
	tests := []struct {
		name, code string
		data       []byte
	}{
		{"JPEG of two bytes", Truncated, jpg[:2]},
		{"JPEG cut in its headers", Truncated, jpg[:100]},
		{"JPEG cut in half", Truncated, half(jpg)},
		{"JPEG without end marker and the byte before", Truncated, jpg[:len(jpg)-3]},
		{"flat JPEG cut by a third, end marker forged", LyingHeader, append(bytes.Clone(flat[:len(flat)-len(flat)/3]), eoi...)},
		{"JPEG cut before its picture, end marker forged", Truncated, append(bytes.Clone(jpg[:bytes.Index(jpg, []byte{0xff, 0xda})]), eoi...)},
		{"JPEG that declares 10,000 × 10,000", LyingHeader, withJPEGSize(flatJPEG{width: 80, height: 48, components: 3}.file(), 9999, 9999)},
		{"JPEG with an interval missing", LyingHeader, flatJPEG{width: 80, height: 48, components: 1, restart: 10, blocks: 50}.file()},
		{"progressive JPEG that declares more", LyingHeader, flatJPEG{width: 800, height: 480, components: 3, progressive: true, blocks: 60}.file()},
		{"JPEG with a hundred scans too many", Corrupt, manyScans(200)},
		{"JPEG without frame", Corrupt, append([]byte{0xff, 0xd8}, eoi...)},
		{"JPEG with a segment of no length", Corrupt, withSegments(jpg, []byte{0xff, 0xe1, 0, 1})},
		{"JPEG of no width", Corrupt, withJPEGSize(jpg, 0, 48)},
		{"lossless JPEG", UnsupportedFormat, bytes.Replace(jpg, []byte{0xff, 0xc0}, []byte{0xff, 0xc3}, 1)},
		{"arithmetic-coded JPEG", UnsupportedFormat, bytes.Replace(jpg, []byte{0xff, 0xc0}, []byte{0xff, 0xc9}, 1)},
		{"PNG of four bytes", Truncated, pic[:4]},
		{"PNG cut in half", Truncated, half(pic)},
		{"PNG without end chunk", Truncated, pic[:len(pic)-12]},
		{"PNG whose pixels stop, chunks whole, when it is decoded", Corrupt, mirrored(cutIDAT(pic))},
		{"PNG copied as text", Corrupt, bytes.Replace(pic, []byte("\r\n"), []byte("\n"), 1)},
		{"PNG with a flipped bit in its pixels", Corrupt, flip(pic, 60)},
		{"PNG with a changed header", Corrupt, flip(pic, 19)},
		{"PNG of no width", Corrupt, withPNGSize(pic, 0, 48)},
		{"PNG that declares more than its bytes can hold", LyingHeader, withPNGSize(pic, 8000, 4800)},
		{"PNG with an unknown critical chunk", UnsupportedFormat, withChunks(pic, pngChunk("CgBI", nil))},
		{"GIF of its name", Truncated, gifFile[:6]},
		{"GIF cut in half", Truncated, half(gifFile)},
		{"GIF without trailer", Truncated, gifFile[:len(gifFile)-1]},
		{"GIF without picture", Truncated, append(bytes.Clone(gifFile[:13+768]), 0x3b)},
		{"GIF whose frame leaves the screen", LyingHeader, patch(gifFile, 6, "\x10\x00\x10\x00")},
		{"GIF with an unknown block", Corrupt, patch(gifFile, 13+768, "\x99")},
		{"WebP cut in half", Truncated, half(webpFile)},
		{"WebP cut, length mended", Corrupt, patch(half(webpFile), 4, string(binary.LittleEndian.AppendUint32(nil, uint32(len(webpFile)/2-8))))},
		{"WebP without picture", Truncated, riff(vp8x(0, 16, 16))},
		{"WebP whose canvas is larger", LyingHeader, riff(vp8x(0, 160, 160), chunk("VP8 ", vp8(16, 16)))},
		{"WebP whose first part is cut", Truncated, riff(chunk("VP8 ", vp8(64, 64)[:40]))},
		{"WebP of no key frame", Corrupt, riff(chunk("VP8 ", make([]byte, 40)))},
		{"BMP cut in half", Truncated, half(bmpFile)},
		{"BMP that declares more rows", LyingHeader, patch(bmpFile, 22, "\x00\x03")},
		{"TIFF cut in half", Truncated, half(tiffFile)},
		{"TIFF with the lowest bit first", UnsupportedFormat, bytes.Replace(tiffWithOrientation(image.NewNRGBA(image.Rect(0, 0, 8, 8)), 1), []byte("\x0a\x01\x03\x00\x01\x00\x00\x00\x01"), []byte("\x0a\x01\x03\x00\x01\x00\x00\x00\x02"), 1)},
		{"TIFF of its name", Truncated, tiffFile[:4]},
		{"HEIC cut in its pictures", Truncated, heic[:60]},
		{"HEIC cut in its description", Truncated, heic[:len(heic)-4]},
		{"HEIC cut before its description", Truncated, heic[:bytes.Index(heic, []byte("meta"))-4]},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := Prepare(test.data, Limits{})
			if codeOf(err) != test.code {
				t.Errorf("Prepare = %v, %v; want code %s", p, err, test.code)
			}
		})
	}
}

// manyScans returns a small JPEG with its one scan repeated n times.
func manyScans(n int) []byte {
	data := flatJPEG{width: 16, height: 16, components: 1}.file()
	at, end := bytes.Index(data, []byte{0xff, 0xda}), len(data)-2
	return bytes.Join([][]byte{data[:at], bytes.Repeat(data[at:end], n), data[end:]}, nil)
}

// patch overwrites b from at on.
func patch(b []byte, at int, with string) []byte {
	out := bytes.Clone(b)
	copy(out[at:], with)
	return out
}

// cutIDAT rebuilds a PNG with half of its compressed pixels.
func cutIDAT(data []byte) []byte {
	at := bytes.Index(data, []byte("IDAT"))
	n := int(binary.BigEndian.Uint32(data[at-4:]))
	return bytes.Join([][]byte{data[:at-4], pngChunk("IDAT", data[at+4:at+4+n/2]), pngChunk("IEND", nil)}, nil)
}

// Limits are inclusive.
func TestLimits(t *testing.T) {
	pic := asPNG(t, gradient(40, 24))
	deep := asPNG(t, image.NewNRGBA64(image.Rect(0, 0, 40, 24)))
	tests := []struct {
		name   string
		data   []byte
		limits Limits
		code   string
	}{
		{"bytes", pic, Limits{MaxBytes: int64(len(pic))}, ""},
		{"one byte more", pic, Limits{MaxBytes: int64(len(pic)) - 1}, TooManyBytes},
		{"pixels", pic, Limits{MaxPixels: 40 * 24}, ""},
		{"one pixel more", pic, Limits{MaxPixels: 40*24 - 1}, TooManyPixels},
		{"16 bits, decoded", mirrored(deep), Limits{MaxMemory: (8 + makingRGBA) * 40 * 24}, ""},
		{"16 bits, decoded, over the memory", mirrored(deep), Limits{MaxMemory: (8+makingRGBA)*40*24 - 1}, TooManyPixels},
		{"16 bits, not decoded", deep, Limits{MaxMemory: 1}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Prepare(test.data, test.limits)
			if err == nil && test.code != "" || err != nil && codeOf(err) != test.code {
				t.Errorf("Prepare with %+v = %v, want code %q", test.limits, err, test.code)
			}
		})
	}
}

// Headers that declare 50,000 × 50,000 pixels are refused in each format before memory of
// that size is allocated.
func TestHugeHeadersAllocateNothing(t *testing.T) {
	m := gradient(16, 16)
	const side = 50_000
	files := map[string][]byte{
		"PNG":  withPNGSize(asPNG(t, m), side, side),
		"JPEG": withJPEGSize(asJPEG(t, m), side, side),
		"GIF":  patch(asGIF(t, m), 6, "\x50\xc3\x50\xc3"),
		"WebP": riff(vp8x(0, side, side), chunk("VP8 ", vp8(16, 16))),
		"BMP":  patch(asBMP(t, m), 18, "\x50\xc3\x00\x00\x50\xc3\x00\x00"),
		"TIFF": hugeTIFF(m, side),
		"HEIC": heifRecipe{size: side}.file(),
	}
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			var err error
			prepare := func() { _, err = Prepare(data, Limits{}) }
			if got := min(allocated(prepare), allocated(prepare), allocated(prepare)); got > 64<<10 { // the first use of a format, and others, allocate too
				t.Errorf("Prepare allocated %d bytes, want next to nothing", got)
			}
			if codeOf(err) != TooManyPixels {
				t.Errorf("Prepare = %v, want code %s", err, TooManyPixels)
			}
		})
	}
}

func hugeTIFF(m *image.NRGBA, side uint32) []byte {
	data := tiffWithOrientation(m, 1)
	binary.LittleEndian.PutUint32(data[10+8:], side)
	binary.LittleEndian.PutUint32(data[10+12+8:], side)
	return data
}

// allocated returns the heap memory that f allocates in total.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Exif with offsets outside itself, to itself or to nothing counts as upright.
func TestBrokenExif(t *testing.T) {
	good := string(exif(binary.LittleEndian, 6))
	tests := []struct{ name, data string }{
		{"empty", ""},
		{"header only", good[:8]},
		{"directory cut", good[:15]},
		{"directory beyond the end", good[:4] + "\xff\xff\xff\xff" + good[8:]},
		{"directory in the header", good[:4] + "\x00\x00\x00\x00" + good[8:]},
		{"65,535 entries", good[:8] + "\xff\xff" + strings.Repeat("\x00", 24)},
		{"directory that is its own next", good[:8] + "\x00\x00\x08\x00\x00\x00"},
		{"another byte order", "XX" + good[2:]},
		{"value 77", good[:18] + "\x4d" + good[19:]},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := exifOrientation([]byte(test.data)); got != 1 {
				t.Errorf("exifOrientation = %d, want 1", got)
			}
			if _, err := Prepare(jpegWithExif(asJPEG(t, gradient(16, 16)), []byte(test.data)), Limits{}); err != nil {
				t.Errorf("Prepare of a JPEG with it = %v", err)
			}
		})
	}
}
