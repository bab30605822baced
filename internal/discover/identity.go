package discover

import (
	"maps"
	"slices"

	"example.com/whatis/internal/textfold"
)

// An Identity is what a dataset is told by within a run and between runs, whatever a model calls
// it: an address, the sentence that stands there, and the subsectors that are printed there.
type Identity struct {
	URL        string      `json:"url" firestore:"url"`
	Quote      string      `json:"quote" firestore:"quote"`
	Sectors    []string    `json:"sectors" firestore:"sectors"`
	Subsectors []Subsector `json:"subsectors,omitempty" firestore:"subsectors"`
	FirstYear  int         `json:"first_year" firestore:"first_year"`
	LastYear   int         `json:"last_year" firestore:"last_year"`
	Measures   string      `json:"measures,omitempty" firestore:"measures"` // gases and unit
	Files      []string    `json:"files,omitempty" firestore:"files"`
}

func (r StructuredDataItem) identity() Identity {
	i := Identity{URL: r.URL, Quote: r.Quote, Sectors: r.Sectors, Subsectors: r.Subsectors, FirstYear: r.FirstYear, LastYear: r.LastYear, Measures: textfold.String(r.Gas + " " + r.Unit)}
	for _, f := range r.Files {
		i.Files = append(i.Files, f.URL)
	}
	return i
}

// identities returns what tells a record, with those of its duplicates.
func (r StructuredDataItem) identities() []Identity {
	return append([]Identity{r.identity()}, r.Also...)
}

// names reports that a subsector is among those of a: by its words, or by another for the same.
func (a Identity) names(of Subsector) bool {
	return slices.ContainsFunc(a.Subsectors, func(o Subsector) bool {
		return o.Sector == of.Sector && (sameLabel(o.Label, of.Label) || sameLabel(o.Printed, of.Printed))
	})
}

// shareFile reports that one of a and b stands in a file of the other.
func (a Identity) shareFile(b Identity) bool {
	return slices.Contains(a.Files, b.URL) || slices.Contains(b.Files, a.URL)
}

// is reports that a and b tell one dataset: the same file, the same sentence, or at one address
// the same years and subsectors, and nothing else that is measured. Neither their sectors nor the subsectors
// that their quotes name keep them apart.
func (a Identity) is(b Identity) bool {
	alike := a.URL == b.URL && a.FirstYear == b.FirstYear && a.LastYear == b.LastYear && labels(a.Subsectors) == labels(b.Subsectors) && (a.Measures == "" || b.Measures == "" || a.Measures == b.Measures)
	apart := len(a.Subsectors) > 0 && len(b.Subsectors) > 0 && !slices.ContainsFunc(a.Subsectors, b.names)
	sector := slices.ContainsFunc(a.Sectors, func(s string) bool { return slices.Contains(b.Sectors, s) })
	return sector && !apart && (alike || a.shareFile(b) || textfold.String(a.Quote) == textfold.String(b.Quote))
}

// areOne reports that one of a is one of b.
func areOne(a, b []Identity, is func(a, b Identity) bool) bool {
	return slices.ContainsFunc(a, func(one Identity) bool {
		return slices.ContainsFunc(b, func(other Identity) bool { return is(one, other) })
	})
}

// repeats reports that two records tell one dataset by its name or its sentence. Whether others do
// is the reviewer's to say.
func (r StructuredDataItem) repeats(o StructuredDataItem) bool {
	return areOne(r.identities(), o.identities(), func(a, b Identity) bool {
		return a.is(b) && (textfold.String(a.Quote) == textfold.String(b.Quote) || textfold.String(r.Name) == textfold.String(o.Name))
	})
}

// markOf returns the last mark on a record or on a duplicate of it, nil if there is none. A mark
// is on the addresses at which its record was found: other pages may print the same sentence.
func markOf(marks map[string]Mark, r StructuredDataItem) (last *Mark) {
	for _, key := range slices.Sorted(maps.Keys(marks)) {
		m := marks[key]
		if areOne(append([]Identity{m.Identity}, m.Also...), r.identities(), func(a, b Identity) bool { return (a.URL == b.URL || a.shareFile(b)) && a.is(b) }) && (last == nil || m.At.After(last.At)) {
			last = &m
		}
	}
	return last
}

// withMark returns r with the last mark on it.
func (r StructuredDataItem) withMark(marks map[string]Mark) StructuredDataItem {
	r = r.withProofs()
	r.Mark = nil
	if m := markOf(marks, r); m != nil {
		r.Mark = &m.Opinion
		if !m.IsWrong() {
			r.Acceptance = 1
		}
	}
	return r
}
