package samples

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// packFont is the font of packs that are drawn to order, with the letters of most of Europe.
var packFont = sync.OnceValue(func() *sfnt.Font {
	f, err := opentype.Parse(gobold.TTF)
	if err != nil {
		panic(fmt.Sprintf("samples: %v", err))
	}
	return f
})

// A Print is the text on a drawn pack. Empty fields are not drawn.
type Print struct {
	Brand, Name, Amount string // in Latin script
	GTIN                string // 8, 12 or 13 digits, with their check digit
}

// The sizes of such a pack.
const (
	packWidth, packHeight = 480, 600
	packModule            = 3 // of its bars
)

// Pack draws a pack with a given print, in colours derived from the print, as a PNG. Its
// truth is that of a model that reads every letter and does not know the product: both
// confidences are 0.6.
func Pack(p Print) (*Sample, error) {
	for _, line := range p.lines() {
		if letter, ok := missing(line); ok {
			return nil, fmt.Errorf("samples: the font lacks %q of %q", letter, line)
		}
	}
	if n := len(p.GTIN); n != 0 && n != 8 && n != 12 && n != 13 {
		return nil, fmt.Errorf("samples: a pack shows a code of 8, 12 or 13 digits, not %q", p.GTIN)
	}
	var b bytes.Buffer
	quick := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := quick.Encode(&b, p.draw()); err != nil {
		return nil, fmt.Errorf("samples: %w", err)
	}
	s := &Sample{File: fmt.Sprintf("pack-%08x.png", p.seed()), MIMEType: "image/png", data: b.Bytes(), Truth: Truth{
		Kind: Product, Brand: p.Brand, Name: p.Name, Description: "a pack, drawn flat", GTIN: p.GTIN,
		NameConfidence: 0.6, BrandConfidence: 0.6, Known: "unsure", Count: 1,
	}}
	for _, line := range p.lines() {
		s.Truth.Lines = append(s.Truth.Lines, Line{Text: line, Clear: true})
		s.Truth.Features = append(s.Truth.Features, line)
	}
	return s, nil
}

// lines returns the lines that are not empty.
func (p Print) lines() (lines []string) {
	for _, line := range []string{p.Brand, p.Name, p.Amount} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// missing returns the first letter of a line that the font lacks.
func missing(line string) (rune, bool) {
	var b sfnt.Buffer
	for _, r := range line {
		if glyph, err := packFont().GlyphIndex(&b, r); err != nil || glyph == 0 {
			return r, true
		}
	}
	return 0, false
}

func (p Print) seed() uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, p)
	return h.Sum32()
}

func (p Print) draw() image.Image {
	seed := p.seed()
	tone := color.NRGBA{uint8(seed), uint8(seed >> 8), uint8(seed >> 16), 255}
	m := image.NewRGBA(image.Rect(0, 0, packWidth, packHeight))
	draw.Draw(m, m.Rect, image.NewUniform(between(tone, rgb(0xffffff), 0.8)), image.Point{}, draw.Src)
	draw.Draw(m, image.Rect(0, 0, packWidth, 24), image.NewUniform(tone), image.Point{}, draw.Src)
	ink := image.NewUniform(between(tone, rgb(0x000000), 0.75))
	y := 70
	for i, text := range []string{p.Brand, p.Name, p.Amount} {
		size := []int{40, 32, 24}[i]
		y = drawText(m, ink, size, y, text) + 16
	}
	switch n := len(p.GTIN); n {
	case 8:
		drawBars(m, image.Pt((packWidth-67*packModule)/2, packHeight-138), packModule, 80, p.GTIN)
	case 12, 13:
		drawBars(m, image.Pt((packWidth-95*packModule)/2, packHeight-138), packModule, 80, strings.Repeat("0", 13-n)+p.GTIN)
	}
	return m
}

// drawText draws a text in the middle of a pack, with its first line at y, and returns where
// the line after it would be.
func drawText(m draw.Image, ink image.Image, size, y int, text string) int {
	face, err := opentype.NewFace(packFont(), &opentype.FaceOptions{Size: float64(size), DPI: 72})
	if err != nil {
		panic(fmt.Sprintf("samples: %v", err)) // the sizes are those of a pack
	}
	for _, line := range wrapped(text, face, packWidth-40) {
		d := font.Drawer{Dst: m, Src: ink, Face: face}
		d.Dot = fixed.Point26_6{X: (fixed.I(packWidth) - d.MeasureString(line)) / 2, Y: fixed.I(y)}
		d.DrawString(line)
		y += size * 13 / 10
	}
	return y
}

// wrapped wraps a text into lines no wider than width, except for single wider words.
func wrapped(text string, face font.Face, width int) (lines []string) {
	for _, word := range strings.Fields(text) {
		if last := len(lines) - 1; last >= 0 && font.MeasureString(face, lines[last]+" "+word) <= fixed.I(width) {
			lines[last] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}
