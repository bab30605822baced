package samples

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// There are at least 300 frames, each of its own name and number, in every shape
// and colour, and each can be told from the others by what it is called.
func TestFrames(t *testing.T) {
	frames := Frames()
	skus, kinds := map[string]bool{}, map[string]bool{}
	for _, f := range frames {
		skus[f.SKU], kinds[f.Shape+" "+f.Color] = true, true
		if f.Price <= 0 || f.Stock < 0 || f.Gender == "" || f.Material == "" || frameInks[f.Color] == 0 {
			t.Errorf("%+v lacks something", f)
		}
	}
	if len(frames) < 300 || len(skus) != len(frames) || len(kinds) != len(frameShapes)*len(frameColors) {
		t.Errorf("%d frames with %d numbers, of %d shapes and colours; want at least 300, and all", len(frames), len(skus), len(kinds))
	}
}

// Pictures are the same at every run.
func TestFramesAreDrawnTheSame(t *testing.T) {
	f := Frames()[40]
	if !bytes.Equal(f.PNG(), f.PNG()) {
		t.Errorf("two drawings of %s differ", f.SKU)
	}
	if bytes.Equal(f.PNG(), Frames()[41].PNG()) {
		t.Errorf("%s and %s look the same", f.SKU, Frames()[41].SKU)
	}
}

// The file that is written names pictures that lie beside it.
func TestWriteEyewear(t *testing.T) {
	folder := t.TempDir()
	path, err := WriteEyewear(folder)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(file) {
		var p struct {
			SKU   string `json:"sku"`
			Image string `json:"image_uri"`
		}
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(folder, p.Image)); err != nil || p.SKU == "" {
			t.Errorf("%s names the picture %q: %v", p.SKU, p.Image, err)
		}
		n++
	}
	if n != len(Frames()) {
		t.Errorf("the file has %d products, want %d", n, len(Frames()))
	}
}
