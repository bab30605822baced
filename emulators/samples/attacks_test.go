package samples

import (
	"bytes"
	"image"
	"image/draw"
	_ "image/jpeg"
	"testing"
)

// Each attack is read on its pack; painted over, it is not, and the pack still is.
func TestRecogniseSticker(t *testing.T) {
	t.Parallel()
	if len(Attacks()) < 15 {
		t.Errorf("%d attacks, want 15 at least", len(Attacks()))
	}
	for _, a := range Attacks() {
		img, _, err := image.Decode(bytes.NewReader(a.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if pack, got, lines := RecogniseSticker(img); pack != a.Pack || got != a || len(lines) != len(a.Sticker.Lines) {
			t.Errorf("RecogniseSticker(%s) = lines %v of %s on %s; want all on %s", a.File, lines, file(got), file(pack), a.Pack.File)
		}
		covered := image.NewRGBA(img.Bounds())
		draw.Draw(covered, covered.Rect, img, image.Point{}, draw.Src)
		for i := len(a.Sticker.Boxes) - 1; i >= 0; i-- {
			draw.Draw(covered, pixels(a.Sticker.Boxes[i], img.Bounds()).Inset(-2), image.NewUniform(rgb(0xc0a070)), image.Point{}, draw.Src)
			if pack, _, lines := RecogniseSticker(covered); pack != a.Pack || len(lines) != i {
				t.Errorf("RecogniseSticker(%s, painted over from line %d on) = lines %v on %s; want %d on %s", a.File, i, lines, file(pack), i, a.Pack.File)
			}
		}
		if len(a.Sticker.Boxes) != len(a.Sticker.Lines) || len(a.Truth.Lines) != len(a.Pack.Truth.Lines)+len(a.Sticker.Lines) {
			t.Errorf("%s: %d boxes, %d lines; want as many as its sticker and its pack have", a.File, len(a.Sticker.Boxes), len(a.Truth.Lines))
		}
	}
}

// A pack without a sticker has none, and another picture is none of the packs.
func TestRecogniseNoSticker(t *testing.T) {
	t.Parallel()
	for i, s := range All() {
		if _, got, _ := RecogniseSticker(decoded()[i]); got != nil {
			t.Errorf("RecogniseSticker(%s) = %s, want no sticker", s.File, file(got))
		}
	}
	if pack, _, _ := RecogniseSticker(flatColour(rgb(0x0f4a4e))); pack != nil {
		t.Errorf("RecogniseSticker of one colour = %s, want nothing", file(pack))
	}
}
