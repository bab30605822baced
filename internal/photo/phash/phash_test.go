package phash

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	_ "image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"

	"example.com/whatis/emulators/realdata"
)

func TestDifferent(t *testing.T) {
	all := pictures(t)
	least := 64
	for i, a := range all {
		for _, b := range all[:i] {
			d := a.hash.Distance(b.hash)
			if least = min(least, d); d < 12 {
				t.Errorf("%s and %s are %d apart, want 12 or more", a.name, b.name, d)
			}
		}
	}
	t.Logf("%d pictures, the nearest two %d apart", len(all), least)
}

func TestAlike(t *testing.T) {
	farthest := 0
	for _, p := range pictures(t) {
		for name, change := range changes {
			d := p.hash.Distance(Of(change(p.img)))
			if farthest = max(farthest, d); d > 10 {
				t.Errorf("%s, %s, is %d from itself, want 10 or less", p.name, name, d)
			}
		}
	}
	t.Logf("the farthest copy is %d apart", farthest)
}

// changes are changes that people do not see.
var changes = map[string]func(image.Image) image.Image{
	"of quality 60": func(m image.Image) image.Image {
		var buf bytes.Buffer
		if err := jpeg.Encode(&buf, m, &jpeg.Options{Quality: 60}); err != nil {
			panic(err)
		}
		out, err := jpeg.Decode(&buf)
		if err != nil {
			panic(err)
		}
		return out
	},
	"a third": func(m image.Image) image.Image {
		out := image.NewRGBA(image.Rect(0, 0, m.Bounds().Dx()/3, m.Bounds().Dy()/3))
		draw.BiLinear.Scale(out, out.Rect, m, m.Bounds(), draw.Src, nil)
		return out
	},
	"darker":   func(m image.Image) image.Image { return lit(m, 0.8) },
	"brighter": func(m image.Image) image.Image { return lit(m, 1.2) },
	"as another kind of image": func(m image.Image) image.Image {
		out := image.NewNRGBA(image.Rect(5, 7, 5+m.Bounds().Dx(), 7+m.Bounds().Dy()))
		draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Src)
		return out
	},
}

func lit(m image.Image, part float64) image.Image {
	out := image.NewRGBA(m.Bounds())
	draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Src)
	for i, v := range out.Pix {
		if i%4 != 3 {
			out.Pix[i] = uint8(min(255, float64(v)*part))
		}
	}
	return out
}

func TestParse(t *testing.T) {
	for _, h := range []Hash{0, 1, 0x8f3c00000000abcd, 1<<64 - 1} {
		if got, err := Parse(h.String()); got != h || err != nil {
			t.Errorf("Parse(%q) = %v, %v", h.String(), got, err)
		}
	}
	for _, s := range []string{"", "8f3c", "8f3c00000000abcg", "8f3c00000000abcd0", "-f3c00000000abcd", "0x3c00000000abcd"} {
		if got, err := Parse(s); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", s, got)
		}
	}
}

func TestNothingToSee(t *testing.T) {
	for _, size := range []image.Rectangle{{}, image.Rect(0, 0, 1, 1), image.Rect(3, 3, 90, 4), image.Rect(0, 0, 500, 400)} {
		m := image.NewRGBA(size)
		draw.Draw(m, size, image.NewUniform(color.Gray{130}), image.Point{}, draw.Src)
		if got := Of(m); got != 0 {
			t.Errorf("Of an even picture of %v = %v, want 0", size, got)
		}
	}
}

func BenchmarkOf2MP(b *testing.B) {
	m := image.NewYCbCr(image.Rect(0, 0, 1600, 1250), image.YCbCrSubsampleRatio420)
	for i := range m.Y {
		m.Y[i] = uint8(i * 7 / 1600)
	}
	for b.Loop() {
		Of(m)
	}
}

type picture struct {
	name string
	img  image.Image
	hash Hash
}

// pictures returns drawn pictures, and real photos if there are any.
func pictures(t testing.TB) []picture {
	var all []picture
	for seed := range uint64(12) {
		all = append(all, picture{fmt.Sprintf("drawn %d", seed), drawn(seed), 0})
	}
	for _, file := range realdata.Files("photos/*.*") {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		img, _, err := image.Decode(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, picture{filepath.Base(file), shrunk(img), 0})
	}
	for i := range all {
		all[i].hash = Of(all[i].img)
	}
	return all
}

// shrunk keeps the tests fast: a third of a phone's photo is enough.
func shrunk(img image.Image) image.Image {
	if img.Bounds().Dx() < 1000 {
		return img
	}
	out := image.NewRGBA(image.Rect(0, 0, img.Bounds().Dx()/3, img.Bounds().Dy()/3))
	draw.ApproxBiLinear.Scale(out, out.Rect, img, img.Bounds(), draw.Src, nil)
	return out
}

// drawn returns a picture of boxes, different for each seed.
func drawn(seed uint64) image.Image {
	r := rand.New(rand.NewPCG(seed, 9))
	m := image.NewRGBA(image.Rect(0, 0, 300+r.IntN(200), 300+r.IntN(200)))
	draw.Draw(m, m.Rect, image.NewUniform(color.Gray{uint8(90 + r.IntN(100))}), image.Point{}, draw.Src)
	for range 14 {
		x, y := r.IntN(400), r.IntN(400)
		box := image.Rect(x, y, x+20+r.IntN(160), y+20+r.IntN(160))
		c := color.RGBA{uint8(r.IntN(256)), uint8(r.IntN(256)), uint8(r.IntN(256)), 255}
		draw.Draw(m, box, image.NewUniform(c), image.Point{}, draw.Src)
	}
	return m
}
