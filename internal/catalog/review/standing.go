package review

import (
	"slices"
	"time"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/textfold"
)

// A statement is what a person said of a photo, and stands until it is taken back.
type statement struct {
	Verdict  string    `firestore:"verdict"` // accept, correct or reject
	By       string    `firestore:"by"`
	Verified bool      `firestore:"verified"`
	At       time.Time `firestore:"at"` // zero of the latest act, whose time the document has
	Fields   string    `firestore:"fields"`

	Named     Name             `firestore:"named"`     // the answer that the person saw
	Nothing   bool             `firestore:"nothing"`   // the answer was that the photo shows no product
	Confirms  string           `firestore:"confirms"`  // the ID of a product
	Rejects   string           `firestore:"rejects"`   // the ID of the product that is wrong
	Confirmed *catalog.Product `firestore:"confirmed"` // what the product that Confirms names is
}

// A Name is a product as an answer names it.
type Name struct {
	ProductName string `firestore:"product_name" json:"product_name"`
	Brand       string `firestore:"brand" json:"brand,omitempty"`
}

// Same reports whether n and o name the same product: their names are equal, and so are
// their brands if both have one.
func (n Name) Same(o Name) bool {
	a, b := textfold.Name(n.Brand), textfold.Name(o.Brand)
	return n.ProductName != "" && textfold.Name(n.ProductName) == textfold.Name(o.ProductName) && (a == "" || b == "" || a == b)
}

func nameOf(p catalog.Product) Name { return Name{p.ProductName, p.Brand} }

// answers reports whether st says what the photo shows.
func (st statement) answers() bool { return st.Verdict == Accept || st.Verdict == Correct }

// says returns the product that st is for, or against if it rejects.
func (st statement) says() Name {
	if st.Confirmed != nil {
		return nameOf(*st.Confirmed)
	}
	return st.Named
}

// denies reports whether st rejects what another statement says.
func (st statement) denies(o statement) bool {
	return st.Verdict == Reject && (st.Rejects != "" && st.Rejects == o.Confirms || st.Named.Same(o.says()) || st.Nothing && o.Nothing)
}

func (st statement) entry() Entry {
	return Entry{Verdict: st.Verdict, By: st.By, Verified: st.Verified, At: st.At, Text: st.Fields, Fields: fieldsOf(st.Fields)}
}

// How many statements on a photo can be taken back, of how many bytes.
const (
	maxStanding      = 20
	maxStandingBytes = 400 << 10
)

// with returns the statements that stand once st is made.
func (doc document) with(st statement) []statement {
	return newest(append(doc.dated(), st), maxStanding, maxStandingBytes)
}

// withoutLast returns the statements that stand once the last one is taken back: what
// was said before stands again.
func (doc document) withoutLast() []statement {
	all := doc.dated()
	return all[:max(0, len(all)-1)]
}

// counting returns the statements that count. Of what one person said the last counts, and
// before that what they said is wrong.
func (doc document) counting() (all []statement) {
	for i, st := range doc.Standing {
		later := slices.DeleteFunc(slices.Clone(doc.Standing[i+1:]), func(o statement) bool { return o.By != st.By || o.Verified != st.Verified })
		right := slices.ContainsFunc(later, func(o statement) bool { return o.answers() && o.says().Same(st.Named) })
		switch {
		case len(later) == 0:
		case st.Verdict == Accept, right:
			continue
		case st.Verdict == Correct:
			st.Verdict, st.Confirms, st.Confirmed = Reject, "", nil
		}
		all = append(all, st)
	}
	return all
}

// confirming returns the latest statement that says what the photo shows, and those after
// it; nil if there is none.
func (doc document) confirming() (c *statement, since []statement) {
	all := doc.counting()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].answers() {
			return &all[i], all[i+1:]
		}
	}
	return nil, nil
}

// answer returns the statement that decides what the photo shows: the latest, unless
// somebody has rejected that since; nil if there is none.
func (doc document) answer() *statement {
	c, since := doc.confirming()
	if c == nil || slices.ContainsFunc(since, func(st statement) bool { return st.denies(*c) }) {
		return nil
	}
	return c
}

// rejecting returns the IDs of the products that are wrong. One that another statement
// confirms is not: rejecting an answer never removes what a person has confirmed.
func (doc document) rejecting() []string {
	all, counting := []string{}, doc.counting()
	for _, st := range counting {
		confirmed := slices.ContainsFunc(counting, func(o statement) bool { return o.Confirms == st.Rejects })
		if st.Rejects != "" && !confirmed && !slices.Contains(all, st.Rejects) {
			all = append(all, st.Rejects)
		}
	}
	return all
}

// rejected returns the answers that are wrong.
func (doc document) rejected() (all []Name) {
	answer := doc.answer()
	for _, st := range doc.counting() {
		wrong := st.Verdict == Reject || st.Verdict == Correct && !st.Named.Same(st.says())
		if !wrong || st.Named.ProductName == "" || answer != nil && st.Named.Same(answer.says()) {
			continue
		}
		if !slices.ContainsFunc(all, st.Named.Same) {
			all = append(all, st.Named)
		}
	}
	return all
}
