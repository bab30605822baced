package photo

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
)

// heifType distinguishes HEIC (HEVC), AVIF and other HEIF by the brands in ftyp. It is
// empty for videos and for files that are not ISO base media files.
func heifType(data []byte) string {
	ftyp, _, err := readBox(data, 0)
	if err != nil || ftyp.kind != "ftyp" || len(ftyp.body) < 8 {
		return ""
	}
	found := ""
	brands := append(bytes.Clone(ftyp.body[:4]), ftyp.body[8:]...) // without the version between them
	for ; len(brands) >= 4; brands = brands[4:] {
		switch string(brands[:4]) {
		case "heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs":
			return "image/heic"
		case "avif", "avis":
			found = "image/avif"
		case "mif1", "msf1":
			found = cmp.Or(found, "image/heif")
		}
	}
	return found
}

// Limits for the meta box, which lists the items and may contain an Exif item, and for the
// other boxes.
const (
	maxMeta  = 1 << 20
	maxBoxes = 1000
)

// A heifFile is the meta box of a HEIF file: its items and their places.
type heifFile struct {
	data       []byte
	primary    uint32
	items      map[uint32]heifItem
	idat       span   // the body of the idat box, in data
	media      []span // the bodies of the mdat boxes
	extras     []span // the bodies of boxes that a still picture does not need
	properties []box
}

type heifItem struct {
	kind         string // "hvc1", "grid", "Exif", "mime", …
	construction uint16 // 0: extents are offsets in the file, 1: in idat
	extents      []heifExtent
	properties   []int // numbers from 1
}

type heifExtent struct{ offset, length uint64 }

// openHEIF reads the boxes of a HEIF and zeroes its Exif and XMP items in a
// copy of the same length, so that no offset changes.
func openHEIF(data []byte, l Limits) (*source, error) {
	mime := heifType(data)
	f, err := readHEIF(data)
	if err != nil && mime != "image/avif" {
		return nil, err
	}
	if mime == "image/avif" || f.items[f.primary].kind == "av01" {
		return nil, fault(UnsupportedFormat, "the file looks like an AVIF image")
	}
	width, height, err := f.size()
	if err != nil {
		return nil, err
	}
	if err := checkSize(width, height, l); err != nil {
		return nil, err
	}
	clean, err := f.withoutMetadata()
	if err != nil {
		return nil, err
	}
	return &source{mime: mime, width: width, height: height, orientation: 1, clean: clean}, nil
}

// readHEIF finds and reads the meta box. Every box must lie inside the file.
func readHEIF(data []byte) (*heifFile, error) {
	f := &heifFile{data: data, items: map[uint32]heifItem{}}
	found, boxes := false, 0
	for pos := 0; pos < len(data); {
		b, next, err := readBox(data, pos)
		if err != nil {
			return nil, err
		}
		if boxes++; boxes > maxBoxes || b.kind == "meta" && len(b.body) > maxMeta {
			return nil, fault(Corrupt, "the HEIF has more boxes or a longer description than pictures need")
		}
		switch {
		case b.kind == "mdat":
			f.media = append(f.media, span{b.at, next})
		case b.kind == "meta" && !found:
			found = true
			if err := f.meta(b); err != nil {
				return nil, err
			}
		case b.kind != "ftyp" && b.kind != "moov" && len(b.body) > 0:
			f.extras = append(f.extras, span{b.at, next}) // a motion photo's video (mpvd), a maker's own (uuid)
		}
		pos = next
	}
	if !found {
		return nil, fault(Truncated, "the HEIF has no description of its pictures (meta box)")
	}
	return f, nil
}

// size returns the size of the primary item, cropped and rotated as its properties say, in
// their order (ISO/IEC 23008-12, 6.5; the size comes first).
func (f *heifFile) size() (width, height int, err error) {
	for _, n := range f.items[f.primary].properties {
		if n < 1 || n > len(f.properties) {
			continue
		}
		p := f.properties[n-1]
		c := cursor{b: p.body}
		switch p.kind {
		case "ispe":
			c.skip(4)
			width, height = int(c.uint(4)), int(c.uint(4))
		case "clap":
			width, height = cropped(width, c.uint(4), c.uint(4)), cropped(height, c.uint(4), c.uint(4))
		case "irot":
			if c.uint(1)&1 != 0 { // in steps of 90°
				width, height = height, width
			}
		}
		if c.short {
			return 0, 0, fault(Corrupt, "the HEIF's property %s has %d bytes", p.kind, len(p.body))
		}
	}
	if width == 0 || height == 0 {
		return 0, 0, fault(Corrupt, "the HEIF does not declare the size of its picture")
	}
	return width, height, nil
}

