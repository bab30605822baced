package expiry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Printed is a date read from a pack, with the words beside it, and what it is to whoever
// read it.
type Printed struct {
	Text  string `json:"text"`
	Label string `json:"label"`
	// Kind is one of the kinds, or sale, packaging, harvest or other; "" if nobody said.
	Kind   Kind   `json:"kind"`
	Period string `json:"period"` // the printed shelf life: 12 months
	Anchor string `json:"anchor"` // what it counts from: packaging
	// Beside is the print around Text; its words are compared with Kind and Label.
	Beside  string `json:"beside"`
	Unclear bool   `json:"unclear"` // the print was not read clearly
}

// The kinds that a Printed may have besides those of a Date.
const (
	sale      Kind = "sale" // the last day of sale
	packaging Kind = "packaging"
	harvest   Kind = "harvest"
)

// family returns what a date of a kind is good for: Expiry, Production or otherDate; noKind
// if that is not known.
func (k Kind) family() Kind {
	switch k {
	case BestBefore, UseBy, Expiry, sale:
		return Expiry
	case Production, packaging, harvest:
		return Production
	case otherDate:
		return otherDate
	}
	return noKind
}

// The warnings of Choose. They are stable.
const (
	DateUnlabelled   = "date_unlabelled"    // no words say that it is an expiry date
	DateLabelUnknown = "date_label_unknown" // its words are not known: what it is, is the model's reading; or another was left out, whose words are not known
	DateAmbiguous    = "date_ambiguous"     // it has several readings
	DateComputed     = "date_computed"      // from production date and shelf life; it is not printed
	DateRefused      = "date_refused"       // the date labelled as expiry date is invalid
	DateDoubtful     = "date_doubtful"      // something about it may be wrong: Date.Doubt says what, if it is given
)

// Choose returns the date in printed by which to use the product, and whether there is one.
// Of several labelled ones it is the latest. A date without words counts if no expiry date
// has words; one beside unknown words only if its Kind says what it is: without another,
// Choose returns its print as Raw, with DateLabelUnknown. Without a date, Choose adds the
// shelf life to the production date, if both are printed and the date is certain. A date
// beside which a shelf life is printed, as "12 months from packaging", is the day that it
// counts from, unless that day is yet to come.
//
// Shelf lives are counted in two ways, so a computed date has two readings: the day before
// the anniversary, which comes first, and the anniversary.
func Choose(printed []Printed, hint Hint) (Date, []string, bool) {
	var all findings
	for _, p := range printed {
		if (p.Period != "" || refusedUnread(p.Text) == nil) && refusedLabel(p.Label) == nil && refusedLabel(p.Text) == nil {
			all.matches = append(all.matches, p.read(hint)...)
		}
	}
	all.locale = localeOrderOf(hint, nil)
	f, ok := all.expires()
	warnings := all.warnings(f, ok)
	if !ok {
		unknown, _ := all.latest(unknownLabel)
		return Date{Raw: unknown.raw}, warnings, false
	}
	return f.date(f.raw), warnings, true
}

// read returns what is found in p, with the kinds that its words, its neighbours and its
// Kind give it.
func (p Printed) read(hint Hint) []match {
	found := readPrint(p, hint).matches
	lived := slices.IndexFunc(found, func(f match) bool { return f.period != "" })
	if lived < 0 && p.Period != "" {
		for _, f := range readPrint(Printed{Text: p.Period + " " + p.Anchor}, hint).matches {
			if f.period != "" {
				f.raw, f.kind = p.Period, cmp.Or(f.kind, p.Kind)
				lived, found = len(found), append(found, f)
				break
			}
		}
	}
	var life *match
	if lived >= 0 && found[lived].kind != PeriodAfterOpening {
		life = &found[lived]
		life.fromProduction = life.fromProduction || p.Kind.family() == Expiry || p.Period != ""
		switch {
		case p.Kind == sale || life.kind == sale:
			life.kind = Expiry
		case life.kind.family() != Expiry && p.Kind.family() == Expiry:
			life.kind = p.Kind
		case life.kind.family() != Expiry:
			life.kind = noKind
		}
	}
	for i := range found {
		if f := &found[i]; f.period == "" {
			p.setKind(f, p.beside(*f, hint))
			if p.anchors(*f, life, hint) {
				f.kind, f.contested, f.modelled = Production, false, false
				life.fromProduction = true
			}
			if p.Unclear {
				f.doubt = cmp.Or(f.doubt, "it was not read clearly")
			}
		}
	}
	return found
}

// anchors reports whether f is the day that the shelf life beside it counts from.
func (p Printed) anchors(f match, life *match, hint Hint) bool {
	switch {
	case life == nil || len(f.readings) == 0 || f.inLabel || f.kind.family() == otherDate:
		return false
	case !life.inLabel && (p.Period == "" || f.kind.family() == Expiry && f.labelled):
		return false
	case hint.Now.IsZero():
		return !strings.Contains(p.Label, "(") // use by (12 months from production) 1 December 2026
	}
	return !f.readings[0].first().After(hint.Now)
}

