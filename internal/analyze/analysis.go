package analyze

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"example.com/whatis/internal/textfold"
)

// NotAProduct is Result.Error for a photo that shows no product.
const NotAProduct = "Unable to identify product image"

// Analysis is the answer of image_analyzer: first what it read, then its
// conclusions. What the fields are is said by the prompt alone: a description in the
// schema would be paid for twice. The schema's list bounds are looser than those in
// the prompt, so that a slightly longer answer loses nothing.
type Analysis struct {
	VisibleText           []Line   `json:"visible_text" maxItems:"60"`
	Codes                 []Code   `json:"codes,omitempty" maxItems:"10"`
	NameAsPrinted         string   `json:"name_as_printed"`
	BrandAsPrinted        string   `json:"brand_as_printed"`
	SubBrands             []string `json:"sub_brands,omitempty" maxItems:"20"`
	Dates                 []Date   `json:"dates,omitempty" maxItems:"20"`
	Category              string   `json:"category"`
	ImageFeatures         string   `json:"image_features"`
	KeyFeatures           []string `json:"key_features" maxItems:"40"`
	ProductName           string   `json:"product_name"`
	Brand                 string   `json:"brand"`
	NameLocal             string   `json:"name_local,omitempty"`
	BrandLocal            string   `json:"brand_local,omitempty"`
	ProductNameConfidence float64  `json:"product_name_confidence" minimum:"0" maximum:"1"`
	BrandConfidence       float64  `json:"brand_confidence" minimum:"0" maximum:"1"`
	KnownProduct          Known    `json:"known_product" enum:"yes,no,unsure"`
	ProductsSeen          int      `json:"products_seen" minimum:"0"`
	Side                  Side     `json:"side" enum:"front,back,nutrition,ingredients,code,tag,document,shelf,loose"`
	NotProduct            bool     `json:"not_product,omitempty"`
	Description           string   `json:"description,omitempty"`
}

// A Line is a piece of text read from the photo. MachineDirected means that it addresses
// a machine or the reader of the picture, not a shopper. The box may be left out.
type Line struct {
	Text  string  `json:"text"`
	Clear Clarity `json:"clear,omitzero"`

	MachineDirected bool `json:"machine_directed,omitempty"`

	Box   Box `json:"box,omitempty"`
	Photo int `json:"photo,omitempty"`
}

// Clarity means that every character of a line is certain. It is written only where it is
// false: most lines are clear, and a model's time goes with what it writes.
type Clarity bool

// IsZero reports whether c need not be written.
func (c Clarity) IsZero() bool { return bool(c) }

// UnmarshalJSON reads a line, which is clear unless it says otherwise.
func (l *Line) UnmarshalJSON(data []byte) error {
	type fields Line
	read := fields{Clear: true}
	err := json.Unmarshal(data, &read)
	*l = Line(read)
	return err
}

// A Code is the place of a barcode, QR Code or Data Matrix that the model saw.
type Code struct {
	Box   Box `json:"box,omitempty"`
	Photo int `json:"photo,omitempty"`
}

// A Date is a printed date and what the print says of it.
type Date struct {
	Text   string `json:"text"`
	Label  string `json:"label,omitempty"`
	Kind   string `json:"kind" enum:"best_before,use_by,expiry,production,packaging,harvest,sale,other"`
	Anchor string `json:"anchor,omitempty"`
	Period string `json:"period,omitempty"`
	Box    Box    `json:"box,omitempty"`
	Photo  int    `json:"photo,omitempty"`
}

// Known says whether the model knows the product.
type Known string

// The values of known_product in image_analyzer's answer.
const (
	Yes    Known = "yes"
	No     Known = "no"
	Unsure Known = "unsure"
)

// A Side says what of the product the photo shows.
type Side string

// The values of side in image_analyzer's answer.
const (
	SideFront       Side = "front"
	SideBack        Side = "back"
	SideNutrition   Side = "nutrition"
	SideIngredients Side = "ingredients"
	SideCode        Side = "code"
	SideTag         Side = "tag"
	SideDocument    Side = "document"
	SideShelf       Side = "shelf"
	SideLoose       Side = "loose" // goods without a package
)

// Bounds of texts and of features. Longer ones are cut, not refused, because the
// answer has already been paid for.
const (
	maxFeatures    = 20
	maxStringRunes = 500
	maxProductName = 300
)

// check tidies an answer. The schema's bounds have already been enforced.
func (a *Analysis) check() error {
	for _, s := range []*string{&a.NameAsPrinted, &a.BrandAsPrinted, &a.ProductName, &a.Brand, &a.NameLocal, &a.BrandLocal, &a.Category} {
		*s = clean(*s, maxProductName)
	}
	a.ImageFeatures = clean(a.ImageFeatures, maxStringRunes)
	a.Description = clean(a.Description, maxStringRunes)
	a.SubBrands = distinct(a.SubBrands, len(a.SubBrands))
	a.KeyFeatures = cleaned(a.KeyFeatures)
	a.tidyText()
	a.ProductName, a.NameLocal = asPrinted(a.ProductName, a.NameAsPrinted, a.NameLocal)
	a.Brand, a.BrandLocal = asPrinted(a.Brand, a.BrandAsPrinted, a.BrandLocal)
	if textfold.String(a.ProductName) == "" {
		a.ProductName, a.NameLocal, a.ProductNameConfidence = "", "", 0
	}
	if textfold.String(a.Brand) == "" {
		a.Brand, a.BrandLocal, a.BrandConfidence = "", "", 0
	}
	// A model that names a product has seen one: the name outweighs the flag.
	a.NotProduct = a.NotProduct && (a.ProductName == "" || a.ProductsSeen == 0)
	return nil
}