// cropped returns num/den, rounded, as the size of a picture that has side pixels; if that is
// no size within it, readers ignore it.
func cropped(side int, num, den uint64) int {
	if den == 0 || num == 0 || num > den*uint64(side) {
		return side
	}
	return max(1, int((num+den/2)/den))
}

// withoutMetadata returns a copy of the file in which the bytes of Exif and XMP items and
// of boxes that the picture does not need are zeroed, or the file itself if there are none.
// The data of all items must be in the file.
func (f *heifFile) withoutMetadata() ([]byte, error) {
	dirty := f.extras
	places := append(f.media, f.idat)
	for _, id := range slices.Sorted(maps.Keys(f.items)) {
		item := f.items[id]
		spans, err := f.spans(item)
		if err != nil {
			return nil, err
		}
		if !item.metadata() {
			continue
		}
		for _, s := range spans {
			if !slices.ContainsFunc(places, func(p span) bool { return p.from <= s.from && s.to <= p.to }) {
				return nil, fault(Corrupt, "the HEIF says its metadata lie where its boxes are")
			}
		}
		dirty = append(dirty, spans...)
	}
	if len(dirty) == 0 {
		return f.data[:len(f.data):len(f.data)], nil
	}
	clean := bytes.Clone(f.data)
	for _, s := range dirty {
		clear(clean[s.from:s.to])
	}
	return clean, nil
}

// metadata reports whether an item is Exif, XMP or another text.
func (i heifItem) metadata() bool {
	return i.kind == "Exif" || i.kind == "mime" || i.kind == "uri "
}

// spans returns where the bytes of item are.
func (f *heifFile) spans(item heifItem) ([]span, error) {
	within := span{0, len(f.data)}
	switch item.construction {
	case 1:
		within = f.idat
	case 2:
		if item.metadata() {
			return nil, fault(UnsupportedFormat, "the HEIF keeps its %s data inside another item, from where they cannot be removed", item.kind)
		}
		return nil, nil
	}
	var spans []span
	for _, e := range item.extents {
		size := uint64(within.to - within.from)
		if e.offset > size || e.length > size-e.offset {
			return nil, fault(Truncated, "the HEIF ends after %d bytes, before an item of kind %s", len(f.data), item.kind)
		}
		from := within.from + int(e.offset)
		to := from + int(e.length)
		if e.length == 0 {
			to = within.to // length 0 means the rest (ISO/IEC 14496-12, 8.11.3)
		}
		spans = append(spans, span{from, to})
	}
	return spans, nil
}

// A box is one box of an ISO base media file.
type box struct {
	kind string
	body []byte
	at   int // offset of body in the file
}

// readBox reads the box at pos of data and returns the position of the next.
func readBox(data []byte, pos int) (b box, next int, err error) {
	c := cursor{b: data[pos:]}
	size := c.uint(4)
	kind := string(c.take(4))
	head := uint64(8)
	switch size {
	case 0:
		size = uint64(len(data) - pos)
	case 1:
		size, head = c.uint(8), 16
	}
	if c.short || size > uint64(len(data)-pos) {
		return box{}, 0, fault(Truncated, "the HEIF ends inside box %q", kind)
	}
	if size < head {
		return box{}, 0, fault(Corrupt, "the HEIF's box %q has %d bytes", kind, size)
	}
	next = pos + int(size)
	return box{kind: kind, body: data[pos+int(head) : next], at: pos + int(head)}, next, nil
}

// A cursor reads big-endian numbers from b. After the end of b it sets short and returns
// zeros.
type cursor struct {
	b     []byte
	short bool
}

func (c *cursor) take(n int) []byte {
	if n > len(c.b) {
		c.b, c.short = nil, true
		return nil
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor) skip(n int) { c.take(n) }

// uint reads a number of n bytes, 0 to 8.
func (c *cursor) uint(n int) uint64 {
	v := uint64(0)
	for _, b := range c.take(n) {
		v = v<<8 | uint64(b)
	}
	return v
}

// count reads a number of n bytes that counts things of at least least bytes each. It sets
// short if there cannot be so many.
func (c *cursor) count(n, least int) int {
	v := c.uint(n)
	if v > math.MaxInt32 || int(v)*least > len(c.b) {
		c.short = true
		return 0
	}
	return int(v)
}
