package barcode

import (
	"cmp"
	"context"
	"slices"
)

// An attempt is what the lines read so far show about a region.
type attempt struct {
	*region
	found
	rows  rows
	step  float64   // distance of the lines read last
	hot   []float64 // starts of the lines that contain something as wide as a symbol should be
	votes []vote
}

// Limits of reading, in pixels along lines, for pictures that are not small.
const (
	quickly   = 250_000 // all regions, in the first pass
	patiently = 60_000  // further passes over regions that do not look like bars
	longest   = 400_000 // further passes over regions that do
)

// bars reads lines across the regions of g: a few at first, and more where they look like
// bars. It returns the regions that may contain bars, the likeliest first.
func (s *scanner) bars(ctx context.Context, g *grid) (again []*attempt) {
	left := quickly
	all := g.regions()
	for i := range all {
		if ctx.Err() != nil {
			return nil
		}
		a := &attempt{region: &all[i], rows: g.across(&all[i], 0)}
		s.try(a, g, first)
		if left > 0 && a.edges >= shortest {
			s.try(a, g, second)
			again = append(again, a)
		}
		left -= a.pixels
	}
	slices.SortStableFunc(again, func(a, b *attempt) int { return cmp.Compare(len(b.hot), len(a.hot)) })
	s.insist(ctx, g, again)
	return again
}

// insist reads more lines of the regions in which no symbol was found yet.
func (s *scanner) insist(ctx context.Context, g *grid, all []*attempt) {
	idle, left := patiently, longest
	if g.size == smallBlockSize {
		idle = longest
	}
	for _, a := range all {
		for _, p := range more {
			if ctx.Err() != nil || settled(a.votes) || left < 0 || len(a.hot) == 0 && idle < 0 {
				break
			}
			before := a.pixels
			s.try(a, g, p)
			left -= a.pixels - before
			if len(a.hot) == 0 {
				idle -= a.pixels - before
			}
		}
	}
}

// A pass says how many lines are read across a region, and how.
type pass struct {
	lines int
	again bool // every third line was read in the pass before
	near  bool // only near lines that looked like those of a symbol
	turn  float64
	manner
}

// The passes over a region.
var (
	first  = pass{lines: 6}
	second = pass{lines: 18, again: true}
	more   = []pass{
		{lines: 54, again: true}, {lines: 80, near: true},
		{lines: 54, manner: manner{doubled: true}}, {lines: 36, manner: manner{beside: 3}},
		{lines: 36, turn: 0.15}, {lines: 36, turn: -0.15}, {lines: 36, turn: 0.4}, {lines: 36, turn: -0.4},
		{lines: 36, manner: manner{doubled: true, beside: 3}},
	}
)

// try reads the lines of a pass.
func (s *scanner) try(a *attempt, g *grid, p pass) {
	votes := len(s.votes)
	rows := a.rows
	if p.turn != 0 {
		rows = g.across(a.region, p.turn)
	}
	if p.near {
		s.near(a, rows, p)
	} else {
		s.spread(a, rows, p)
	}
	a.votes = append(a.votes, s.votes[votes:]...)
}

// spread reads lines evenly over the whole region.
func (s *scanner) spread(a *attempt, rows rows, p pass) {
	a.step = max((rows.last-rows.first)/float64(p.lines), 0.7)
	for i := range p.lines {
		start := rows.first + (float64(i)+0.5)*a.step
		if start > rows.last || p.again && i%3 == 1 {
			continue
		}
		f := s.row(&rows, start, p.manner)
		if f.likely > 0 && p.turn == 0 {
			a.hot = append(a.hot, start)
		}
		a.add(f)
	}
}

// near reads the lines between those that looked like a symbol's and their neighbours.
func (s *scanner) near(a *attempt, rows rows, p pass) {
	left := p.lines
	for _, start := range a.hot {
		for off := 1.0; off < a.step && left > 0; off++ {
			a.add(s.row(&rows, start+off, p.manner))
			a.add(s.row(&rows, start-off, p.manner))
			left -= 2
		}
	}
}

// settled reports whether enough lines agree on a value.
func settled(votes []vote) bool {
	return len(votes) >= 3 && slices.ContainsFunc(count(votes), candidate.enough)
}