// printed returns the name and the brand as printed, or else as they are named.
func (a Analysis) printed() [2]string {
	return [2]string{cmp.Or(a.NameAsPrinted, a.ProductName), cmp.Or(a.BrandAsPrinted, a.Brand)}
}

// shown returns what those who asked see of a. Of a photo without a product, such as a receipt
// or a letter, that is only its description: the rest is of no use here, and names persons.
func (a Analysis) shown() Analysis {
	if !a.NotProduct {
		return a
	}
	return Analysis{NotProduct: a.NotProduct, Description: a.Description, KnownProduct: a.KnownProduct, Side: a.Side}
}

// A Glimpse is what is known of photos while their reading is being written.
type Glimpse struct {
	VisibleText    []Line `json:"visible_text"`
	NameAsPrinted  string `json:"name_as_printed,omitempty"`
	BrandAsPrinted string `json:"brand_as_printed,omitempty"`
}

// String says in a line how much is known.
func (g Glimpse) String() string {
	return strings.Join(slices.DeleteFunc([]string{g.BrandAsPrinted, g.NameAsPrinted, fmt.Sprintf("%d lines read", len(g.VisibleText))}, func(s string) bool { return s == "" }), ", ")
}

// Early returns what may be shown of an answer that is not complete: the lines and the printed
// names, unless a line speaks to a machine, which may have steered what follows.
func (a Analysis) Early() any {
	if err := a.check(); err != nil || len(a.VisibleText) == 0 || a.NotProduct {
		return nil
	}
	if _, injected := splitInjected(a, nil); len(injected) > 0 {
		return nil
	}
	return Glimpse{a.VisibleText, a.NameAsPrinted, a.BrandAsPrinted}
}

// asPrinted returns what a model calls something, in the words of the print, and its form
// in the request's language: a name in another script than the copy of the print is that
// form.
func asPrinted(named, copied, local string) (name, otherForm string) {
	if oneScript(named, copied) || textfold.String(named) == "" || textfold.String(copied) == "" {
		return named, local
	}
	return copied, cmp.Or(local, named)
}

// minFeatures is the least number of key features that the prompt asks for.
const minFeatures = 8

// enforcePromptRules checks the category and the key features against the prompt's
// rules and removes repeated features. It returns a warning for each broken rule.
func (a *Analysis) enforcePromptRules() []string {
	var warnings []string
	if !english(a.Category) {
		warnings = append(warnings, warnCategoryNotEnglish)
	}
	different := distinct(a.KeyFeatures, len(a.KeyFeatures))
	if len(different) < len(a.KeyFeatures) {
		warnings = append(warnings, warnFeaturesRepeated)
	}
	if len(different) < minFeatures && !a.NotProduct {
		warnings = append(warnings, warnFewFeatures)
	}
	a.KeyFeatures = different[:min(len(different), maxFeatures)]
	return warnings
}

// english reports whether a category has only letters of English.
func english(category string) bool {
	return !strings.ContainsFunc(category, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) })
}

func (a *Analysis) tidyText() {
	lines := a.VisibleText[:0]
	for _, l := range a.VisibleText {
		l.Text, l.Box, l.Photo = clean(l.Text, maxStringRunes), l.Box.tidy(), tidyNumber(l.Photo)
		if l.Text != "" {
			lines = append(lines, l)
		}
	}
	a.VisibleText = lines
	for i, c := range a.Codes {
		a.Codes[i] = Code{c.Box.tidy(), tidyNumber(c.Photo)}
	}
	for i := range a.Dates {
		d := &a.Dates[i]
		for _, s := range []*string{&d.Text, &d.Label, &d.Anchor, &d.Period} {
			*s = clean(*s, maxStringRunes)
		}
		d.Box, d.Photo = d.Box.tidy(), tidyNumber(d.Photo)
	}
}

// tidyNumber returns the number of a photo, 0 for one that no photo has.
func tidyNumber(photo int) int {
	if photo < 0 || photo > MaxPhotos {
		return 0
	}
	return photo
}

// clean returns s in NFC, without invisible characters that its script does not need,
// with white space collapsed to single spaces, cut to n runes.
func clean(s string, n int) string {
	s = textfold.Visible(norm.NFC.String(s))
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if r := []rune(s); len(r) > n {
		s = strings.TrimSpace(string(r[:n]))
	}
	return s
}

// cleaned returns the strings of list, cleaned, without empty ones.
func cleaned(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		if s = clean(s, maxStringRunes); textfold.String(s) != "" {
			out = append(out, s)
		}
	}
	return out
}

// distinct returns at most n strings of list, cleaned, without empty ones and
// without ones that fold to the same text as an earlier one.
func distinct(list []string, n int) []string {
	seen := map[string]bool{}
	out := make([]string, 0, min(len(list), n))
	for _, s := range cleaned(list) {
		if key := textfold.String(s); !seen[key] && len(out) < n {
			seen[key] = true
			out = append(out, s)
		}
	}
	return out
}
