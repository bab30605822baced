package photo

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// openBMP reads the header of a BMP and compares it with the file's length.
func openBMP(data []byte, l Limits) (*source, error) {
	c, err := bmp.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, decodeFault("image/bmp", err)
	}
	if err := checkSize(c.Width, c.Height, l); err != nil {
		return nil, err
	}
	if err := bmpLength(data, c); err != nil {
		return nil, err
	}
	return &source{
		mime:        "image/bmp",
		width:       c.Width,
		height:      c.Height,
		orientation: 1,
		foreign:     true,
		memory:      bytesPerPixel(4, c.Width, c.Height),
		making:      makingRGBA,
		decode:      func(int) (image.Image, error) { return bmp.Decode(bytes.NewReader(data)) },
	}, nil
}

// bmpLength distinguishes a truncated file from one whose header declares more pixels than
// it ever had.
func bmpLength(data []byte, c image.Config) error {
	bits := 8
	if binary.LittleEndian.Uint32(data[14:]) >= 40 && len(data) >= 30 {
		bits = int(binary.LittleEndian.Uint16(data[28:]))
	}
	declared := int64(binary.LittleEndian.Uint32(data[2:]))
	need := int64(binary.LittleEndian.Uint32(data[10:])) + int64(c.Width*bits+31)/32*4*int64(c.Height)
	switch {
	case need <= int64(len(data)):
		return nil
	case declared > int64(len(data)):
		return fault(Truncated, "the BMP should have %d bytes and has %d", declared, len(data))
	}
	return fault(LyingHeader, "the header declares %d × %d pixels, which need %d bytes, and the BMP has %d", c.Width, c.Height, need, len(data))
}

// openTIFF reads the first directory of a TIFF. A TIFF is always decoded, which shows
// whether it is intact.
func openTIFF(data []byte, l Limits) (*source, error) {
	if starts(data[min(8, len(data)):], "CR\x02") {
		return nil, fault(UnsupportedFormat, "the file looks like a camera's raw file")
	}
	c, err := tiff.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, decodeFault("image/tiff", err)
	}
	if err := checkSize(c.Width, c.Height, l); err != nil {
		return nil, err
	}
	// Of FillOrder 2, the lowest bit first, package tiff knows only that of fax (compression 2 to 4).
	if compression := tiffValue(data, 0x0103); tiffValue(data, 0x010a) == 2 && (compression < 2 || compression > 4) {
		return nil, fault(UnsupportedFormat, "the TIFF has the bits of each byte in reverse (FillOrder 2)")
	}
	return &source{
		mime:        "image/tiff",
		width:       c.Width,
		height:      c.Height,
		orientation: exifOrientation(data),
		foreign:     true,
		memory:      bytesPerPixel(tiffBytesPerPixel(c.ColorModel), c.Width, c.Height),
		making:      makingRGBA,
		decode:      func(int) (image.Image, error) { return tiff.Decode(bytes.NewReader(data)) },
	}, nil
}

// tiffBytesPerPixel returns the memory for the picture and for a strip of decompressed
// data, which may be the whole picture.
func tiffBytesPerPixel(m color.Model) int64 {
	switch m {
	case color.GrayModel:
		return 2
	case color.Gray16Model:
		return 4
	case color.RGBA64Model, color.NRGBA64Model:
		return 16
	}
	return 8
}
