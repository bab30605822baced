package samples

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/image/draw"

	"example.com/whatis/emulators/realdata"
)

var update = flag.Bool("update", false, "rewrite fingerprints.txt")

// decoded are the pictures of the samples, in the order of All.
var decoded = sync.OnceValue(func() (list []image.Image) {
	for _, s := range All() {
		list = append(list, s.Image())
	}
	return list
})

func TestFingerprintsFile(t *testing.T) {
	var b strings.Builder
	for i, s := range All() {
		f := fingerprintOf(decoded()[i])
		b.WriteString(f.line(s.File))
		if *update {
			continue
		}
		// Rounding may differ a little between processors.
		known := fingerprints()[i]
		if f.width != known.width || f.height != known.height || f.residue(known, 1, 0) > 0.5 {
			t.Errorf("the fingerprint of %s is stale: go test -run TestFingerprintsFile -update", s.File)
		}
	}
	if *update {
		if err := os.WriteFile("fingerprints.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got, want := len(fingerprints()), len(All()); got != want {
		t.Errorf("fingerprints.txt has %d lines, want %d", got, want)
	}
}

func TestRecogniseCopies(t *testing.T) {
	t.Parallel()
	distortions := []struct {
		name  string
		apply func(t *testing.T, m image.Image) image.Image
	}{
		{"no change", func(_ *testing.T, m image.Image) image.Image { return m }},
		{"JPEG q60", func(t *testing.T, m image.Image) image.Image { return asJPEG(t, m, 60) }},
		{"brighter", func(_ *testing.T, m image.Image) image.Image { return gained(m, 1.2, 0) }},
		{"darker", func(_ *testing.T, m image.Image) image.Image { return gained(m, 0.8, 0) }},
		{"lifted", func(_ *testing.T, m image.Image) image.Image { return gained(m, 1, 12) }},
		{"256 colours", func(_ *testing.T, m image.Image) image.Image { return paletted(m) }},
		{"darker, JPEG q60", func(t *testing.T, m image.Image) image.Image { return asJPEG(t, gained(m, 0.8, 0), 60) }},
	}
	for i, s := range All() {
		whole := decoded()[i]
		checkRecognised(t, s, "whole", whole)
		checkRecognised(t, s, "every third pixel", scaled(whole, draw.NearestNeighbor))
		third := scaled(whole, draw.ApproxBiLinear)
		for _, d := range distortions {
			checkRecognised(t, s, "a third, "+d.name, d.apply(t, third))
		}
	}
	checkRecognised(t, All()[0], "whole, JPEG q60", asJPEG(t, decoded()[0], 60))
}

func checkRecognised(t *testing.T, s *Sample, how string, m image.Image) {
	t.Helper()
	if got, ok := Recognise(m); !ok || got != s {
		t.Errorf("Recognise(%s, %s) = %s, %v, want the sample", s.File, how, file(got), ok)
	}
}

func TestRecogniseNothingElse(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	noise := image.NewRGBA(image.Rect(0, 0, 760, 950))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(random.UintN(256))
	}
	pictures := map[string]image.Image{
		"no pixel":  image.NewRGBA(image.Rectangle{}),
		"one pixel": image.NewRGBA(image.Rect(0, 0, 1, 1)),
		"black":     flatColour(color.Black),
		"white":     flatColour(color.White),
		"teal":      flatColour(color.RGBA{15, 74, 78, 255}),
		"endless":   image.NewUniform(color.White),
		"noise":     noise,
	}
	for i := range 20 {
		pictures[fmt.Sprintf("blobs %d", i)] = blobs(random)
	}
	for i, s := range All() {
		m := scaled(decoded()[i], draw.ApproxBiLinear)
		b := m.Bounds()
		pictures[s.File+" cropped"] = m.SubImage(image.Rect(b.Dx()/5, b.Dy()/5, b.Dx(), b.Dy()))
		pictures[s.File+" upside down"] = rearranged(m, func(x, y int) (int, int) { return b.Dx() - 1 - x, b.Dy() - 1 - y })
		pictures[s.File+" mirrored"] = rearranged(m, func(x, y int) (int, int) { return b.Dx() - 1 - x, y })
	}
	for name, m := range pictures {
		if got, ok := Recognise(m); ok {
			t.Errorf("Recognise(%s) = %v, want nothing", name, file(got))
		}
	}
}

func TestRecogniseNoRealPhoto(t *testing.T) {
	t.Parallel()
	for _, name := range append(realdata.Need(t, "photos/*"), realdata.Need(t, "barcodes/*/1?.*")...) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 150_000 {
			continue // slow to decode
		}
		m, _, err := image.Decode(bytes.NewReader(b))
		if err != nil {
			continue // the folders also hold text
		}
		if got, ok := Recognise(m); ok {
			t.Errorf("Recognise(%s) = %v, want nothing", name, file(got))
		}
	}
}

func BenchmarkRecognise(b *testing.B) {
	m := All()[0].Image()
	for b.Loop() {
		Recognise(m)
	}
}

func file(s *Sample) string {
	if s == nil {
		return "none"
	}
	return s.File
}

func asJPEG(t *testing.T, m image.Image, quality int) image.Image {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	out, err := jpeg.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// scaled returns m at a third of its size.
func scaled(m image.Image, by draw.Scaler) *image.RGBA {
	b := m.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx()/3, b.Dy()/3))
	by.Scale(out, out.Rect, m, b, draw.Src, nil)
	return out
}

func gained(m image.Image, gain, offset float64) image.Image {
	out := image.NewRGBA(m.Bounds())
	draw.Draw(out, out.Rect, m, out.Rect.Min, draw.Src)
	for i, v := range out.Pix {
		if i%4 != 3 {
			out.Pix[i] = uint8(min(max(float64(v)*gain+offset, 0), 255))
		}
	}
	return out
}

func flatColour(c color.Color) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, 760, 950))
	draw.Draw(m, m.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return m
}

// paletted is m in 256 colours.
func paletted(m image.Image) image.Image {
	out := image.NewPaletted(m.Bounds(), palette.Plan9)
	draw.FloydSteinberg.Draw(out, out.Rect, m, m.Bounds().Min)
	return out
}

// blobs are soft round lights on a dark ground, the picture most like a
// sample that shows little.
func blobs(random *rand.Rand) image.Image {
	m := image.NewGray(image.Rect(0, 0, 480, 600))
	for range 1 + random.IntN(4) {
		x, y, r := 120+random.Float64()*240, 150+random.Float64()*300, 40+random.Float64()*120
		for i := range m.Pix {
			d := math.Hypot(float64(i%m.Stride)-x, float64(i/m.Stride)-y) / r
			m.Pix[i] = uint8(min(255, float64(m.Pix[i])+50*math.Exp(-d*d)))
		}
	}
	return m
}

func rearranged(m image.Image, from func(x, y int) (int, int)) image.Image {
	out := image.NewRGBA(m.Bounds())
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.Set(x, y, m.At(from(x, y)))
		}
	}
	return out
}