// beside returns the kind that the print around p gives to f.
func (p Printed) beside(f match, hint Hint) (kind Kind) {
	if p.Beside == "" || len(f.readings) == 0 {
		return noKind
	}
	for _, g := range readPrint(Printed{Text: p.Beside}, hint).matches {
		if len(g.readings) > 0 && g.readings[0] == f.readings[0] && g.kind.family() != noKind {
			if kind != noKind && kind.family() != g.kind.family() {
				return noKind
			}
			kind = g.kind
		}
	}
	return kind
}

// Contested reports whether the words of p, or those around it, say that it is of another
// kind than its Kind.
func Contested(p Printed) bool {
	return slices.ContainsFunc(p.read(Hint{}), func(f match) bool { return f.contested })
}

// differ reports whether one of two kinds is that of an expiry date, and the other is known
// and is not.
func differ(a, b Kind) bool {
	a, b = a.family(), b.family()
	return a != noKind && b != noKind && (a == Expiry) != (b == Expiry)
}

// setKind sets the kind of f, which its words have given it, if they have: what they do not
// say the print around it does, and then the model, unless there are no words at all. If two
// of them differ, the date is doubtful.
func (p Printed) setKind(f *match, beside Kind) {
	f.labelled = f.kind.family() != noKind
	said := p.Kind.family()
	switch {
	case f.labelled:
		if f.contested = differ(said, f.kind) && p.Period == ""; f.contested {
			f.doubt = cmp.Or(f.doubt, fmt.Sprintf("its words are those of another date than %s", p.Kind))
		}
	case beside != noKind:
		f.kind = beside
		if f.contested = differ(said, beside); f.contested {
			f.doubt = cmp.Or(f.doubt, fmt.Sprintf("the words around it are those of another date than %s", p.Kind))
		}
		return
	case said == Production, said == otherDate:
		f.kind = said
	case said == Expiry && f.kind == unknownLabel:
		f.kind, f.modelled = p.Kind, true
		if p.Kind == sale {
			f.kind = Expiry
		}
	}
	if differ(beside, f.kind) {
		f.contested, f.doubt = true, cmp.Or(f.doubt, "the words around it are those of another date")
	}
}

// refusedLabel returns an error for a label that is too long. An empty label is valid.
func refusedLabel(label string) error {
	var e *Error
	if err := refusedUnread(label); errors.As(err, &e) && e.Code == TooLong {
		return err
	}
	return nil
}

func (p findings) warnings(f match, ok bool) []string {
	var found []string
	add := func(code string, is bool) {
		if is {
			found = append(found, code)
		}
	}
	add(DateUnlabelled, ok && f.kind == noKind)
	_, unknown := p.latest(unknownLabel)
	add(DateLabelUnknown, unknown && (!ok || f.kind == noKind) || ok && f.modelled)
	add(DateAmbiguous, ok && len(f.readings) > 1 && !f.computed)
	add(DateComputed, ok && f.computed)
	add(DateRefused, p.faulty())
	add(DateDoubtful, ok && f.doubt != "" || slices.ContainsFunc(p.matches, func(f match) bool { return f.contested }))
	return found
}

// best returns the result of Parse: the expiry date, else the production date, else a
// period after opening.
func (p findings) best() (match, bool) {
	if f, ok := p.expires(); ok {
		return f, true
	}
	if f, ok := p.latest(Production); ok && !p.faulty() && !p.contradictory() {
		return f, true
	}
	for _, f := range p.matches {
		if f.kind == PeriodAfterOpening && !p.faulty() {
			return f, true
		}
	}
	return match{}, false
}

// expires returns the expiry date. An impossible date labelled as one prevents dates
// without words from being used.
func (p findings) expires() (match, bool) {
	if f, ok := p.latest(Expiry, UseBy, BestBefore); ok {
		f.doubt = cmp.Or(f.doubt, p.contradiction(f))
		return f, true
	}
	if p.faulty() {
		return match{}, false
	}
	f, ok := p.latest(noKind)
	if !ok || p.contradictory() {
		return p.compute()
	}
	if p.locale.stamped {
		f.doubt = cmp.Or(f.doubt, "without words it is most likely the day of making")
	}
	if end, ok := p.computeFrom(f); ok && !p.locale.now.IsZero() && !f.readings[0].first().After(p.locale.now) {
		end.readings = append(end.readings, f.readings...)
		end.doubt = "no words say whether the date is the last, or the day that the shelf life counts from"
		return end, true
	}
	return f, true
}

