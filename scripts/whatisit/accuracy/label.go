// Package accuracy measures how often results for photos are right, by comparing them
// with labels.
//
//	labels.json + photos → Photo → Ask → Shot → Figures → Report → JSON, HTML, Compare
//	labelled pairs → scores → Thresholds
package accuracy

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/textfold"
)

// A Label says what the right answer to one photo is. A field that is left out is
// not scored; one that is "" is right when nothing is answered.
type Label struct {
	File      string   `json:"file"` // the photo's name in its folder
	NoProduct bool     `json:"no_product,omitempty"`
	Name      Accepted `json:"product_name,omitempty"`
	Brand     Accepted `json:"brand,omitempty"`
	Category  Accepted `json:"category,omitempty"`
	GTIN      Accepted `json:"gtin,omitempty"`
	Expiry    Accepted `json:"expiration_date,omitempty"` // YYYY.MM.DD
	Country   string   `json:"country,omitempty"`         // of the question
	Lang      string   `json:"lang,omitempty"`
	// Lines are the printed lines that image_analyzer should or should not mark as
	// machine_directed; none leaves the marks uncounted.
	Lines []PrintedLine `json:"lines,omitempty"`
	Note  string        `json:"note,omitempty"` // for people
}

// Accepted are the answers that are right, one or several. Nil is not labelled.
type Accepted []string

// UnmarshalJSON reads one string or a list of them.
func (a *Accepted) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*a = Accepted{one}
		return nil
	}
	var all []string
	if err := json.Unmarshal(data, &all); err != nil || len(all) == 0 {
		return errors.New(`an answer is a string, or a list of those that are right, as ["Oat Crackers", "Sea Salt Oat Crackers"]`)
	}
	*a = all
	return nil
}

// MarshalJSON writes a single answer as a string.
func (a Accepted) MarshalJSON() ([]byte, error) {
	if len(a) == 1 {
		return json.Marshal(a[0])
	}
	return json.Marshal([]string(a))
}

// The fields that are scored, in the order in which they are told.
const (
	Outcome  = "outcome" // whether there is a product at all
	Name     = "product_name"
	Brand    = "brand"
	Category = "category"
	GTIN     = "gtin"
	Expiry   = "expiration_date"
)

// Fields are all of them.
var Fields = []string{Outcome, Name, Brand, Category, GTIN, Expiry}

// fields returns the labelled ones but the outcome, which always is.
func (l Label) fields() map[string]Accepted {
	all := map[string]Accepted{Name: l.Name, Brand: l.Brand, Category: l.Category, GTIN: l.GTIN, Expiry: l.Expiry}
	for field, accepted := range all {
		if accepted == nil {
			delete(all, field)
		}
	}
	return all
}

// check says what is wrong with l, and what to write.
func (l Label) check() error {
	switch {
	case l.File == "":
		return errors.New(`it names no photo: add "file": "photo.jpg"`)
	case strings.ContainsAny(l.File, `/\`):
		return fmt.Errorf("file %q is in another folder: name a photo beside labels.json", l.File)
	case l.NoProduct && len(l.fields()) > 0:
		return fmt.Errorf("%s has no_product and a product's fields: leave one out", l.File)
	case !l.NoProduct && len(l.fields()) == 0:
		return fmt.Errorf(`%s has nothing to score: add "product_name", "brand", "category", "gtin" or "expiration_date", or "no_product": true`, l.File)
	}
	for _, code := range l.GTIN {
		if _, ok := gs1.GTIN(code); code != "" && !ok {
			return fmt.Errorf("%s: gtin %q is none: its check digit or its length is wrong", l.File, code)
		}
	}
	for _, date := range l.Expiry {
		if !dateForm(date) {
			return fmt.Errorf(`%s: expiration_date %q: want YYYY.MM.DD, as 2027.03.14, or "" where none can be read`, l.File, date)
		}
	}
	return nil
}

// A Verdict is what one answer is worth.
type Verdict string

// The verdicts. Missing is an answer that was left open though there is one.
const (
	Right   Verdict = "right"
	Wrong   Verdict = "wrong"
	Missing Verdict = "missing"
)

// Judge holds r to l, field by field. Of a photo that failed, or for which a product
// was wrongly seen or overlooked, everything that is labelled is missing or wrong.
func (l Label) Judge(r analyze.Result) map[string]Verdict {
	said := Said(r)
	verdicts := map[string]Verdict{Outcome: l.outcome(r)}
	for field := range l.fields() {
		verdicts[field] = l.judge(field, said, r.Error == analyze.AnalysisFailed)
	}
	return verdicts
}

func (l Label) outcome(r analyze.Result) Verdict {
	switch {
	case r.Error == analyze.AnalysisFailed:
		return Missing
	case l.NoProduct == (r.Error == analyze.NotAProduct):
		return Right
	}
	return Wrong
}

// Said returns the answers of r that can be scored, by field.
func Said(r analyze.Result) map[string]string {
	said := map[string]string{GTIN: r.GTIN}
	if id := r.Identification; id != nil {
		said[Name], said[Brand], said[Category], said[Expiry] = id.ProductName, id.Brand, id.Category, id.ExpirationDate
	}
	return said
}

func (l Label) judge(field string, said map[string]string, failed bool) Verdict {
	switch {
	case failed:
		return Missing
	case slices.ContainsFunc(l.fields()[field], func(want string) bool { return l.same(field, want, said) }):
		return Right
	case said[field] == "":
		return Missing
	}
	return Wrong
}

// same reports that the answer to field is want: GTINs by their number, dates to the
// letter, all else folded (case, marks, width, spaces and punctuation aside). A
// product's name may begin with its brand or leave it out: see sameName.
func (l Label) same(field, want string, said map[string]string) bool {
	got := said[field]
	switch field {
	case GTIN:
		w, _ := gs1.GTIN(want)
		g, _ := gs1.GTIN(got)
		return w == g
	case Expiry:
		return want == got
	case Name:
		return l.sameName(want, got, said[Brand])
	}
	return textfold.String(want) == textfold.String(got)
}

// sameName reports that got is the product name want. Where the label accepts the
// brand that was answered, either name may begin with the brand. Where no brand is
// labelled, got may begin with the one answered; want stays whole, so that "Shin" and
// "Ramyun" are no answer to "Shin Ramyun". A wrong brand is part of no name.
func (l Label) sameName(want, got, brand string) bool {
	switch {
	case l.Brand == nil:
		return textfold.String(want) == textfold.String(got) || textfold.String(want) == bare(got, brand)
	case slices.ContainsFunc(l.Brand, func(b string) bool { return textfold.String(b) == textfold.String(brand) }):
		return bare(want, l.Brand...) == bare(got, l.Brand...)
	}
	return textfold.String(want) == textfold.String(got)
}

// bare returns a folded name without the first of brands that it begins with, as whole
// words or in a script that sets no spaces. A name that is a brand stays whole.
func bare(name string, brands ...string) string {
	folded := textfold.String(name)
	for _, brand := range brands {
		b := textfold.String(brand)
		rest, begins := strings.CutPrefix(folded, b)
		if begins && b != "" && rest != "" && (endsWord(name, b) || spaceless(b)) {
			return rest
		}
	}
	return folded
}

// endsWord reports that prefix, which is folded, ends where a word of name does.
func endsWord(name, prefix string) bool {
	begin := ""
	for _, w := range textfold.Words(name) {
		if begin += w; len(begin) >= len(prefix) {
			break
		}
	}
	return begin == prefix
}

// spaceless reports that s ends in Hangul, kana or Han, which are often set without
// spaces between words.
func spaceless(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return unicode.In(last, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Han)
}
