package photo

import (
	"bytes"
	"testing"

	"example.com/whatis/emulators/realdata"
)

// Photos from shops and phones, one of them a JPEG named .webp.
func TestRealPhotos(t *testing.T) {
	tests := []struct {
		name          string
		width, height int
	}{
		{"0000020713713_35.jpg", 185, 400},
		{"0011110104793_2.jpg", 440, 834},
		{"0011110702081_2.jpg", 360, 475},
		{"0074306802576_1.jpg", 777, 1505},
		{"0100_42xrafPHyY.webp", 3024, 4032},
		{"3256220787321_1.jpg", 1036, 1200},
		{"3256220787321_2.jpg", 725, 1200},
		{"4056489895008_1.400.jpg", 300, 400},
		{"4099100116205_4.400.jpg", 387, 400},
		{"9509827987422_1.jpg", 1081, 889},
		{"no_upc1.jpg", 248, 400},
		{"small_upc1.jpg", 300, 400},
		{"upc1.jpg", 400, 227},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := realdata.Read(t, "photos/"+test.name)
			p, err := Prepare(data, Limits{MaxSide: 4032})
			if err != nil {
				t.Fatalf("Prepare = %v", err)
			}
			if p.MIMEType != "image/jpeg" || p.SentType != "image/jpeg" || p.Width != test.width || p.Height != test.height {
				t.Errorf("Prepare = %s as %s, %d × %d; want image/jpeg as it is, %d × %d", p.MIMEType, p.SentType, p.Width, p.Height, test.width, test.height)
			}
			if bytes.Contains(p.Sent, []byte("Exif\x00")) || bytes.Contains(p.Sent, []byte("http://ns.adobe.com")) {
				t.Errorf("Sent holds Exif or XMP")
			}
			if sent, err := open(p.Sent, Limits{}.withDefaults()); err != nil || sent.width != test.width || sent.height != test.height {
				t.Errorf("Sent = %v, %v; want %d × %d pixels", sent, err, test.width, test.height)
			}
			if _, err := Prepare(data[:len(data)/2], Limits{}); codeOf(err) != Truncated {
				t.Errorf("Prepare of half of it = %v, want code %s", err, Truncated)
			}
		})
	}
}

// A real photo is turned without loss. Over the limit of bytes it is scaled instead.
func TestRealPhotoTurned(t *testing.T) {
	data := mirrored(withoutExif(t, "3256220787321_2.jpg"))
	p, err := Prepare(data, Limits{})
	must(t, err)
	checkSent(t, p, 720, 1200) // 725 less the last, incomplete blocks
	if p.Width != 725 || p.Height != 1200 || p.Decodes() > 0 {
		t.Errorf("Prepare = %d × %d after %d decodings, want the original's 725 × 1200 after none", p.Width, p.Height, p.Decodes())
	}
	small, err := Prepare(data, Limits{MaxSide: 600, MaxSent: 100_000})
	must(t, err)
	checkSent(t, small, 363, 600)
}

// withoutExif returns a real photo as it is sent.
func withoutExif(t *testing.T, name string) []byte {
	p, err := Prepare(realdata.Read(t, "photos/"+name), Limits{})
	must(t, err)
	return p.Sent
}
