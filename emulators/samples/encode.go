package samples

import (
	"bytes"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"

	"github.com/HugoSmits86/nativewebp"
)

// encode writes m in the format of mimeType. Only the formats of the samples
// are known; the pictures are valid, so an error is a mistake in this package.
func encode(mimeType string, m *image.RGBA) []byte {
	var b bytes.Buffer
	var err error
	switch mimeType {
	case "image/jpeg":
		err = jpeg.Encode(&b, m, &jpeg.Options{Quality: 88})
	case "image/png":
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, m)
	case "image/webp":
		err = nativewebp.Encode(&b, m, nil)
	case "image/gif":
		err = gif.Encode(&b, paletted(m), nil)
	default:
		err = fmt.Errorf("no encoder")
	}
	if err != nil {
		panic(fmt.Sprintf("samples: encode %s: %v", mimeType, err))
	}
	return b.Bytes()
}
