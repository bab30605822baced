package photo

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
)

// A gifFile is a GIF read block by block.
type gifFile struct {
	data          []byte
	pos           int
	width, height int
	first         image.Rectangle // position of the first frame
}

// openGIF reads the blocks of a GIF up to its trailer. The first frame is the
// picture.
func openGIF(data []byte, l Limits) (*source, error) {
	f := &gifFile{data: data, pos: 13}
	if len(data) < f.pos {
		return nil, f.truncated()
	}
	f.width = int(binary.LittleEndian.Uint16(data[6:]))
	f.height = int(binary.LittleEndian.Uint16(data[8:]))
	if err := checkSize(f.width, f.height, l); err != nil {
		return nil, err
	}
	f.pos += colorTable(data[10])
	for done := false; !done; {
		var err error
		if done, err = f.next(); err != nil {
			return nil, err
		}
	}
	if f.first.Empty() {
		return nil, fault(Truncated, "the GIF has no picture")
	}
	return &source{
		mime:        "image/gif",
		width:       f.width,
		height:      f.height,
		orientation: 1,
		foreign:     true,
		memory:      bytesPerPixel(5, f.width, f.height), // a palette index, and RGBA if the frame is smaller than the screen
		making:      makingRGBA,
		decode: func(int) (image.Image, error) {
			img, err := gif.Decode(bytes.NewReader(data))
			if err != nil {
				return nil, err
			}
			return onCanvas(img, img.Bounds().Min, f.width, f.height), nil
		},
	}, nil
}

// next reads one block and reports the trailer.
func (f *gifFile) next() (done bool, err error) {
	if f.pos >= len(f.data) {
		return false, f.truncated()
	}
	kind := f.data[f.pos]
	f.pos++
	switch kind {
	case 0x3b:
		return true, nil
	case 0x21: // an extension: its label, then data
		f.pos++
		return false, f.subBlocks()
	case 0x2c:
		return false, f.frame()
	}
	return false, fault(Corrupt, "the GIF has a block of unknown kind %x at byte %d", kind, f.pos-1)
}

func (f *gifFile) frame() error {
	if len(f.data)-f.pos < 10 {
		return f.truncated()
	}
	b := f.data[f.pos:]
	at := image.Pt(int(binary.LittleEndian.Uint16(b)), int(binary.LittleEndian.Uint16(b[2:])))
	size := image.Pt(int(binary.LittleEndian.Uint16(b[4:])), int(binary.LittleEndian.Uint16(b[6:])))
	r := image.Rectangle{Min: at, Max: at.Add(size)}
	if f.first.Empty() {
		if !r.In(image.Rect(0, 0, f.width, f.height)) || r.Empty() {
			return fault(LyingHeader, "the header declares %d × %d pixels, the GIF's first frame lies at %v", f.width, f.height, r)
		}
		f.first = r
	}
	f.pos += 9 + colorTable(b[8]) + 1 // and the code size
	return f.subBlocks()
}

// subBlocks skips a chain of data blocks, each preceded by its length, up to an empty one.
func (f *gifFile) subBlocks() error {
	for f.pos < len(f.data) {
		n := int(f.data[f.pos])
		f.pos += 1 + n
		if n == 0 {
			return nil
		}
	}
	return f.truncated()
}

func (f *gifFile) truncated() error {
	return fault(Truncated, "the GIF ends after %d bytes without its trailer", len(f.data))
}

// colorTable returns the length of the table that flags declare.
func colorTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (1 + flags&7)
}
