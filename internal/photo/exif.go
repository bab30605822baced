package photo

import "encoding/binary"

// exifOrientation reads the orientation, 1 to 8, from the Exif data of a JPEG segment, a
// PNG or WebP chunk, or from a whole TIFF file. A missing or invalid value counts as 1,
// upright. Only the first directory is read, so a loop of directories is harmless.
//
//	1 upright           2 mirrored left to right
//	3 turned by 180°    4 mirrored top to bottom
//	5 transposed        6 to be turned 90° clockwise
//	7 transversed       8 to be turned 90° anticlockwise
func exifOrientation(data []byte) int {
	if starts(data, "Exif\x00") && len(data) >= 6 {
		data = data[6:]
	}
	if v := tiffValue(data, 0x0112); v >= 1 && v <= 8 {
		return v
	}
	return 1
}

// tiffValue returns the first value of a tag in the first directory of a TIFF, which should
// be a SHORT; some files use LONG. It is 0 without one.
func tiffValue(data []byte, tag uint16) int {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case starts(data, "MM\x00*"):
		order = binary.BigEndian
	case !starts(data, "II*\x00"):
		return 0
	}
	if len(data) < 8 {
		return 0
	}
	at := int64(order.Uint32(data[4:]))
	if at+2 > int64(len(data)) {
		return 0
	}
	count := int(order.Uint16(data[at:]))
	for entries := data[at+2:]; count > 0 && len(entries) >= 12; entries = entries[12:] {
		if order.Uint16(entries) != tag {
			count--
			continue
		}
		if order.Uint16(entries[2:]) == 4 {
			return int(order.Uint32(entries[8:]))
		}
		return int(order.Uint16(entries[8:]))
	}
	return 0
}
