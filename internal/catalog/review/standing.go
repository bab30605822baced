package review

import (
	"slices"
	"time"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/textfold"
)

// A statement is what one person says of a photo, and stands until that person says
// something else or it is taken back.
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
	Confirmed *catalog.Product `firestore:"confirmed"` // the product that Confirms names, without its vector
}

// A Name is a product as an answer names it.
type Name struct {
	ProductName string `firestore:"product_name" json:"product_name"`
	Brand       string `firestore:"brand" json:"brand,omitempty"`
}

// Same reports whether n and o name the same product: their names are equal, and so are
// their brands if both have one.
func (n Name) Same(o Name) bool {
	a, b := textfold.String(n.Brand), textfold.String(o.Brand)
	return n.ProductName != "" && textfold.String(n.ProductName) == textfold.String(o.ProductName) && (a == "" || b == "" || a == b)
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

// with returns the statements that stand once st is made. It replaces what the same person
// said before, but for rejections of other answers.
func (doc document) with(st statement) []statement {
	all := slices.DeleteFunc(doc.dated(), func(old statement) bool {
		return old.By == st.By && old.Verified == st.Verified && (old.Verdict != Reject || old.says().Same(st.says()) || old.says() == Name{})
	})
	return append(all, st)
}

// withoutLast returns the statements that stand once the last one is taken back: what
// others said before stands again.
func (doc document) withoutLast() []statement {
	all := doc.dated()
	return all[:max(0, len(all)-1)]
}

// confirming returns the latest statement that says what the photo shows; nil if none does.
func (doc document) confirming() *statement {
	for i := len(doc.Standing) - 1; i >= 0; i-- {
		if doc.Standing[i].answers() {
			return &doc.Standing[i]
		}
	}
	return nil
}

// answer returns the statement that decides what the photo shows: the latest, unless
// somebody has rejected that since; nil if there is none.
func (doc document) answer() *statement {
	c := doc.confirming()
	if c == nil || slices.ContainsFunc(doc.Standing, func(st statement) bool { return st.denies(*c) }) {
		return nil
	}
	return c
}

// rejecting returns the IDs of the products that are wrong. One that another statement
// confirms is not: rejecting an answer never removes what a person has confirmed.
func (doc document) rejecting() []string {
	all := []string{}
	for _, st := range doc.Standing {
		confirmed := slices.ContainsFunc(doc.Standing, func(o statement) bool { return o.Confirms == st.Rejects })
		if st.Rejects != "" && !confirmed && !slices.Contains(all, st.Rejects) {
			all = append(all, st.Rejects)
		}
	}
	return all
}

// rejected returns the answers that are wrong.
func (doc document) rejected() (all []Name) {
	answer := doc.answer()
	for _, st := range doc.Standing {
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
