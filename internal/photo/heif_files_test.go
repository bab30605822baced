package photo

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// heifBox returns a box whose body is the concatenated parts.
func heifBox(kind string, parts ...string) string {
	body := strings.Join(parts, "")
	return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))) + kind + body
}

func u16(v int) string { return string(binary.BigEndian.AppendUint16(nil, uint16(v))) }
func u32(v int) string { return string(binary.BigEndian.AppendUint32(nil, uint32(v))) }

// A heifRecipe describes a HEIF file: item 1 is a picture of 64 × 48, item 2 its Exif, item
// 3 its XMP.
type heifRecipe struct {
	brand        string // major brand; default heic
	compatible   string
	kind         string // of item 1; default hvc1
	rotation     int    // irot, in steps of 90°
	crop         string // the body of clap, which comes before irot; none if empty
	construction int    // the place of Exif: 0 in mdat, 1 in idat, 2 in another item
	ilocVersion  int    // version 0 has no construction methods
	size         int    // the longer side, default 64
}

// file writes the boxes; mdat comes first so that its offsets are known.
func (r heifRecipe) file() []byte {
	brand, kind, size := r.brand, r.kind, r.size
	if brand == "" {
		brand = "heic"
	}
	if kind == "" {
		kind = "hvc1"
	}
	if size == 0 {
		size = 64
	}
	picture, exifData, xmp := strings.Repeat("P", 40), "\x00\x00\x00\x06Exif\x00\x00"+secret, "<x>"+secret+"</x>"
	head := heifBox("ftyp", brand, u32(0), brand+r.compatible)
	mdat := heifBox("mdat", picture, exifData, xmp)
	at := len(head) + 8
	exifAt := at + len(picture)
	if r.construction == 1 {
		exifAt = 0
		mdat = heifBox("mdat", picture, strings.Repeat("-", len(exifData)), xmp)
	}
	extents := []struct{ construction, offset, length int }{
		{0, at, len(picture)}, {r.construction, exifAt, len(exifData)}, {0, at + len(picture) + len(exifData), len(xmp)},
	}
	iloc := string([]byte{byte(r.ilocVersion), 0, 0, 0}) + "\x44\x00" + u16(len(extents))
	for i, e := range extents {
		iloc += u16(i + 1)
		if r.ilocVersion > 0 {
			iloc += u16(e.construction)
		}
		iloc += u16(0) + u16(1) + u32(e.offset) + u32(e.length)
	}
	infe := func(id int, kind string) string {
		return heifBox("infe", "\x02\x00\x00\x00", u16(id), u16(0), kind, "\x00")
	}
	associated := "\x02\x01\x82"
	if r.crop != "" {
		associated = "\x03\x01\x83\x82"
	}
	meta := heifBox("meta", u32(0),
		heifBox("hdlr", u32(0), u32(0), "pict", strings.Repeat("\x00", 13)),
		heifBox("pitm", u32(0), u16(1)),
		heifBox("iinf", u32(0), u16(3), infe(1, kind), infe(2, "Exif"), infe(3, "mime")),
		heifBox("iloc", iloc),
		heifBox("iprp",
			heifBox("ipco", heifBox("ispe", u32(0), u32(size), u32(size*3/4)), heifBox("irot", string([]byte{byte(r.rotation)})), heifBox("clap", r.crop)),
			heifBox("ipma", u32(0), u32(1), u16(1), associated)),
		heifBox("idat", exifData))
	if r.construction != 1 {
		meta = strings.Replace(meta, exifData, strings.Repeat("-", len(exifData)), 1)
	}
	return bytes.Join([][]byte{[]byte(head), []byte(mdat), []byte(meta)}, nil)
}
