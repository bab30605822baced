package barcode

// qr reads the QR Code of that version at k.
func (p plane) qr(k corner, version int) (Code, bool) {
	size := 17 + 4*version
	k, contrast := p.centred(k, float64(size-7), float64(size-7))
	for _, v := range p.qrViews(k, version, contrast) {
		if p.alternates(v, size) < contrast/3 {
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

// alternates is by how much the timing patterns of the symbol that v sees show.
func (p plane) alternates(v view, size int) float64 {
	var t contrasts
	for i := 8; i < size-8; i++ {
		along := float64(i) + 0.5
		t.add(p.value(v.at(along, 6.5)), i%2 == 0)
		t.add(p.value(v.at(6.5, along)), i%2 == 0)
	}
	return t.contrast()
}

// centred moves the three patterns' middles to where they match best; contrast
// is by how much.
func (p plane) centred(k corner, across, along float64) (corner, float64) {
	right, down := k.topRight.minus(k.topLeft).times(1/across), k.bottomLeft.minus(k.topLeft).times(1/along)
	least := 255.0
	for _, at := range []*point{&k.topLeft, &k.topRight, &k.bottomLeft} {
		middle, v := p.climb(finderStencil, *at, right, down)
		*at, least = middle, min(least, v)
	}
	return k, least
}

// qrViews returns the views through the three finder patterns and what may be
// the bottom right alignment pattern, the likeliest first, and at last the one
// of a symbol seen straight on.
func (p plane) qrViews(k corner, version int, contrast float64) []view {
	size := float64(17 + 4*version)
	last := size - 3.5
	right, down := k.topRight.minus(k.topLeft).times(1/(size-7)), k.bottomLeft.minus(k.topLeft).times(1/(size-7))
	fourth := k.topRight.plus(k.bottomLeft).minus(k.topLeft)
	flat := viewOf(quad{{3.5, 3.5}, {last, 3.5}, {last, last}, {3.5, last}}, quad{k.topLeft, k.topRight, fourth, k.bottomLeft})
	if version < 2 {
		return []view{flat}
	}
	var all []view
	var before point
	guess := flat.at(size-6.5, size-6.5)
	for radius := 2.0; radius <= size/4 && radius < 20; radius *= 2 {
		at, v := p.aligned(guess, right, down, radius)
		if v < 0.5*contrast || at.minus(before).length() < 0.2 {
			continue
		}
		before = at
		all = append(all, viewOf(quad{{3.5, 3.5}, {last, 3.5}, {size - 6.5, size - 6.5}, {3.5, last}}, quad{k.topLeft, k.topRight, at, k.bottomLeft}))
	}
	return append(all, flat)
}

// aligned looks for the alignment pattern so many modules around guess.
func (p plane) aligned(guess, right, down point, radius float64) (point, float64) {
	best, most := guess, 0.0
	for y := -radius; y <= radius; y += 0.5 {
		for x := -radius; x <= radius; x += 0.5 {
			at := guess.plus(right.times(x)).plus(down.times(y))
			if v := p.match(alignmentStencil, at, right, down); v > most {
				best, most = at, v
			}
		}
	}
	return p.climb(alignmentStencil, best, right, down)
}
