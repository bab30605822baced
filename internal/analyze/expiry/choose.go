package expiry

import (
	"cmp"
	"errors"
	"slices"
)

// A Printed is a date read from a pack, with the words beside it.
type Printed struct {
	Text  string `json:"text"`
	Label string `json:"label"`
}

// The warnings of Choose. They are stable.
const (
	DateUnlabelled   = "date_unlabelled"    // no words say that it is an expiry date
	DateLabelUnknown = "date_label_unknown" // there is none with a known label, and another was left out, whose label is not known
	DateAmbiguous    = "date_ambiguous"     // it has several readings
	DateComputed     = "date_computed"      // from production date and shelf life; it is not printed
	DateRefused      = "date_refused"       // the date labelled as expiry date is invalid
)

// Choose returns the date in printed by which to use the product, and whether there is one.
// Of several labelled ones it is the latest. A date without words counts if no expiry date
// has words; a date beside unknown words never counts, as they may say anything: without
// another, Choose returns its print as Raw, with DateLabelUnknown. Without a date, Choose adds
// the shelf life to the production date, if both are printed and the date is certain.
//
// Shelf lives are counted in two ways, so a computed date has two readings: the day before
// the anniversary, which comes first, and the anniversary.
func Choose(printed []Printed, hint Hint) (Date, []string, bool) {
	var all findings
	for _, p := range printed {
		if err := refusedUnread(p.Text); err == nil && refusedLabel(p.Label) == nil {
			all.matches = append(all.matches, readPrint(p, hint).matches...)
		}
	}
	f, ok := all.expires()
	warnings := all.warnings(f, ok)
	if !ok {
		unknown, _ := all.latest(unknownLabel)
		return Date{Raw: unknown.raw}, warnings, false
	}
	return f.date(f.raw), warnings, true
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
	add(DateLabelUnknown, unknown && (!ok || f.kind == noKind))
	add(DateAmbiguous, ok && len(f.readings) > 1 && !f.computed)
	add(DateComputed, ok && f.computed)
	add(DateRefused, slices.ContainsFunc(p.matches, func(f match) bool { return f.fault != nil && weight[f.kind] > 0 }))
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
		return f, true
	}
	if p.faulty() {
		return match{}, false
	}
	if f, ok := p.latest(noKind); ok && !p.contradictory() {
		return f, true
	}
	return p.compute()
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
	i := slices.IndexFunc(p.matches, func(f match) bool { return f.fromProduction })
	if !ok || i < 0 || len(made.readings) > 1 || made.readings[0].precision() != ToDay {
		return match{}, false
	}
	life := p.matches[i].period
	end := life.after(made.readings[0])
	found, wrong := readings(3, dayOf(end.last().AddDate(0, 0, -1)), end)
	if wrong != nil {
		return match{}, false
	}
	return match{readings: found, kind: cmp.Or(p.matches[i].kind, Expiry), period: life, computed: true, raw: p.matches[i].raw}, true
}

// date returns f as a Date.
func (f match) date(raw string) Date {
	d := Date{Raw: raw, Kind: f.kind, Period: string(f.period), Computed: f.computed}
	if len(f.readings) == 0 {
		return d
	}
	d.Date, d.Precision = f.readings[0].String(), f.readings[0].precision()
	if len(f.readings) > 1 {
		for _, r := range f.readings {
			d.Ambiguous = append(d.Ambiguous, r.String())
		}
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
