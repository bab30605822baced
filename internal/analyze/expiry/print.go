package expiry

import (
	"slices"
	"strings"
	"unicode"
)

// A match is a date, a period or a fault, with the items it covers.
type match struct {
	raw        string // the print that contains it
	at, to     int    // its items
	readings   []day  // likeliest first
	fault      *fault
	confidence confidence
	kind       Kind
	period     period
	computed   bool

	fromProduction bool // the period begins with production
	afterLot       bool // a lot number precedes it

	doubt    string   // why it may be another date than it says
	from     []string // the prints that it was computed from
	inLabel  bool     // it stands in the label
	labelled bool     // its words say what it is
	modelled bool     // that it is an expiry date is the model's reading of words that are not known
	// contested says that its words, those around it and the model do not agree on what it is.
	contested bool
}

// A confidence says how unlikely something else has the form of a match.
type confidence int

const (
	fullConfidence   confidence = iota
	lowConfidence               // counts only beside known words, or alone
	lowestConfidence            // nor after a lot number
)

// Tokens are a print divided into items.
type tokens struct {
	items  []item
	tail   string // the characters after the last item
	locale localeOrder
	taken  []bool // items that belong to lot numbers, times or matches
}

// Findings are everything found in one Printed or more.
type findings struct {
	raw     string
	matches []match
	locale  localeOrder
	unclean string // why something may be read otherwise, or is not read
}

// read finds the dates and periods in a plain text that begins with a label of so many
// bytes, and the places where a space may be none.
func read(text string, label int, hint Hint) (findings, []gap) {
	t := &tokens{}
	t.items, t.tail = split(text)
	t.locale = localeOrderOf(hint, t.items)
	t.taken = make([]bool, len(t.items))
	foreign := t.foreign(text[:label])
	t.takeTimes()
	t.takeLots()
	gaps := t.gaps()
	matches := t.scan()
	t.name(matches)
	found := findings{locale: t.locale, unclean: t.leftOver(matches)}
	for i := range matches {
		f := &matches[i]
		f.inLabel = t.items[f.at].at < label
		if f.kind == noKind && f.period == "" && foreign {
			f.kind = unknownLabel
		}
		for _, d := range f.readings[:min(1, len(f.readings))] {
			if f.doubt = t.locale.far(d); d.converted {
				f.doubt = "the year counts in another calendar, and the day is converted"
			}
		}
	}
	strange := t.strange(0, len(t.items))
	found.matches = slices.DeleteFunc(matches, func(f match) bool { return f.idle(strange) })
	return found, gaps
}

// foreign reports whether a label contains words but no known ones.
func (t *tokens) foreign(label string) bool {
	beside, _ := split(label)
	return t.strange(0, len(beside)) && len(t.kinds(0, len(beside))) == 0
}

// idle reports whether f is of low confidence and nothing supports it.
func (f match) idle(strange bool) bool {
	return (f.kind == noKind || f.kind == unknownLabel) && (f.confidence >= lowConfidence && strange || f.confidence == lowestConfidence && (f.afterLot || f.fault != nil))
}

// orderOf returns the order used in the languages of a print's words, if they agree.
func orderOf(items []item) order {
	found := anyOrder
	for _, it := range items {
		o := it.order()
		if o != anyOrder && found != anyOrder && found != o {
			return anyOrder
		}
		found = max(found, o)
	}
	return found
}

// order returns the order used in the language of an item, if that is known.
func (it item) order() order {
	switch {
	case it.number:
		return anyOrder
	case isEastAsian(firstOf(it.text)):
		return yearFirst
	case unicode.Is(unicode.Cyrillic, firstOf(it.text)):
		return dayFirst
	case len(it.labels) > 0:
		return it.labels[0].order
	}
	return anyOrder
}

// scan finds the dates and periods from left to right.
func (t *tokens) scan() []match {
	var matches []match
	for i := 0; i < len(t.items); {
		f, ok := t.at(i)
		if !ok {
			i++
			continue
		}
		f.at = i
		matches = append(matches, f)
		for ; i < f.to; i++ {
			t.taken[i] = true
		}
	}
	return matches
}

// at returns the match that begins at item i.
func (t *tokens) at(i int) (match, bool) {
	for _, form := range forms {
		if f, ok := form(t, i); ok && !slices.Contains(t.taken[i:f.to], true) {
			return f, true
		}
	}
	return match{}, false
}

// forms are the forms of a date, the most specific first.
var forms = []func(t *tokens, i int) (match, bool){
	(*tokens).gs1, (*tokens).era, (*tokens).unit, (*tokens).named, (*tokens).triple, (*tokens).pair, (*tokens).compact, (*tokens).spell, (*tokens).year,
}

// takeTimes marks times of day: 14:32, 14:32:05, T00:00:00.000Z.
func (t *tokens) takeTimes() {
	for i := 1; i < len(t.items); i++ {
		a, b := t.items[i-1], t.items[i]
		if a.number && b.number && b.gap == ":" && len(a.text) <= 2 && len(b.text) == 2 && !t.num(i+1, 4) {
			t.taken[i-1], t.taken[i] = true, true
			if i+1 < len(t.items) && t.items[i+1].number && strings.ContainsAny(t.items[i+1].gap, ".,") && !t.items[i+1].spaced {
				t.taken[i+1] = true
			}
		}
	}
}

// takeLots marks the numbers after words for lots: L 1234, LOT: A12-3.
func (t *tokens) takeLots() {
	for i := 0; i < len(t.items); i++ {
		if !t.lotWord(i) {
			continue
		}
		for i++; i < len(t.items) && words().beside[t.items[i].text]; i++ {
		}
		if i < len(t.items) && t.kindAt(i) == noKind {
			t.taken[i] = true
			for i++; i < len(t.items) && !t.items[i].spaced && t.kindAt(i) == noKind; i++ {
				t.taken[i] = true
			}
		}
		i--
	}
}

// lotWord reports whether item i precedes a lot number; an L does if a number follows.
func (t *tokens) lotWord(i int) bool {
	it := t.items[i]
	if it.text == "l" {
		return i+1 < len(t.items) && t.items[i+1].number
	}
	if it.text == "no" && i > 0 && t.items[i-1].number {
		return false // November in Canada
	}
	if it.number && (it.text == "10" || it.text == "21") {
		return t.bracketed(i)
	}
	return t.kindAt(i) == lotNumber
}

// kindAt returns the last kind that item i names.
func (t *tokens) kindAt(i int) Kind {
	labels := t.items[i].labels
	if len(labels) == 0 {
		return noKind
	}
	return labels[len(labels)-1].kind
}

// strange reports whether all words in a range of items are unknown. Short ones are ignored
// as codes of plants and machines.
func (t *tokens) strange(from, to int) bool {
	for i := from; i < min(to, len(t.items)); i++ {
		if it := t.items[i]; !it.number && !t.taken[i] && len([]rune(it.text)) > 2 && !t.known(i) {
			return true
		}
	}
	return false
}

func (t *tokens) known(i int) bool {
	word := t.items[i].text
	w := words()
	return w.beside[word] || w.after[word] || w.months[word] > 0 || eras[word] > 0 || word == "l" || len(t.items[i].labels) > 0 ||
		w.opened[word] || w.from[word] || w.units[word] != ""
}

// free reports whether item j exists and is not taken.
func (t *tokens) free(j int) bool { return j < len(t.items) && !t.taken[j] }

// num reports whether item j is a free number of one of these lengths.
func (t *tokens) num(j int, lengths ...int) bool {
	return t.free(j) && t.items[j].number && slices.Contains(lengths, len(t.items[j].text))
}
