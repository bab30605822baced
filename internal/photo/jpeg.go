package photo

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
)

// JPEG markers, the byte after 0xFF (ITU-T T.81, table B.1).
const (
	markerSOF0 = 0xc0 // baseline
	markerSOF2 = 0xc2 // progressive
	markerDHT  = 0xc4
	markerJPG  = 0xc8
	markerDAC  = 0xcc
	markerSOF  = 0xcf // the last of the frame headers
	markerRST0 = 0xd0
	markerRST7 = 0xd7
	markerSOI  = 0xd8
	markerEOI  = 0xd9
	markerSOS  = 0xda
	markerDRI  = 0xdd
	markerAPP0 = 0xe0
	markerAPPF = 0xef
	markerCOM  = 0xfe
)

// maxProfile is the largest colour profile that is copied to a new JPEG.
const maxProfile = 1 << 20

// A jpegFile is a JPEG read from SOI to EOI, segment by segment.
type jpegFile struct {
	data   []byte
	limits Limits
	pos    int
	kept   []span // all except metadata

	frame       jpegFrame
	profile     []byte // the segments of the ICC profile
	orientation int
	sawExif     bool
	unended     bool // the file ends in a scan, and gets its end marker here
}

// openJPEG reads the markers of a JPEG from SOI to EOI. A file that ends in its last scan may
// lack no more than EOI; that the scan is whole is seen when it is decoded, and so it is.
// Segments are skipped by their length, so the EOI of a thumbnail inside Exif does not
// count. Data after EOI (further pictures of a multi-picture file, a motion photo's video)
// is dropped.
func openJPEG(data []byte, l Limits) (*source, error) {
	f := &jpegFile{data: data, limits: l, pos: 2, kept: []span{{0, 2}}, orientation: 1}
	for done := false; !done; {
		var err error
		if done, err = f.next(); err != nil {
			return nil, err
		}
	}
	if err := f.frame.complete(); err != nil {
		return nil, err
	}
	s := &source{
		mime:        "image/jpeg",
		width:       f.frame.width,
		height:      f.frame.height,
		orientation: f.orientation,
		clean:       join(data, f.kept),
		foreign:     len(f.frame.components) == 4 || f.unended, // CMYK, which readers interpret differently
		shrinks:     len(f.frame.components) != 4 && !f.unended,
		memory:      f.frame.memory,
		making:      makingYCbCr,
	}
	if len(f.frame.components) != 4 && len(f.profile) <= maxProfile {
		s.profile = f.profile
	}
	s.decode = f.frame.decoder(s.clean)
	if f.unended {
		s.clean = append(s.clean, 0xff, markerEOI)
		s.decode = func(int) (image.Image, error) { return f.decodeWhole(s.clean) }
	}
	return s, nil
}

// next reads one segment, or a scan with its data, and reports EOI. Like most readers it
// skips fill bytes and unexpected bytes between segments.
func (f *jpegFile) next() (done bool, err error) {
	at := bytes.IndexByte(f.data[f.pos:], 0xff)
	if at < 0 {
		return false, f.truncated()
	}
	from := f.pos
	f.pos += at
	for f.pos < len(f.data) && f.data[f.pos] == 0xff {
		f.pos++
	}
	if f.pos == len(f.data) {
		return false, f.truncated()
	}
	marker := f.data[f.pos]
	f.pos++
	switch {
	case marker == markerEOI:
		f.keep(from)
		return true, nil
	case marker <= 0x01, marker >= markerRST0 && marker <= markerSOI:
		f.keep(from) // an unexpected marker without a body
		return false, nil
	}
	body, err := f.body()
	if err != nil {
		return false, err
	}
	err = f.segment(marker, body, from)
	return f.unended, err
}

// decodeWhole decodes a JPEG that ended in its last scan. The standard library fails where
// the scan lacks data, unlike jpegn.
func (f *jpegFile) decodeWhole(clean []byte) (image.Image, error) {
	img, err := jpeg.Decode(bytes.NewReader(clean))
	if err != nil {
		return nil, f.truncated()
	}
	return img, nil
}

func (f *jpegFile) body() ([]byte, error) {
	if len(f.data)-f.pos < 2 {
		return nil, f.truncated()
	}
	n := int(binary.BigEndian.Uint16(f.data[f.pos:]))
	if n < 2 {
		return nil, fault(Corrupt, "a JPEG segment at byte %d has no length", f.pos)
	}
	if len(f.data)-f.pos < n {
		return nil, f.truncated()
	}
	body := f.data[f.pos+2 : f.pos+n]
	f.pos += n
	return body, nil
}

// segment processes the segment of marker, which began at from.
func (f *jpegFile) segment(marker byte, body []byte, from int) (err error) {
	switch {
	case marker >= markerAPP0 && marker <= markerAPPF, marker == markerCOM:
		f.application(marker, body, from)
		return nil
	case marker == markerDHT:
		err = f.frame.huffman(body)
	case marker == markerDRI && len(body) >= 2:
		f.frame.restart = int(binary.BigEndian.Uint16(body))
	case marker == markerSOS:
		err = f.scan(body)
	case marker >= markerSOF0 && marker <= markerSOF2:
		err = f.frame.header(marker, body, f.limits)
	case marker >= markerSOF0 && marker <= markerSOF && marker != markerJPG, marker == markerDAC:
		err = fault(UnsupportedFormat, "the JPEG is arithmetic-coded, lossless or hierarchical (marker %x)", marker)
	}
	f.keep(from)
	return err
}

// application keeps JFIF, Adobe and ICC segments, which define the colours, and drops other
// application segments and comments.
func (f *jpegFile) application(marker byte, body []byte, from int) {
	switch {
	case marker == markerAPP0 && starts(body, "JFIF\x00"), marker == 0xee && starts(body, "Adobe"):
		f.keep(from)
	case marker == 0xe2 && starts(body, "ICC_PROFILE\x00"):
		f.keep(from)
		f.profile = append(f.profile, f.data[from:f.pos]...)
	case marker == 0xe1 && starts(body, "Exif\x00") && !f.sawExif:
		f.sawExif = true
		f.orientation = exifOrientation(body)
	}
}

// scan reads a scan's header and skips the entropy-coded data, up to the marker that ends
// the scan. The data is not decoded: each 0xFF in it is followed by a zero or a restart
// marker, or is fill.
func (f *jpegFile) scan(body []byte) error {
	s, err := f.frame.scan(body)
	if err != nil {
		return err
	}
	from, markers := f.pos, 0
	for {
		n := bytes.IndexByte(f.data[f.pos:], 0xff)
		if n < 0 || f.pos+n+1 >= len(f.data) {
			f.unended, f.pos = true, len(f.data)
			if n >= 0 {
				f.pos-- // half a marker
			}
			if f.frame.fits(s, f.pos-from, markers) != nil || !f.frame.refined() {
				return f.truncated()
			}
			return nil
		}
		f.pos += n
		switch next := f.data[f.pos+1]; {
		case next == 0x00:
			f.pos += 2
		case next == 0xff:
			f.pos++
		case next >= markerRST0 && next <= markerRST7:
			f.pos += 2
			markers++
		default:
			return f.frame.fits(s, f.pos-from, markers)
		}
	}
}

func (f *jpegFile) keep(from int) {
	f.kept = extend(f.kept, span{from, f.pos})
}

func (f *jpegFile) truncated() error {
	return fault(Truncated, "the JPEG ends after %d bytes without its end marker", len(f.data))
}
