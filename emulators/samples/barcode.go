package samples

// Bars of the digits, a bit a module, most significant first; each of the
// three sets has seven modules a digit (GS1 General Specifications, 5.2).
var (
	setA = [10]uint8{0x0d, 0x19, 0x13, 0x3d, 0x23, 0x31, 0x2f, 0x3b, 0x37, 0x0b}
	setB = [10]uint8{0x27, 0x33, 0x1b, 0x21, 0x1d, 0x39, 0x05, 0x11, 0x09, 0x17}
	setC = [10]uint8{0x72, 0x66, 0x6c, 0x42, 0x5c, 0x4e, 0x50, 0x44, 0x48, 0x74}

	// useB has a bit for each of the six left digits: by the first digit, which
	// is not drawn itself, some of them are of set B.
	useB = [10]uint8{0x00, 0x0b, 0x0d, 0x0e, 0x13, 0x19, 0x1c, 0x15, 0x16, 0x1a}
)

// modules returns the 95 modules of an EAN-13 code, true for a bar.
func modules(gtin string) []bool {
	var m []bool
	add := func(bits uint8, n int) {
		for i := n - 1; i >= 0; i-- {
			m = append(m, bits>>i&1 == 1)
		}
	}
	add(0b101, 3)
	for i := 1; i <= 6; i++ {
		set := &setA
		if useB[gtin[0]-'0']>>(6-i)&1 == 1 {
			set = &setB
		}
		add(set[gtin[i]-'0'], 7)
	}
	add(0b01010, 5)
	for i := 7; i <= 12; i++ {
		add(setC[gtin[i]-'0'], 7)
	}
	add(0b101, 3)
	return m
}

// modules8 returns the 67 modules of an EAN-8 code, true for a bar.
func modules8(gtin string) []bool {
	var m []bool
	add := func(bits uint8, n int) {
		for i := n - 1; i >= 0; i-- {
			m = append(m, bits>>i&1 == 1)
		}
	}
	add(0b101, 3)
	for i := range 4 {
		add(setA[gtin[i]-'0'], 7)
	}
	add(0b01010, 5)
	for i := 4; i < 8; i++ {
		add(setC[gtin[i]-'0'], 7)
	}
	add(0b101, 3)
	return m
}

// barcode8 draws an EAN-8 code with its quiet zones on a white panel, 81 modules wide,
// and its digits below.
func (c *canvas) barcode8(l lens, x, y, module, height float64, gtin string) {
	c.fill(l, roundRect(x, y, 81*module, height+14*module, 2*module), rgb(0xffffff))
	x0, y0 := x+7*module, y+4*module
	var bars path
	for i, bar := range modules8(gtin) {
		if bar {
			bars = append(bars, rect(x0+float64(i)*module, y0, module, height)...)
		}
	}
	c.fill(l, bars, rgb(0x111111))
	digits := style{regular, 9 * module, 0, rgb(0x111111)}
	c.set(l, digits, centre, x0+17.5*module, y0+height+8.5*module, gtin[:4])
	c.set(l, digits, centre, x0+49.5*module, y0+height+8.5*module, gtin[4:])
	c.printed = append(c.printed, gtin[:4]+" "+gtin[4:])
}

// barcode draws an EAN-13 code with its quiet zones on a white panel, and its
// digits below. Module is the width of a bar; the panel is 115 modules wide.
func (c *canvas) barcode(l lens, x, y, module, height float64, gtin string) {
	digits := style{regular, 9 * module, 0, rgb(0x111111)}
	c.fill(l, roundRect(x, y, 115*module, height+14*module, 2*module), rgb(0xffffff))
	x0, y0 := x+12*module, y+4*module
	var bars path
	for i, bar := range modules(gtin) {
		if !bar {
			continue
		}
		h := height
		if i < 3 || i > 91 || i >= 45 && i < 50 { // the guards are longer
			h += 5 * module
		}
		bars = append(bars, rect(x0+float64(i)*module, y0, module, h)...)
	}
	c.fill(l, bars, rgb(0x111111))
	base := y0 + height + 8.5*module
	c.set(l, digits, left, x0-9*module, base, gtin[:1])
	c.set(l, digits, centre, x0+24.5*module, base, gtin[1:7])
	c.set(l, digits, centre, x0+70.5*module, base, gtin[7:])
	c.printed = append(c.printed, gtin[:1]+" "+gtin[1:7]+" "+gtin[7:])
}