// contradiction says which other date contradicts f, a labelled expiry date; "" if none
// does.
func (p findings) contradiction(f match) string {
	made, known := p.latest(Production)
	if known && !slices.ContainsFunc(made.readings, func(m day) bool {
		return slices.ContainsFunc(f.readings, func(d day) bool { return !m.first().After(d.last()) })
	}) {
		return "it is before the day of production"
	}
	counts := slices.ContainsFunc(p.matches, func(m match) bool { return m.period != "" && m.kind != PeriodAfterOpening })
	if counts && !known && !p.locale.now.IsZero() && !f.readings[0].first().After(p.locale.now) {
		return "a shelf life is printed, and this may be the day that it counts from"
	}
	if other, ok := p.latest(noKind); ok && other.raw == f.raw && other.readings[0].last().After(f.readings[0].last()) {
		return "a later date without words stands beside it"
	}
	return ""
}

// faulty reports whether the printed expiry date does not exist.
func (p findings) faulty() bool {
	return slices.ContainsFunc(p.matches, func(f match) bool { return f.fault != nil && weight[f.kind] > 0 })
}

// contradictory reports whether, in one print, the date without words is before the
// production date: one of them means something else.
func (p findings) contradictory() bool {
	made, ok := p.latest(Production)
	other, found := p.latest(noKind)
	return ok && found && made.raw == other.raw && other.readings[0].last().Before(made.readings[0].last())
}

// latest returns the latest date of some kinds; those of low confidence count only if all
// are. Of two that end on the same day the more precise one counts, of two readings of a
// date the likelier.
func (p findings) latest(kinds ...Kind) (match, bool) {
	var found []match
	for _, f := range p.matches {
		if len(f.readings) > 0 && slices.Contains(kinds, f.kind) {
			found = append(found, f)
		}
	}
	if slices.ContainsFunc(found, func(f match) bool { return f.confidence == fullConfidence }) {
		found = slices.DeleteFunc(found, func(f match) bool { return f.confidence != fullConfidence })
	}
	if len(found) == 0 {
		return match{}, false
	}
	return slices.MaxFunc(found, func(a, b match) int {
		return cmp.Or(a.readings[0].last().Compare(b.readings[0].last()), cmp.Compare(a.readings[0].String(), b.readings[0].String()))
	}), true
}

// compute returns the end of a shelf life that begins with production.
func (p findings) compute() (match, bool) {
	made, ok := p.latest(Production)
	if !ok || len(made.readings) > 1 {
		return match{}, false
	}
	return p.computeFrom(made)
}

// computeFrom returns the end of a shelf life that begins with the first reading of made.
func (p findings) computeFrom(made match) (match, bool) {
	i := slices.IndexFunc(p.matches, func(f match) bool { return f.fromProduction && f.period != "" })
	if i < 0 {
		return match{}, false
	}
	life := p.matches[i]
	before, end := life.period.after(made.readings[0])
	found, wrong := readings(2, before, end)
	if wrong != nil {
		return match{}, false
	}
	return match{readings: found, kind: cmp.Or(life.kind, Expiry), period: life.period, computed: true, raw: life.raw, doubt: made.doubt,
		from: slices.Compact([]string{made.raw, life.raw})}, true
}

// date returns f as a Date.
func (f match) date(raw string) Date {
	d := Date{Raw: raw, Kind: f.kind, Period: string(f.period), Computed: f.computed, ComputedFrom: f.from, Doubt: f.doubt}
	if len(f.readings) == 0 {
		return d
	}
	d.Date, d.Precision = f.readings[0].String(), f.readings[0].precision()
	for _, r := range f.readings {
		if !slices.Contains(d.Ambiguous, r.String()) {
			d.Ambiguous = append(d.Ambiguous, r.String())
		}
	}
	if len(d.Ambiguous) == 1 {
		d.Ambiguous = nil
	}
	return d
}

// refusal says why p contains no date: the fault of the date labelled as expiry date, or
// else of the first text in the form of a date.
func (p findings) refusal() *Error {
	if p.contradictory() {
		return p.refuse(Contradictory, "the date without words lies before the day of production")
	}
	var wrong *fault
	for _, f := range p.matches {
		if f.fault != nil && (wrong == nil || weight[f.kind] > 0) {
			wrong = f.fault
		}
	}
	if wrong != nil {
		return p.refuse(wrong.code, wrong.detail)
	}
	for _, f := range p.matches {
		if f.period != "" {
			e := p.refuse(PeriodOnly, "a shelf life without the day that it counts from")
			e.Period = string(f.period)
			return e
		}
	}
	if _, ok := p.latest(otherDate); ok {
		return p.refuse(OtherDate, "the words beside the date are not those of an expiry date")
	}
	return p.refuse(NotADate, "there is no date in it")
}

func (p findings) refuse(code, detail string) *Error {
	return &Error{Raw: p.raw, Code: code, Detail: detail, Advice: advice[code]}
}
