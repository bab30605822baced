package analyze

import (
	"slices"
	"strings"
	"unicode"

	"example.com/whatis/internal/textfold"
)

// A Suspicion is a sign that a confident analysis may be made up.
type Suspicion string

// The suspicions, as they stand in a result's decision.
const (
	BrandOverextended Suspicion = "brand_overextended"
	ConfusableHangul  Suspicion = "confusable_hangul"
	Overconfident     Suspicion = "overconfident"
	NameUnread        Suspicion = "name_unread"
	UnknownProduct    Suspicion = "unknown_product"
)

// Suspicions lists them.
var Suspicions = []Suspicion{BrandOverextended, ConfusableHangul, Overconfident, NameUnread, UnknownProduct}

// description says what is suspicious, to whoever looks again.
func (s Suspicion) description() string {
	return map[Suspicion]string{
		BrandOverextended: "the brand may hold, or be, a sub-brand or product line instead of the maker alone",
		ConfusableHangul:  "a syllable of the name that is easily misread stands in a line that was not clear",
		Overconfident:     "hardly any of the features stand in the print that was read",
		NameUnread:        "the name does not stand in the print that was read",
		UnknownProduct:    "this brand is not known to make such a product",
	}[s]
}

// confident is the confidence above which the seed's rules believe a name.
const confident = 0.7

// textlessCap bounds the confidences of a photo on which nothing can be read.
const textlessCap = 0.6

// suspicions are the signs found in a, of which the catalogue says what known
// does. The brand must not have been cut to its maker before.
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
	if !textless(a) {
		add(NameUnread, nameUnread(a))
		add(UnknownProduct, unknownProduct(a))
	}
	return found
}

// textless reports that fewer than four letters were read: fruit, shoes, a bare
// logo.
func textless(a Analysis) bool {
	n := 0
	for _, l := range a.VisibleText {
		n += textfold.Letters(l.Text)
	}
	return n < 4
}

// confusable are the Hangul syllables of the seed's pairs, which are often read
// for one another. More pairs would be in half of all names and tell nothing.
const confusable = "요려삼산물뭘"

// confusableHangul reports that the printed name has a syllable that is easily
// misread, in a line that was not read clearly.
func confusableHangul(a Analysis) bool {
	if !strings.ContainsAny(a.NameAsPrinted, confusable) {
		return false
	}
	return slices.ContainsFunc(a.VisibleText, func(l Line) bool {
		return !l.Clear && strings.ContainsAny(l.Text, confusable) && overlaps(a.NameAsPrinted, l.Text)
	})
}

// overlaps reports that a line holds a word of the name, or stands in the name.
func overlaps(name, line string) bool {
	whole := textfold.String(line)
	return strings.Contains(textfold.String(name), whole) ||
		slices.ContainsFunc(textfold.Words(name), func(w string) bool { return strings.Contains(whole, w) })
}

// overconfident reports that both confidences are high though fewer than two of
// the features stand in the read text.
func overconfident(a Analysis) bool {
	return a.ProductNameConfidence > confident && a.BrandConfidence > confident && len(textClues(a)) < 2
}

// nameUnread reports that of the printed name's own words, the brand, category
// and quantities aside, under half the letters stand in the read text. The name
// must not be the translated one, which is never on the package.
func nameUnread(a Analysis) bool {
	if a.ProductName == "" {
		return false
	}
	if a.NameAsPrinted == "" {
		return true
	}
	own := ownWords(a, a.NameAsPrinted)
	found, all := newReading(a.VisibleText).letters(own)
	return all > 0 && 2*found < all
}

// ownWords are the words of a name that tell the product from others: the brand,
// the category and quantities aside.
func ownWords(a Analysis, name string) []string {
	common := slices.Concat(textfold.Words(a.Brand), textfold.Words(a.BrandAsPrinted), textfold.Words(a.Category))
	return slices.DeleteFunc(textfold.Words(name), func(w string) bool {
		return slices.Contains(common, w) || quantity(w)
	})
}

// unknownProduct reports that the model knows of no such product.
func unknownProduct(a Analysis) bool { return a.KnownProduct == No }

// textClues are the features that stand in the read text, by at least half of
// their letters.
func textClues(a Analysis) []string {
	r := newReading(a.VisibleText)
	return slices.DeleteFunc(slices.Clone(a.KeyFeatures), func(feature string) bool {
		found, all := r.letters(textfold.Words(feature))
		return all == 0 || 2*found < all
	})
}

// units follow the number of a quantity. The metre is not among them: 3M is a
// brand.
var units = []string{"", "g", "kg", "mg", "ml", "cl", "dl", "l", "oz", "fl", "lb", "lbs", "mm", "cm", "x", "pcs", "ea", "ct",
	"개", "입", "매", "호", "정", "포", "병", "팩", "봉", "인분", "개입"}

// quantity reports a number, with or without a unit: 12, 500g, 6개입.
func quantity(word string) bool {
	unit := strings.TrimLeftFunc(word, unicode.IsDigit)
	return unit != word && slices.Contains(units, unit)
}
