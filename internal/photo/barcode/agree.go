package barcode

import (
	"cmp"
	"slices"
)

// A pixel is the position of a read's midpoint. Lines through the same pixel count once.
type pixel struct{ x, y int }

// A candidate is a value and the lines that read it.
type candidate struct {
	read
	box   box
	mids  box // around the midpoints of the lines
	lines map[pixel]bool
	dead  bool
}

// agree returns the values that enough lines read and no other value contradicts.
func agree(votes []vote) []candidate {
	all := count(votes)
	for i := range all {
		all[i].dead = !all[i].enough()
		for j := range i {
			quarrel(&all[i], &all[j])
		}
	}
	return slices.DeleteFunc(all, func(c candidate) bool { return c.dead })
}

// count groups votes by value, most lines first.
func count(votes []vote) []candidate {
	var all []candidate
	for _, v := range votes {
		i := slices.IndexFunc(all, func(c candidate) bool { return c.name == v.name && c.text == v.text })
		if i < 0 {
			i, all = len(all), append(all, candidate{read: v.read, box: v.box, mids: v.box.middle(), lines: map[pixel]bool{}})
		}
		c := &all[i]
		mid := v.box.middle()
		c.box, c.mids = c.box.with(v.box), c.mids.with(mid)
		c.lines[pixel{int(mid.x0), int(mid.y0)}] = true
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(len(b.lines), len(a.lines)) })
	return all
}

// enough reports whether enough lines agree and are far enough apart, so that they are not
// all on the same smudge: two pixels from one to the next, on average.
func (c candidate) enough() bool {
	n := c.needed()
	spread := max(c.mids.x1-c.mids.x0, c.mids.y1-c.mids.y0)
	return len(c.lines) >= n && spread >= float32(2*(n-1))
}

// needed returns how many lines must agree. The short symbols contain less redundancy, and
// a UPC-E of number system 1 has the same bars as the left half of an EAN-13.
func (c candidate) needed() int {
	switch {
	case c.name == "EAN-8":
		return 6
	case c.name == "UPC-E" && c.text[0] == '1':
		return 12
	case c.name == "UPC-E":
		return 5
	}
	return 3
}

// quarrel drops the weaker of two values in the same place, and both if the stronger has
// less than three times as many lines.
func quarrel(weak, strong *candidate) {
	if !weak.box.over(strong.box) {
		return
	}
	weak.dead = true
	if len(weak.lines)*3 > len(strong.lines) {
		strong.dead = true
	}
}

func (b box) with(o box) box {
	return box{min(b.x0, o.x0), min(b.y0, o.y0), max(b.x1, o.x1), max(b.y1, o.y1)}
}

// over reports whether the middle of either box is in the other.
func (b box) over(o box) bool { return b.holdsMiddle(o) || o.holdsMiddle(b) }

func (b box) holdsMiddle(o box) bool {
	m := o.middle()
	return m.x0 >= b.x0 && m.x0 <= b.x1 && m.y0 >= b.y0 && m.y0 <= b.y1
}

func (b box) middle() box {
	x, y := (b.x0+b.x1)/2, (b.y0+b.y1)/2
	return box{x, y, x, y}
}
