package samples

import (
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"testing"
)

// Each leaflet is the picture of what its label says: -update draws them anew.
func TestLeaflets(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("leaflets/labels.json")
	if err != nil {
		t.Fatal(err)
	}
	var labels []leafletLabel
	if err := json.Unmarshal(data, &labels); err != nil || len(labels) < 5 {
		t.Fatalf("labels.json has %d leaflets, %v; want 5 at least", len(labels), err)
	}
	total := 0
	for i, l := range labels {
		drawn, path := drawLeaflet(l, i).picture, filepath.Join("leaflets", l.File)
		if *update {
			if err := os.WriteFile(path, encode("image/jpeg", drawn), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		s := Leaflets()[i]
		if s.File != l.File || len(s.Truth.Lines) != len(l.Lines) || s.Truth.Lines[0].Text != l.Brand || s.Truth.Lines[1].Text != l.Name {
			t.Errorf("leaflet %d is %s, %v; want %s, its brand and its name first", i, s.File, s.Truth.Lines, l.File)
		}
		total += len(s.Bytes())
		if d := difference(decodedRGBA(s.Bytes()), drawn); d > 6 {
			t.Errorf("%s is %.1f levels from what its label says: go test -run TestLeaflets -update", l.File, d)
		}
	}
	if total > 1<<20 {
		t.Errorf("the leaflets take %d bytes, want at most 1 MiB", total)
	}
}

// difference is the mean of the differences of all values, in levels of 0 to 255.
func difference(a, b *image.RGBA) float64 {
	if a.Rect != b.Rect {
		return 255
	}
	sum := 0
	for i := range a.Pix {
		sum += max(int(a.Pix[i])-int(b.Pix[i]), int(b.Pix[i])-int(a.Pix[i]))
	}
	return float64(sum) / float64(len(a.Pix))
}

// drawLeaflet draws the brand, the name and the other lines of l, below each other.
func drawLeaflet(l leafletLabel, seed int) *canvas {
	const w, h, margin = 800.0, 760.0, 46.0
	c := newCanvas(w, h)
	papers := []uint32{0xf6f1e4, 0xeef3f6, 0xf3efe9, 0xf7f7f2, 0xf4ecd9, 0xeaf0ea}
	c.fill(flat, rect(0, 0, w, h), rgb(papers[seed%len(papers)]))
	c.fill(flat, rect(0, 0, w, 12), teal)
	c.set(flat, style{serif, 40, 2, tealDark}, left, margin, 86, l.Brand)
	c.set(flat, style{bold, 52, 0, copper}, left, margin, 158, l.Name)
	c.fill(flat, rect(margin, 186, w-2*margin, 2), tealDark)
	for i, line := range l.Lines[2:] {
		st := style{regular, 24, 0, rgb(0x1c1c1c)}
		if i%3 == 1 {
			st.face = bold
		}
		if _, width := outline(st, line.Text); width > w-2*margin {
			st.size *= (w - 2*margin) / width
		}
		c.set(flat, st, left, margin, 246+float64(i)*64, line.Text)
	}
	c.shine(light{from: point{0.2, 0.1}, strength: 0.3, vignette: 0.2, grain: 3, seed: uint32(17 + seed)})
	return c
}
