package answers

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image/jpeg"
	"testing"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// otherViews are never files of the catalogue: turned, scaled, on another
// background, and compressed.
var otherViews = []samples.View{
	{Width: 280, Turn: 7, Scale: 0.85, Background: 0xE9DFC9},
	{Width: 420, Turn: -11, Scale: 0.7, Background: 0x9FC3A6, Shade: 0.1},
	{Width: 640, Turn: 3, Scale: 0.8, Background: 0xB9A5C8, Shade: 0.15},
}

// seenAs is the vector of a picture of f, as a client gets it.
func seenAs(t testing.TB, f samples.Frame, v samples.View) []float32 {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, f.Picture(v), &jpeg.Options{Quality: 75}); err != nil {
		t.Fatal(err)
	}
	return vectorOf(t, inlineOf("image/jpeg", b.Bytes()))
}

func inlineOf(mime string, data []byte) gemini.Inline {
	return gemini.Inline{MIMEType: mime, SHA256: fmt.Sprintf("%x", sha256.Sum256(data)), Data: data}
}

func vectorOf(t testing.TB, photo gemini.Inline) []float32 {
	t.Helper()
	v, err := new(observer).embed(t.Context(), "", []gemini.Inline{photo}, 768)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// shelf is every frame of the catalogue as it is embedded.
func shelf(t testing.TB) ([]samples.Frame, [][]float32) {
	t.Helper()
	frames := samples.Frames()
	vectors := make([][]float32, len(frames))
	for i, f := range frames {
		vectors[i] = vectorOf(t, inlineOf("image/png", f.PNG()))
	}
	return frames, vectors
}

// Another picture of a frame is nearest to frames of its shape and its colour.
func TestOtherPicturesOfFramesFindThem(t *testing.T) {
	frames, vectors := shelf(t)
	shapes, colours, both, n := 0, 0, 0, 0
	missed := map[string]int{}
	for i, f := range frames {
		if i%5 != 0 {
			continue
		}
		seen := seenAs(t, f, otherViews[i%len(otherViews)])
		nearest, best := 0, -2.0
		for j := range frames {
			if c := cosine(seen, vectors[j]); c > best {
				nearest, best = j, c
			}
		}
		g := frames[nearest]
		n++
		if g.Shape == f.Shape {
			shapes++
		} else {
			missed[f.Shape+"→"+g.Shape]++
		}
		if g.Color == f.Color {
			colours++
		} else {
			missed[f.Color+"→"+g.Color]++
		}
		if g.Shape == f.Shape && g.Color == f.Color {
			both++
		}
	}
	t.Logf("of %d: shape %d, colour %d, both %d; missed %v", n, shapes, colours, both, missed)
	if both*100 < 90*n {
		t.Errorf("the nearest frame has shape and colour of %d of %d pictures, want 90 in 100", both, n)
	}
}

// Words and pictures share one space.
func TestWordsAreNearPicturesOfThem(t *testing.T) {
	pick := func(shape, color string) []float32 {
		return seenAs(t, samples.Frame{Shape: shape, Color: color, Category: "frames"}, otherViews[0])
	}
	blackRound, redSquare := pick("round", "black"), pick("square", "red")
	for _, query := range []string{"black round", "kính tròn màu đen", "round black glasses"} {
		words := embedding(queryTask+query, 768)
		near, far := cosine(words, blackRound), cosine(words, redSquare)
		t.Logf("%s: %.2f and %.2f", query, near, far)
		if near < far+0.2 {
			t.Errorf("cosines of %q with a black round picture %.2f, with a red square one %.2f; want the first higher by 0.2", query, near, far)
		}
	}
}

// A pack, a landscape and what stickers are on show no glasses, and have the vector
// that they had.
func TestPacksAreNoEyewear(t *testing.T) {
	for _, s := range append(samples.All(), samples.Attacks()...) {
		if _, ok := eyewearIn(inlineOf(s.MIMEType, s.Bytes())); ok {
			t.Errorf("%s shows eyewear, want none", s.File)
		}
	}
}
