package barcode

import "math"

// qr reads the QR Code of that version at k.
func (p plane) qr(k corner, version int) (Code, bool) {
	size := 17 + 4*version
	spots, match := p.centred(k, float64(size-7), float64(size-7))
	if match < alike {
		return Code{}, false
	}
	for _, v := range p.qrViews(spots, version) {
		if p.alternates(v, size) < alike {
			continue
		}
		values := p.sample(v, size, size)
		for _, values := range [][]float64{values, sharpened(values, size)} {
			m, ok := qrRead(told(values, size))
			if !ok {
				continue
			}
			if c, ok := m.code("QR Code"); ok {
				c.Box = v.box(size, size).thousandths(p)
				return c, true
			}
			return Code{}, false // read, and not GS1's
		}
	}
	return Code{}, false
}

// alternates is how like timing patterns those of the symbol that v sees are.
func (p plane) alternates(v view, size int) float64 {
	var t contrasts
	for i := 8; i < size-8; i++ {
		along := float64(i) + 0.5
		t.add(p.value(v.at(along, 6.5)), i%2 == 0)
		t.add(p.value(v.at(6.5, along)), i%2 == 0)
	}
	return t.likeness()
}

// centred returns where the three finder patterns match best, the top left, top
// right and bottom left one, so many modules apart, and how the worst matches.
func (p plane) centred(k corner, across, along float64) (spots [3]spot, match float64) {
	right, down := k.topRight.minus(k.topLeft).times(1/across), k.bottomLeft.minus(k.topLeft).times(1/along)
	match = 1
	middles := [3]point{k.topLeft, k.topRight, k.bottomLeft}
	for _, middle := range middles { // most threes are none
		if v := p.match(finderStencil, spot{middle, right, down}); v < faint {
			return spots, v
		}
	}
	for i, middle := range middles {
		at, v := p.climb(finderStencil, spot{middle, right, down})
		if spots[i], match = at, min(match, v); v < alike {
			break
		}
	}
	return spots, match
}

// qrViews returns the views through the three finder patterns and what may be
// the bottom right alignment pattern, nearest first, and at last those of a
// symbol as its finder patterns are tilted and of one seen straight on.
func (p plane) qrViews(spots [3]spot, version int) []view {
	size := float64(17 + 4*version)
	last := size - 3.5
	through := func(fourth point, at float64) view {
		return viewOf(quad{{3.5, 3.5}, {last, 3.5}, {at, at}, {3.5, last}}, quad{spots[0].middle, spots[1].middle, fourth, spots[2].middle})
	}
	tilted, flat := through(fourth(spots, 1), last), through(fourth(spots, 0), last)
	if version < 2 {
		return []view{flat, tilted}
	}
	var all []view
	var before point
	for radius := 2.0; radius <= size/4 && radius < 20; radius *= 2 {
		at, v := p.aligned(tilted, size-6.5, radius)
		if v < alike || at.minus(before).length() < 0.2 {
			continue
		}
		before = at
		all = append(all, through(at, size-6.5))
	}
	return append(all, tilted, flat)
}

// fourth is where a finder pattern at the bottom right would be: tilt is how
// much of what the modules' sides tell about the distance counts, from 0 to 1.
func fourth(spots [3]spot, tilt float64) point {
	far := func(along, alongThere, beside, besideThere point) float64 {
		shrunk := 2*math.Log(along.length()/alongThere.length()) + math.Log(beside.length()/besideThere.length())
		return math.Exp(max(-0.5, min(0.5, tilt*shrunk/5)))
	}
	a, b, c := spots[0], spots[1], spots[2]
	right, down := far(a.right, b.right, a.down, b.down), far(a.down, c.down, a.right, c.right)
	sum := b.middle.times(right).plus(c.middle.times(down)).minus(a.middle)
	return sum.times(1 / (right + down - 1))
}

// aligned looks for the alignment pattern so many modules around its place in v.
func (p plane) aligned(v view, place, radius float64) (point, float64) {
	guess := v.at(place, place)
	s := spot{guess, v.at(place+0.5, place).minus(v.at(place-0.5, place)), v.at(place, place+0.5).minus(v.at(place, place-0.5))}
	best, most := s, 0.0
	for y := -radius; y <= radius; y += 0.5 {
		for x := -radius; x <= radius; x += 0.5 {
			try := s
			try.middle = guess.plus(s.right.times(x)).plus(s.down.times(y))
			if v := p.match(alignmentStencil, try); v > most {
				best, most = try, v
			}
		}
	}
	best, most = p.climb(alignmentStencil, best)
	return best.middle, most
}
