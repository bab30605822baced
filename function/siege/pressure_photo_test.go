package siege

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"sync"
)

// basePhoto is a picture of 12 megapixels with the detail of a real one: some 4
// MB, as a phone makes them.
var basePhoto = sync.OnceValue(func() []byte {
	m := image.NewYCbCr(image.Rect(0, 0, 4000, 3000), image.YCbCrSubsampleRatio420)
	detail(m, rand.NewPCG(1, 1))
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 85}); err != nil {
		panic(err)
	}
	return b.Bytes()
})

// detail draws gradients with sensor noise.
func detail(m *image.YCbCr, grain *rand.PCG) {
	for y := range 3000 {
		row := m.Y[y*m.YStride : y*m.YStride+4000]
		for x := 0; x < len(row); x += 8 {
			noise := grain.Uint64()
			for i := range 8 {
				row[x+i] = uint8(40+(x+y)/50) + uint8(noise>>(8*i))%34
			}
		}
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = uint8(i>>13), uint8(i>>14)
	}
}

// distinct returns a unique photo of 12 megapixels. Odd ones have Exif to rotate them.
func distinct(n int) (body io.Reader, length int64) {
	base := basePhoto()
	head := numbered(n)
	if n%2 == 1 {
		head = append(head, turned...)
	}
	return io.MultiReader(bytes.NewReader(head), bytes.NewReader(base[2:])), int64(len(head) + len(base) - 2)
}

// turned is a JPEG segment of Exif that rotates the picture by 90° (orientation 6).
var turned = append([]byte{0xff, 0xe1, 0, 2 + 6 + 26}, "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"...)

// numbered begins a JPEG with a comment that says n.
func numbered(n int) []byte {
	text := fmt.Sprintf("photo %d", n)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xfe}, uint16(2+len(text)))
	return append(head, text...)
}
