package samples

import (
	_ "embed"
	"fmt"
	"image/color"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

//go:embed font/regular.otf
var regularFile []byte

//go:embed font/bold.otf
var boldFile []byte

//go:embed font/serif.otf
var serifFile []byte

// The three faces of all packs; font/README.md says where they come from.
var (
	regular = sync.OnceValue(func() *sfnt.Font { return parseFont(regularFile) })
	bold    = sync.OnceValue(func() *sfnt.Font { return parseFont(boldFile) })
	serif   = sync.OnceValue(func() *sfnt.Font { return parseFont(serifFile) })
)

func parseFont(file []byte) *sfnt.Font {
	f, err := sfnt.Parse(file)
	if err != nil {
		panic(fmt.Sprintf("samples: parse font: %v", err))
	}
	return f
}

// A style is how a text is set. Spacing is added after each letter; all are
// in pixels of the surface.
type style struct {
	face          func() *sfnt.Font
	size, spacing float64
	ink           color.NRGBA
}

// Alignments of a text to its x.
const (
	left   = 0.0
	centre = 0.5
)

// text prints s with its baseline at y and records it.
func (c *canvas) text(l lens, st style, align, x, y float64, s string) {
	c.printed = append(c.printed, s)
	c.set(l, st, align, x, y, s)
}

// set draws s without recording it.
func (c *canvas) set(l lens, st style, align, x, y float64, s string) {
	p, width := outline(st, s)
	c.fill(l, p.through(func(q point) point { return point{x + q.x - width*align, y + q.y} }), st.ink)
}

// outline is s as a path from the origin, and its width. A letter that the
// face lacks is a mistake in this package and panics.
func outline(st style, s string) (p path, width float64) {
	const ppem = 256 // precise enough, and then scaled
	f, scale := st.face(), st.size/ppem
	var b sfnt.Buffer
	for _, r := range s {
		glyph, err := f.GlyphIndex(&b, r)
		if err != nil || glyph == 0 {
			panic(fmt.Sprintf("samples: the font lacks %q of %q", r, s))
		}
		segments, err := f.LoadGlyph(&b, glyph, fixed.I(ppem), nil)
		if err != nil {
			panic(fmt.Sprintf("samples: outline of %q: %v", r, err))
		}
		p = appendGlyph(p, segments, width, scale)
		advance, err := f.GlyphAdvance(&b, glyph, fixed.I(ppem), font.HintingNone)
		if err != nil {
			panic(fmt.Sprintf("samples: width of %q: %v", r, err))
		}
		width += float64(advance)/64*scale + st.spacing
	}
	return p, width - st.spacing
}

func appendGlyph(p path, segments sfnt.Segments, dx, scale float64) path {
	at := func(q fixed.Point26_6) (float64, float64) {
		return dx + float64(q.X)/64*scale, float64(q.Y) / 64 * scale
	}
	for _, s := range segments {
		x, y := at(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			p.move(x, y)
		case sfnt.SegmentOpLineTo:
			p.line(x, y)
		case sfnt.SegmentOpCubeTo:
			x2, y2 := at(s.Args[1])
			x3, y3 := at(s.Args[2])
			p.cubic(x, y, x2, y2, x3, y3)
		case sfnt.SegmentOpQuadTo: // the same curve as a cubic one
			begin := p[len(p)-1]
			at0 := begin.p[0]
			if begin.verb == curve {
				at0 = begin.p[2]
			}
			x2, y2 := at(s.Args[1])
			p.cubic(at0.x+2*(x-at0.x)/3, at0.y+2*(y-at0.y)/3, x2+2*(x-x2)/3, y2+2*(y-y2)/3, x2, y2)
		default:
			panic(fmt.Sprintf("samples: outline: unexpected segment %d", s.Op))
		}
	}
	return p
}
