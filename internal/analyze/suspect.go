package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"example.com/whatis/internal/textfold"
)

// A Suspicion is a sign that a confident analysis may be wrong.
type Suspicion string

// The suspicions, as in Decision.Suspicions.
const (
	BrandOverextended Suspicion = "brand_overextended"
	ConfusableHangul  Suspicion = "confusable_hangul"
	Overconfident     Suspicion = "overconfident"
	NameUnread        Suspicion = "name_unread"
	UnknownProduct    Suspicion = "unknown_product"
	Translated        Suspicion = "translation_unproven"
	DateContested     Suspicion = "date_contested"
)

// Suspicions lists all suspicions.
var Suspicions = []Suspicion{BrandOverextended, ConfusableHangul, Overconfident, NameUnread, UnknownProduct, Translated, DateContested}

// description returns what is suspicious about a, for the model that looks again.
func (s Suspicion) description(a Analysis) string {
	return map[Suspicion]string{
		BrandOverextended: "the brand may hold a sub-brand or product line, or be one, instead of the maker alone; the brand as it was read: " + a.Brand,
		ConfusableHangul:  "a syllable of the name that is easily misread stands in a line that was not clear",
		Overconfident:     "hardly any of the features stand in the print that was read",
		NameUnread:        "these words of the name or the brand do not stand in the print that was read: " + strings.Join(unreadWords(a), ", "),
		UnknownProduct:    "this brand is not known to make such a product",
		Translated:        fmt.Sprintf("nothing shows that the printed name %q by %q is %q by %q", a.NameAsPrinted, a.BrandAsPrinted, cmp.Or(a.NameLocal, a.ProductName), cmp.Or(a.BrandLocal, a.Brand)),
		DateContested:     "the print beside a date says that it is of another kind than was read: " + strings.Join(contestedDates(a), ", "),
	}[s]
}

// confident is the confidence above which the seed policy accepts a name.
const confident = 0.7

// unprovenCap bounds the confidences of a name that neither print nor another look proves.
const unprovenCap = 0.6

// gateNames looks in the text that was read for what proves a's name and brand: the copy of
// the print that a has, or else the name itself. Where hardly any text was read nothing is
// proven, and their confidences are capped.
func (r *rag) gateNames(a *Analysis) {
	r.text, r.evidence = a.VisibleText, Evidence{}
	if textless(*a) {
		a.ProductNameConfidence = min(a.ProductNameConfidence, unprovenCap)
		a.BrandConfidence = min(a.BrandConfidence, unprovenCap)
		return
	}
	read, copies := newReading(a.VisibleText), a.printed()
	r.evidence.ProductName, r.evidence.Brand = read.proof(copies[0]), read.proof(copies[1])
}

// suspicions returns the suspicions about a, given what the catalogue knows of its
// brand.
func suspicions(a Analysis, known brandKnowledge) []Suspicion {
	var found []Suspicion
	add := func(s Suspicion, is bool) {
		if is {
			found = append(found, s)
		}
	}
	add(BrandOverextended, brandOverextended(a, known))
	add(ConfusableHangul, confusableHangul(a))
	add(Overconfident, overconfident(a))
	add(DateContested, len(contestedDates(a)) > 0)
	if !textless(a) {
		add(NameUnread, len(unreadWords(a)) > 0)
		add(UnknownProduct, a.KnownProduct == No)
		add(Translated, translated(a, known))
	}
	return found
}

// textless reports whether fewer than four letters were read: fruit, shoes, a bare
// logo.
func textless(a Analysis) bool {
	n := 0
	for _, l := range a.VisibleText {
		n += textfold.Letters(l.Text)
	}
	return n < 4
}

// confusable lists Hangul syllables that are often misread for one another. More of
// them would be in half of all names and tell nothing.
const confusable = "요려삼산물뭘"

// confusableHangul reports whether the printed name has a syllable that is easily
// misread, in a line that was not read clearly.
func confusableHangul(a Analysis) bool {
	if !strings.ContainsAny(a.NameAsPrinted, confusable) {
		return false
	}
	return slices.ContainsFunc(a.VisibleText, func(l Line) bool {
		return !bool(l.Clear) && strings.ContainsAny(l.Text, confusable) && (newReading([]Line{l}).hasAny(a.NameAsPrinted) || strings.Contains(textfold.String(a.NameAsPrinted), textfold.String(l.Text)))
	})
}

// overconfident reports whether both confidences are high but fewer than two of the
// features are in the read text. Features in another script than the text are not compared.
func overconfident(a Analysis) bool {
	if a.ProductNameConfidence <= confident || a.BrandConfidence <= confident {
		return false
	}
	var text strings.Builder
	for _, l := range a.VisibleText {
		text.WriteString(l.Text)
	}
	of, comparable := scripts(text.String()), 0
	for _, feature := range a.KeyFeatures {
		letters := strings.ContainsFunc(feature, unicode.IsLetter)
		if letters && slices.ContainsFunc(scripts(feature), func(s *unicode.RangeTable) bool { return slices.Contains(of, s) }) ||
			!letters && textfold.String(feature) != "" {
			comparable++
		}
	}
	return len(textClues(a)) < min(2, comparable)
}

// unreadWords returns the words of the printed name and brand that do not stand in the read
// text.
func unreadWords(a Analysis) (missing []string) {
	r := newReading(a.VisibleText)
	for _, copied := range a.printed() {
		if r.proof(copied) == nil {
			missing = append(missing, r.cover(copied).missing...)
		}
	}
	return missing
}

// textClues returns the features of which at least half of the letters are in the
// read text.
func textClues(a Analysis) []string {
	r := newReading(a.VisibleText)
	return slices.DeleteFunc(slices.Clone(a.KeyFeatures), func(feature string) bool { return !r.cover(feature).most() })
}

// units follow the number of a quantity. The metre is not among them: 3M is a
// brand.
var units = []string{"", "g", "kg", "mg", "ml", "cl", "dl", "l", "oz", "fl", "lb", "lbs", "mm", "cm", "x", "pcs", "ea", "ct",
	"개", "입", "매", "호", "정", "포", "병", "팩", "봉", "인분", "개입"}

// quantity reports whether word is a number, with or without a unit: 12, 1.5l, 50+, 6개입.
func quantity(word string) bool {
	unit := strings.TrimLeftFunc(word, func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune("-.+/", r) })
	return unit != word && slices.Contains(units, unit)
}
