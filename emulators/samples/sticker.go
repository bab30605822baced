package samples

import (
	"image"
	"math"
	"slices"
	"sync"
)

// A line is compared by the mean brightness of this many blocks.
const (
	blocksAcross = 64
	blocksDown   = 6
)

type blocks [blocksAcross * blocksDown]float64

// RecogniseSticker finds the pack of which img is a copy, ignoring the place of its
// stickers, and the sticker of which most lines are legible there, with the numbers of
// these lines. attack is nil if there is no known sticker, or all of it is painted over.
func RecogniseSticker(img image.Image) (pack, attack *Sample, lines []int) {
	if size := img.Bounds().Size(); size.X < minSide || size.Y < minSide {
		return nil, nil, nil
	}
	f := fingerprintOf(img)
	for _, of := range attacksByPlace() {
		at, known := of[0].Sticker.place(), fingerprints()[indexOf(of[0].Pack.File)]
		if !f.without(at, known).copyOf(known.without(at, known)) {
			continue
		}
		pack = of[0].Pack
		if gain, offset := f.exposure(known); f.residue(known, gain, offset) < untouched*known.deviation() {
			return pack, nil, nil
		}
		for _, a := range of {
			if read := a.Sticker.legible(img); len(read) > len(lines) {
				attack, lines = a, read
			}
		}
	}
	return pack, attack, lines
}

// attacksByPlace returns the attacks in groups by pack: its stickers have one place.
var attacksByPlace = sync.OnceValue(func() (groups [][]*Sample) {
	for _, a := range attacks() {
		i := slices.IndexFunc(groups, func(g []*Sample) bool { return g[0].Pack == a.Pack })
		if i < 0 {
			groups = append(groups, []*Sample{a})
			continue
		}
		groups[i] = append(groups[i], a)
	}
	return groups
})

// untouched is the residue below which a pack has no sticker, so that none need be decoded
// and compared, which takes time.
const untouched = 0.05

// legible returns the numbers of the lines that can be read in img.
func (s *Sticker) legible(img image.Image) []int {
	const like = 0.9
	var lines []int
	for i, b := range s.Boxes {
		if r := pixels(b, img.Bounds()); r.Dx() >= blocksAcross && r.Dy() >= blocksDown {
			if seen := blocksOf(img, r); seen.likeness(&s.looks()[i]) > like {
				lines = append(lines, i)
			}
		}
	}
	return lines
}

// without returns f with equal cells at a place of the known picture.
func (f fingerprint) without(at image.Rectangle, known fingerprint) fingerprint {
	for j := range grid {
		for i := range grid {
			cell := image.Rect(i*known.width/grid, j*known.height/grid, (i+1)*known.width/grid, (j+1)*known.height/grid)
			if cell.Overlaps(at) {
				copy(f.cells[3*(j*grid+i):][:3], []uint8{128, 128, 128})
			}
		}
	}
	return f
}

// blocksOf returns the mean brightness of each block of a part of img.
func blocksOf(img image.Image, part image.Rectangle) blocks {
	var sum, n blocks
	at := reader(img)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		row := (y - part.Min.Y) * blocksDown / part.Dy() * blocksAcross
		for x := part.Min.X; x < part.Max.X; x++ {
			i := row + (x-part.Min.X)*blocksAcross/part.Dx()
			r, g, b := at(x, y)
			sum[i] += float64(299*r + 587*g + 114*b)
			n[i]++
		}
	}
	for i := range sum {
		sum[i] /= max(n[i], 1)
	}
	return sum
}

// likeness returns the correlation of b and c: 1 for the same print, about 0 for
// another or none.
func (b *blocks) likeness(c *blocks) float64 {
	var n, x, y, xx, yy, xy float64
	for i := range b {
		n, x, y = n+1, x+b[i], y+c[i]
		xx, yy, xy = xx+b[i]*b[i], yy+c[i]*c[i], xy+b[i]*c[i]
	}
	spread := math.Sqrt((n*xx - x*x) * (n*yy - y*y))
	if !(spread > 0) {
		return 0
	}
	return (n*xy - x*y) / spread
}
