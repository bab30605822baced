package photo

// A blockCounter counts the blocks in the entropy-coded data of one scan and
// refuses data that end before the blocks do.
type blockCounter struct {
	frame       *jpegFrame
	mcu         []tablePair // the blocks of one MCU; none where they cannot be counted
	total, done int         // MCUs
	interval    int         // MCUs between restart markers
}

// A tablePair holds the tables of one block; ac is nil for DC alone.
type tablePair struct{ dc, ac *huffmanTable }

// counter starts to count the blocks of s. Scans that refine a progressive
// picture are not counted: without them it is whole, if less sharp.
func (f *jpegFrame) counter(s jpegScan) *blockCounter {
	c := &blockCounter{frame: f}
	if s.first > 0 || s.refines {
		return c
	}
	c.total = f.units(s)
	c.interval = c.total
	if f.restart > 0 {
		c.interval = f.restart
	}
	for _, p := range s.parts {
		pair := tablePair{f.dc[p.dc], f.ac[p.ac]}
		if pair.dc == nil || pair.ac == nil && !f.progressive {
			return &blockCounter{frame: f}
		}
		if f.progressive {
			pair.ac = nil
		}
		blocks := p.component.h * p.component.v
		if len(s.parts) == 1 {
			blocks = 1
		}
		for range blocks {
			c.mcu = append(c.mcu, pair)
		}
	}
	return c
}

// take counts the blocks of the next restart interval.
func (c *blockCounter) take(data []byte) error {
	want := min(c.interval, c.total-c.done)
	whole, code := passMCUs(data, c.mcu, want)
	c.done += whole
	if code != "" {
		return c.short(code)
	}
	return nil
}

// end is called after the last interval.
func (c *blockCounter) end() error {
	if c.done < c.total {
		return c.short(LyingHeader)
	}
	return nil
}

func (c *blockCounter) short(code string) error {
	says := map[string]string{
		LyingHeader: "the header declares %d × %d pixels, but the JPEG's picture data end properly after %d of %d blocks",
		Truncated:   "the JPEG of %d × %d pixels was cut: its picture data break off after %d of %d blocks",
		Corrupt:     "the JPEG of %d × %d pixels is damaged: its picture data make no sense after %d of %d blocks",
	}
	return fault(code, says[code], c.frame.width, c.frame.height, c.done, c.total)
}

// passMCUs passes n MCUs and returns how many were whole. The code says why
// there were not more: data that end properly after a whole MCU belong to a
// smaller picture.
func passMCUs(data []byte, mcu []tablePair, n int) (whole int, code string) {
	r := bitReader{data: data}
	for ; whole < n; whole++ {
		start := r
		for _, b := range mcu {
			if r.block(b.dc, b.ac) {
				continue
			}
			switch {
			case start.ended():
				return whole, LyingHeader
			case r.n >= 32:
				return whole, Corrupt
			}
			return whole, Truncated
		}
	}
	return whole, ""
}
