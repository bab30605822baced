package photo

import (
	"bytes"
	"testing"
)

// HEIC and HEIF files keep their length and every byte outside Exif and XMP.
func TestPrepareHEIF(t *testing.T) {
	tests := []struct {
		name, mime    string
		recipe        heifRecipe
		width, height int
	}{
		{"HEIC", "image/heic", heifRecipe{}, 64, 48},
		{"grid", "image/heic", heifRecipe{kind: "grid"}, 64, 48},
		{"general brand with heic", "image/heic", heifRecipe{brand: "mif1", compatible: "heic"}, 64, 48},
		{"general brand", "image/heif", heifRecipe{brand: "mif1", compatible: "miaf"}, 64, 48},
		{"sequence", "image/heif", heifRecipe{brand: "msf1"}, 64, 48},
		{"turned by 90°", "image/heic", heifRecipe{rotation: 1}, 48, 64},
		{"turned by 180°", "image/heic", heifRecipe{rotation: 2}, 64, 48},
		{"turned by 270°", "image/heic", heifRecipe{rotation: 3}, 48, 64},
		{"cropped", "image/heic", heifRecipe{crop: clap(50, 1, 81, 2)}, 50, 41},
		{"cropped and turned", "image/heic", heifRecipe{crop: clap(50, 1, 40, 1), rotation: 1}, 40, 50},
		{"cropped to more than there is", "image/heic", heifRecipe{crop: clap(65, 1, 40, 0)}, 64, 48},
		{"Exif in idat", "image/heic", heifRecipe{construction: 1, ilocVersion: 1}, 64, 48},
		{"larger than MaxSide", "image/heic", heifRecipe{size: 4032}, 4032, 3024},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := test.recipe.file()
			if !bytes.Contains(data, []byte(secret)) {
				t.Fatal("the test's file holds no secret")
			}
			p, err := Prepare(data, Limits{})
			if err != nil {
				t.Fatalf("Prepare = %v", err)
			}
			if p.MIMEType != test.mime || p.SentType != test.mime || p.Width != test.width || p.Height != test.height {
				t.Errorf("Prepare = %s sent as %s, %d × %d; want %s, %d × %d", p.MIMEType, p.SentType, p.Width, p.Height, test.mime, test.width, test.height)
			}
			if bytes.Contains(p.Sent, []byte(secret)) {
				t.Errorf("Sent holds the metadata %q", secret)
			}
			for i, b := range p.Sent {
				if b != data[i] && b != 0 {
					t.Fatalf("byte %d of Sent = %x, the original has %x", i, b, data[i])
				}
			}
			if !bytes.Contains(p.Sent, []byte("PPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPP")) || len(p.Sent) != len(data) {
				t.Errorf("Sent lost the picture or its length: %d of %d bytes", len(p.Sent), len(data))
			}
		})
	}
}

// clap returns the body of a clap box: the width, the height, and no offsets.
func clap(width, widthUnit, height, heightUnit int) string {
	return u32(width) + u32(widthUnit) + u32(height) + u32(heightUnit) + u32(0) + u32(1) + u32(0) + u32(1)
}

// A file with Exif that cannot be removed is refused.
func TestHEIFWithHiddenExif(t *testing.T) {
	_, err := Prepare(heifRecipe{construction: 2, ilocVersion: 1}.file(), Limits{})
	if codeOf(err) != UnsupportedFormat {
		t.Errorf("Prepare = %v, want code %s", err, UnsupportedFormat)
	}
}

// A motion photo's video and vendor boxes are not sent; a second meta box is ignored.
func TestHEIFWithOtherBoxes(t *testing.T) {
	data := heifRecipe{}.file()
	for _, kind := range []string{"mpvd", "uuid", "free", "meta"} {
		p, err := Prepare(append(bytes.Clone(data), heifBox(kind, "video ", secret)...), Limits{})
		if err != nil || bytes.Contains(p.Sent, []byte(secret)) {
			t.Errorf("Prepare with a box %s = %v, want its body zeroed", kind, err)
		}
	}
}

// Without metadata the input itself is sent.
func TestHEIFWithoutMetadata(t *testing.T) {
	data := bytes.ReplaceAll(bytes.ReplaceAll(heifRecipe{}.file(), []byte("\x00Exif\x00"), []byte("\x00hvc1\x00")), []byte("mime"), []byte("hvc1"))
	p, err := Prepare(data, Limits{})
	if err != nil || &p.Sent[0] != &data[0] {
		t.Errorf("Prepare = %v, want the input's memory", err)
	}
}

// Zeroing must not change the boxes themselves.
func TestHEIFWithExifInItsBoxes(t *testing.T) {
	data := heifRecipe{}.file()
	at, size := bytes.Index(data, []byte("\x00\x00\x00\x06Exif")), 10+len(secret)
	moved := bytes.Replace(data, []byte(u32(at)+u32(size)), []byte(u32(0)+u32(size)), 1)
	if _, err := Prepare(moved, Limits{}); bytes.Equal(moved, data) || codeOf(err) != Corrupt {
		t.Errorf("Prepare = %v, want code %s", err, Corrupt)
	}
}
