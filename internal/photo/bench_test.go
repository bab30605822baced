package photo

import (
	"encoding/binary"
	"fmt"
	"image"
	"testing"
)

// BenchmarkPrepare measures JPEG that pass as they are and JPEG that are
// decoded: because of their size, or of their rotation.
func BenchmarkPrepare(b *testing.B) {
	for _, photo := range []struct {
		name          string
		width, height int
	}{{"2MP", 1632, 1224}, {"12MP", 4032, 3024}} {
		data := asJPEG(b, textured(photo.width, photo.height))
		tagged := jpegWithExif(data, exif(binary.LittleEndian, 1))
		turned := jpegWithExif(data, exif(binary.LittleEndian, 6))
		for _, way := range []struct {
			name string
			data []byte
			side int
		}{{"shared", data, photo.width}, {"stripped", tagged, photo.width}, {"turned", turned, photo.width}, {"scaled", data, photo.width * 3 / 4}} {
			b.Run(fmt.Sprintf("%s/%s", photo.name, way.name), func(b *testing.B) {
				b.SetBytes(int64(len(way.data)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Prepare(way.data, Limits{MaxSide: way.side}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkPNG measures the inflating that proves a PNG whole.
func BenchmarkPNG(b *testing.B) {
	data := asPNG(b, textured(1632, 1224))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Prepare(data, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

// textured is a gradient with as much noise as gives a JPEG the size that a
// camera's have, some 3 bits a pixel.
func textured(width, height int) image.Image {
	m, n := gradient(width, height), noise(width, height)
	for i := range m.Pix {
		m.Pix[i] = byte((7*int(m.Pix[i]) + int(n.Pix[i])) / 8)
	}
	return m
}

// BenchmarkReal measures a shop's photo of 290 kB.
func BenchmarkReal(b *testing.B) {
	data := realPhoto(b, "0074306802576_1.jpg")
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Prepare(data, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
