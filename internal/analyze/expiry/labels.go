package expiry

import (
	"cmp"
	"slices"
	"strings"
)

// Kinds of words that no Date has.
const (
	noKind       Kind = ""
	otherDate    Kind = "other"   // a date other than expiry and production
	unknownLabel Kind = "unknown" // a date beside words that are not known
	lotNumber    Kind = "lot"
)

// A label is a word that says which date is beside it, and in which order the print's
// language writes dates.
type label struct {
	kind  Kind
	order order
}

// weight ranks the kinds within one phrase: "best before" outranks its "before", "à
// consommer de préférence avant" outranks "consommer".
var weight = map[Kind]int{Expiry: 1, UseBy: 2, BestBefore: 3}

// phrase adds the kind of one more word: a word of the same family makes the phrase more
// specific, another begins a new phrase.
func phrase(said []Kind, k Kind) []Kind {
	if n := len(said); n > 0 {
		last := said[n-1]
		switch {
		case last == k, weight[last] > 0 && weight[k] > 0 && weight[k] <= weight[last]:
			return said
		case weight[last] > 0 && weight[k] > 0:
			said[n-1] = k
			return said
		}
	}
	return append(said, k)
}

// kinds returns the kinds that the free words of a range of items name, in order.
func (t *tokens) kinds(from, to int) []Kind {
	var said []Kind
	for i := from; i < min(to, len(t.items)); i++ {
		if t.taken[i] || t.items[i].text == "l" && !t.lotWord(i) {
			continue
		}
		for _, l := range t.items[i].labels {
			said = phrase(said, l.kind)
		}
	}
	return said
}

// name sets the kind of each match. Words belong to the date after them ("EXP 2027.01.01"),
// unless none is before a date.
func (t *tokens) name(matches []match) {
	n := len(matches)
	groups := make([][]Kind, n+1) // before each match, and after the last
	at := 0
	for i, f := range matches {
		groups[i], at = t.kinds(at, f.at), f.to
	}
	groups[n] = t.kinds(at, len(t.items))
	for i := range matches {
		t.nameOne(matches, groups, i)
	}
	for i := range matches {
		if f := &matches[i]; f.to < len(t.items) && words().after[t.items[f.to].text] && f.kind == noKind {
			f.kind = cmp.Or(t.kindAt(f.to), Expiry)
		}
	}
}

// nameOne sets the kind of match i, and passes words that it does not use to the next.
func (t *tokens) nameOne(matches []match, groups [][]Kind, i int) {
	f, before, after := &matches[i], groups[i], groups[i+1]
	if f.period != "" {
		groups[i+1] = append(t.namePeriod(f, before, after), after...)
		return
	}
	f.afterLot = last(before) == lotNumber
	before, after = dates(before), dates(after)
	switch {
	case columns(matches, groups, i):
		f.kind, groups[i+1] = before[0], before[1:]
	case trailing(groups):
		f.kind = after[0]
	case len(before) > 0:
		f.kind = last(before)
	case i == len(matches)-1 && len(after) > 0:
		f.kind = after[0]
	case i > 0 && t.ranges(matches[i-1], *f):
		f.kind = matches[i-1].kind
	}
}

// ranges reports whether a and b are the ends of a period. A date with the kind production
// does not begin one.
func (t *tokens) ranges(a, b match) bool {
	return a.kind != Production && a.period == "" && a.to == b.at && strings.ContainsAny(t.items[b.at].gap, "~-")
}

// namePeriod decides when a period begins, and returns the words before it that belong to
// the next date.
func (t *tokens) namePeriod(f *match, before, after []Kind) (rest []Kind) {
	switch {
	case f.kind == PeriodAfterOpening:
	case last(before) == Production:
		f.fromProduction = true
		before = before[:len(before)-1]
	case len(after) > 0 && after[0] == Production, weight[last(before)] > 0:
		f.fromProduction = true
	}
	if f.fromProduction && weight[last(before)] > 0 {
		f.kind = last(before)
	}
	return before
}

// columns reports whether the words for all matches from i on are before match i, as in the
// head of a table: MFG EXP 20250101 20270101.
func columns(matches []match, groups [][]Kind, i int) bool {
	left := len(matches) - i
	for _, g := range groups[i+1 : len(matches)] {
		if len(g) > 0 {
			return false
		}
	}
	return left > 1 && len(dates(groups[i])) == left && !slices.ContainsFunc(matches[i:], func(f match) bool { return f.period != "" })
}

// trailing reports whether there are words after each date and none before the first.
func trailing(groups [][]Kind) bool {
	for i, g := range groups {
		if (len(dates(g)) > 0) != (i > 0) {
			return false
		}
	}
	return true
}

// dates returns kinds without lot numbers.
func dates(kinds []Kind) []Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k Kind) bool { return k == lotNumber })
}

// last returns the kind nearest to the date after it.
func last(kinds []Kind) Kind {
	if len(kinds) == 0 {
		return noKind
	}
	return kinds[len(kinds)-1]
}
