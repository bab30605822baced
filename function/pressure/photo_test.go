package pressure

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

// detail draws slopes of light with the grain of a sensor on them.
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

// distinct is a photo of 12 megapixels like no other.
func distinct(n int) (body io.Reader, length int64) {
	base := basePhoto()
	head := numbered(n)
	return io.MultiReader(bytes.NewReader(head), bytes.NewReader(base[2:])), int64(len(head) + len(base) - 2)
}

// numbered begins a JPEG with a comment that says n.
func numbered(n int) []byte {
	text := fmt.Sprintf("photo %d", n)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xfe}, uint16(2+len(text)))
	return append(head, text...)
}
