package photo

import (
	"encoding/binary"
	"testing"
)

// Any Exif has an orientation from 1 to 8, and the same with and without its mark.
func FuzzExif(f *testing.F) {
	for n := range uint16(10) {
		f.Add(exif(binary.BigEndian, n))
		f.Add(exif(binary.LittleEndian, n))
	}
	f.Add([]byte("II*\x00\xff\xff\xff\xff"))
	f.Add([]byte("MM\x00*\x00\x00\x00\x08\xff\xff\x01\x12\x00\x04\x00\x00\x00\x01\x00\x00\x00\x06"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := exifOrientation(data)
		if got < 1 || got > 8 {
			t.Errorf("exifOrientation = %d", got)
		}
		if marked := exifOrientation(append([]byte("Exif\x00\x00"), data...)); marked != got && !starts(data, "Exif\x00") {
			t.Errorf("exifOrientation = %d, and with its mark %d", got, marked)
		}
	})
}
