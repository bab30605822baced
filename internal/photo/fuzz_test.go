package photo

import (
	"bytes"
	"encoding/binary"
	"image"
	"testing"
)

// For any input Prepare returns an *Error or something to send, uses limited memory, and
// never sends metadata from the places where readers look for it.
func FuzzPrepare(f *testing.F) {
	m := gradient(24, 16)
	tag := exif(binary.BigEndian, 6)
	for _, seed := range [][]byte{
		nil, []byte("text"), asJPEG(f, m), asPNG(f, m), asGIF(f, m), asBMP(f, m), asTIFF(f, m), asWebP(f, m), lossyWebP(24, 16),
		jpegWithExif(asJPEG(f, m), tag), withChunks(asPNG(f, m), pngChunk("eXIf", tag)), extendedWebP(f, m, tag),
		animatedWebP(f, image.NewNRGBA(image.Rect(0, 0, 8, 8))), tiffWithOrientation(m, 8),
		flatJPEG{width: 24, height: 16, components: 4}.file(), flatJPEG{width: 24, height: 16, components: 3, progressive: true}.file(),
		flatJPEG{width: 24, height: 16, components: 1, restart: 2}.file(),
		heifRecipe{}.file(), heifRecipe{construction: 1, ilocVersion: 1}.file(),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const pixels, side = 1 << 18, 64
		var p *Photo
		var err error
		got := allocated(func() { p, err = Prepare(data, Limits{MaxPixels: pixels, MaxSide: side, MaxSent: 1 << 16}) })
		if most := uint64(8<<20 + 8*len(data) + 32*pixels); got > most {
			t.Errorf("Prepare of %d bytes allocated %d, want at most %d", len(data), got, most)
		}
		if err != nil {
			if code := codeOf(err); advice[code] == "" || p != nil {
				t.Errorf("Prepare = %v, %v; want a known code and nothing else", p, err)
			}
			return
		}
		checkPhoto(t, p, data)
	})
}

func checkPhoto(t *testing.T, p *Photo, data []byte) {
	if p.Width <= 0 || p.Height <= 0 || len(p.Sent) == 0 || len(p.Sent) > 1<<16 {
		t.Errorf("Prepare accepts %d × %d pixels and sends %d bytes", p.Width, p.Height, len(p.Sent))
	}
	again, err := Prepare(p.Sent, Limits{})
	if err != nil || again.MIMEType != p.SentType {
		t.Errorf("Prepare of what was sent = %v, want it accepted as %s", err, p.SentType)
		return
	}
	if !bytes.Equal(again.Sent, p.Sent) {
		t.Errorf("Prepare finds something to remove in what was sent")
	}
}
