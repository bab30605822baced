package photo

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// Metadata are cut out the same in place and in a copy.
func TestCut(t *testing.T) {
	const data = "0123456789abcdefghij"
	for want, spans := range map[string][]span{
		data:           {{0, 20}},
		"01fghij":      {{0, 2}, {15, 20}},
		"0123456789ab": {{0, 12}},
		"0179abcdefg":  {{0, 2}, {7, 8}, {9, 17}},
		"012345678aj":  {{0, 9}, {10, 11}, {19, 20}},
	} {
		own := []byte(data)
		if got := cut([]byte(data), spans, false); string(got) != want {
			t.Errorf("cut %v = %q, want %q", spans, got, want)
		}
		got := cut(own, spans, true)
		if string(got) != want || cap(got) != len(got) {
			t.Errorf("cut %v in place = %q with %d bytes more, want %q with none", spans, got, cap(got)-len(got), want)
		}
	}
}

// A photo that is owned is the same, and takes no copy.
func TestOwned(t *testing.T) {
	m := corners(801, 601)
	for name, data := range map[string][]byte{
		"upright": jpegWithExif(asJPEG(t, m), exif(order, 1)), "turned": jpegWithExif(asJPEG(t, m), exif(order, 6)), "PNG": withChunks(asPNG(t, m), pngChunk("eXIf", exif(order, 1))),
	} {
		want, err := Prepare(data, Limits{})
		must(t, err)
		u := NewUpload(bytes.Clone(data))
		u.Owned = true
		f, err := u.Inspect(Limits{})
		must(t, err)
		got, err := f.Photo()
		must(t, err)
		if !bytes.Equal(got.Sent, want.Sent) || got.SHA256 != want.SHA256 {
			t.Errorf("%s: an owned photo is sent as other bytes", name)
		}
		if name == "upright" && &u.Data[len(u.Data)-1] != &got.Sent[len(got.Sent)-1] {
			t.Errorf("%s: the bytes were copied", name)
		}
	}
}

var order = binary.BigEndian
