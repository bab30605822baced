package samples

import (
	"fmt"
	"hash/fnv"
	"image/color"
	"strings"
	"sync"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
)

// The faces of packs that are drawn to order, with the letters of most of Europe.
var (
	latin     = sync.OnceValue(func() *sfnt.Font { return parseFont(goregular.TTF) })
	latinBold = sync.OnceValue(func() *sfnt.Font { return parseFont(gobold.TTF) })
)

// A Print is what stands on a pack that is drawn to order. What is empty is not drawn.
type Print struct {
	Brand, Name, Amount string // in Latin script
	GTIN                string // 8, 12 or 13 digits, with their check digit
}

// The sizes of such a pack.
const (
	packWidth, packHeight = 480, 600
	packModule            = 3.0 // of its bars
)

// Pack draws a pack with a print of somebody's, in colours that the print gives it. It
// is a PNG, and its truth is of a model that reads every letter and does not know the
// product: both confidences are 0.6.
func Pack(p Print) (*Sample, error) {
	for _, line := range []string{p.Brand, p.Name, p.Amount} {
		if letter, ok := missing(line); ok {
			return nil, fmt.Errorf("samples: no face has %q of %q", letter, line)
		}
	}
	if n := len(p.GTIN); n != 0 && n != 8 && n != 12 && n != 13 {
		return nil, fmt.Errorf("samples: a pack shows a code of 8, 12 or 13 digits, not %q", p.GTIN)
	}
	s := &Sample{MIMEType: "image/png", draw: p.draw, Truth: Truth{
		Kind: Product, Brand: p.Brand, Name: p.Name, Description: "a pack, drawn flat", GTIN: p.GTIN,
		NameConfidence: 0.6, BrandConfidence: 0.6, Known: "unsure", Count: 1,
	}}
	for _, line := range []string{p.Brand, p.Name, p.Amount} {
		if line != "" {
			s.Truth.Lines = append(s.Truth.Lines, Line{line, true})
			s.Truth.Features = append(s.Truth.Features, line)
		}
	}
	s.File = fmt.Sprintf("pack-%08x.png", p.seed())
	s.bytes = sync.OnceValue(func() []byte { return encode(s.MIMEType, s.draw().picture) })
	return s, nil
}

// missing is the first letter of a line that the faces lack.
func missing(line string) (rune, bool) {
	var b sfnt.Buffer
	for _, r := range line {
		if glyph, err := latinBold().GlyphIndex(&b, r); err != nil || glyph == 0 {
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

func (p Print) draw() *canvas {
	c := newCanvas(packWidth, packHeight)
	seed := p.seed()
	tone := color.NRGBA{uint8(seed), uint8(seed >> 8), uint8(seed >> 16), 255}
	paper, ink := between(tone, rgb(0xffffff), 0.8), between(tone, rgb(0x000000), 0.75)
	c.backdrop(paper, between(paper, tone, 0.15))
	c.fill(flat, rect(0, 0, packWidth, 24), tone)
	y := 70.0
	for _, part := range []struct {
		text string
		face func() *sfnt.Font
		size float64
	}{{p.Brand, latinBold, 40}, {p.Name, latinBold, 32}, {p.Amount, latin, 24}} {
		for _, line := range wrapped(part.text, style{part.face, part.size, 0, ink}, packWidth-40) {
			c.text(flat, style{part.face, part.size, 0, ink}, centre, packWidth/2, y, line)
			y += part.size * 1.3
		}
		y += 16
	}
	switch len(p.GTIN) {
	case 8:
		c.barcode8(flat, (packWidth-81*packModule)/2, packHeight-150, packModule, 80, p.GTIN)
	case 12, 13:
		c.barcode(flat, (packWidth-115*packModule)/2, packHeight-150, packModule, 80, strings.Repeat("0", 13-len(p.GTIN))+p.GTIN)
	}
	return c
}

// wrapped are the lines of a text that is no wider than width, but for words that are.
func wrapped(text string, st style, width float64) (lines []string) {
	for _, word := range strings.Fields(text) {
		if last := len(lines) - 1; last >= 0 {
			if _, wide := outline(st, lines[last]+" "+word); wide <= width {
				lines[last] += " " + word
				continue
			}
		}
		lines = append(lines, word)
	}
	return lines
}
