//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"

	"golang.org/x/image/draw"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/photo/barcode"
)

// textured returns a picture with the detail of a photo: patches of colour under grain.
func textured(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	r := rand.New(rand.NewPCG(1, 2))
	for y := range height {
		for x := range width {
			patch := uint8(60 + (x/97*31+y/83*17)%130)
			grain := uint8(r.IntN(40))
			m.SetRGBA(x, y, color.RGBA{patch + grain, patch/2 + grain, 215 - patch + grain, 255})
		}
	}
	return m
}

// encoded is m as a JPEG of a quality.
func encoded(m image.Image, quality int) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality}); err != nil {
		panic(err) // a picture in memory, of a size that JPEG has
	}
	return b.Bytes()
}

// packWithCode returns a drawn pack with the bars of a GTIN, on a picture of so many
// pixels, and where the bars stand, as the model would say.
func packWithCode(ctx context.Context, width, height int) (photo []byte, boxes string, err error) {
	pack := samples.All()[0].Image()
	m := textured(width, height)
	inner := height * 9 / 10
	across := pack.Bounds().Dx() * inner / pack.Bounds().Dy()
	left, top := (width-across)/2, (height-inner)/2
	draw.CatmullRom.Scale(m, image.Rect(left, top, left+across, top+inner), pack, pack.Bounds(), draw.Src, nil)
	codes := barcode.Read(ctx, m)
	if len(codes) == 0 {
		return nil, "", fmt.Errorf("the bars of the drawn pack of %d × %d are not read", width, height)
	}
	b := codes[0].Box
	return encoded(m, 80), fmt.Sprintf(`[{"box":[%d,%d,%d,%d]}]`, b[0], b[1], b[2], b[3]), nil
}

// turned returns a JPEG with an EXIF orientation that has it turned by 90 degrees.
func turned(photo []byte) []byte {
	exif := []byte("Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00")
	return segment(photo, 0xe1, exif)
}

// numbered returns a JPEG with a comment, which makes its bytes another photo's.
func numbered(photo []byte, n int64) []byte {
	return segment(photo, 0xfe, fmt.Appendf(nil, "photo %d", n))
}

// segment returns a JPEG with one more segment at its beginning.
func segment(photo []byte, marker byte, data []byte) []byte {
	out := append([]byte{0xff, 0xd8, 0xff, marker}, binary.BigEndian.AppendUint16(nil, uint16(len(data)+2))...)
	return append(append(out, data...), photo[2:]...)
}
