package review

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/usererror"
)

// The verdicts.
const (
	Accept  = "accept"  // the result is right
	Correct = "correct" // the result is right except for the fields
	Reject  = "reject"  // the result is wrong
	Undo    = "undo"    // withdraws the review
)

// A Request is a person's review of a result.
type Request struct {
	Verdict string  `json:"verdict" jsonschema:"accept, correct, reject or undo"`
	Fields  *Fields `json:"fields,omitempty" jsonschema:"of correct: what is otherwise than the result says"`
	By      string  `json:"by,omitempty" jsonschema:"who says so, where the service does not know; it signs with the caller otherwise"`

	// Revision is what the writer saw; If-Match says the same. If somebody has said
	// something since, the review is refused with what stands now.
	Revision string `json:"revision,omitempty" jsonschema:"the revision of the result that its writer saw; without it the review counts only while nobody else has reviewed the photo"`

	Verified bool `json:"-"` // the service knows who says so
}

// Fields are the fields that a review may correct; nil fields are right.
type Fields struct {
	ProductName *string  `json:"product_name,omitempty"`
	Brand       *string  `json:"brand,omitempty" jsonschema:"empty for none"`
	Category    *string  `json:"category,omitempty" jsonschema:"in English"`
	KeyFeatures []string `json:"key_features,omitempty" jsonschema:"1 to 20, in the place of those of the result"`
	GTIN        *string  `json:"gtin,omitempty" jsonschema:"EAN, UPC or GTIN-14, with its check digit; empty for none"`

	ExpirationDate *string `json:"expiration_date,omitempty" jsonschema:"of this photo, as 2026.12.31; empty for none"`

	NoProduct bool `json:"no_product,omitempty" jsonschema:"the photo shows no product; without other fields"`
}

// DayFormat is the layout of an expiration date, for package time.
const DayFormat = "2006.01.02"

// Revision returns the revision of a result: of what was said of its photo, and of the
// analysis that it comes from, by when that was finished.
func Revision(said int64, finished time.Time) string {
	return fmt.Sprintf("%d.%d", said, finished.UnixMicro())
}

// seen returns which revision of what was said the writer of r saw, if r says so.
func (r Request) seen() (said int64, given bool) {
	text, _, _ := strings.Cut(r.Revision, ".")
	said, err := strconv.ParseInt(text, 10, 64)
	return said, r.Revision != "" && err == nil
}

// Limits of a review's texts, in characters.
const (
	maxBy      = 200
	maxText    = 300
	maxFeature = 200
)

// noProduct is the text of Fields that say that there is no product.
const noProduct = `{"no_product":true}`

// example is part of the error for an invalid review.
const example = `{"verdict":"correct","fields":{"product_name":"Green tea 500 ml","brand":"Lotte"},"by":"kim"}`

// refuse returns an ErrRequest that says what to send.
func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRequest, fmt.Sprintf(format, args...))
}

// checked returns r with its texts trimmed, or an error.
func (r Request) checked() (Request, error) {
	r.By = strings.TrimSpace(r.By)
	switch {
	case r.Verdict == "":
		return r, refuse("names no verdict: send accept, correct, reject or undo, as %s", example)
	case !slices.Contains([]string{Accept, Correct, Reject, Undo}, r.Verdict):
		return r, refuse("has the verdict %q: send accept, correct, reject or undo", usererror.Short(r.Verdict, usererror.Quoted))
	case r.By == "":
		return r, refuse(`does not say who speaks: send "by", a name or an address`)
	case utf8.RuneCountInString(r.By) > maxBy:
		return r, refuse(`has more than %d characters in "by"`, maxBy)
	case r.Verdict != Correct && r.Fields != nil:
		return r, refuse(`has fields, which only correct takes: send {"verdict":"correct"}, or leave them out`)
	case r.Verdict != Correct:
		return r, nil
	case r.Fields == nil || r.Fields.text() == "{}":
		return r, refuse("corrects nothing: send fields, one at least of product_name, brand, category, key_features, gtin and expiration_date, as %s; or no_product", example)
	case r.Fields.NoProduct && r.Fields.text() != noProduct:
		return r, refuse("has no_product and other fields: a photo without a product has none of them")
	}
	f, err := r.Fields.checked()
	r.Fields = &f
	return r, err
}

// checked returns f with its texts trimmed, or an error.
func (f Fields) checked() (Fields, error) {
	for name, text := range map[string]**string{"product_name": &f.ProductName, "brand": &f.Brand, "category": &f.Category} {
		if *text == nil {
			continue
		}
		trimmed := strings.TrimSpace(**text)
		*text = &trimmed
		switch n := utf8.RuneCountInString(trimmed); {
		case n > maxText:
			return f, refuse("has a %s of %d characters, at most %d fit", name, n, maxText)
		case n == 0 && name != "brand":
			return f, refuse("has an empty %s: leave it out, or say what it is", name)
		}
	}
	if f.KeyFeatures != nil {
		features := slices.Clone(f.KeyFeatures)
		for i := range features {
			features[i] = strings.TrimSpace(features[i])
			if n := utf8.RuneCountInString(features[i]); n == 0 || n > maxFeature {
				return f, refuse("has a key feature of %d characters: want 1 to %d", n, maxFeature)
			}
		}
		if len(features) > catalog.MaxFeatures {
			return f, refuse("has %d key features: want 1 to %d", len(features), catalog.MaxFeatures)
		}
		f.KeyFeatures = features
	}
	if f.ExpirationDate != nil {
		day := strings.TrimSpace(*f.ExpirationDate)
		if _, err := time.Parse(DayFormat, day); day != "" && err != nil {
			return f, refuse("has the expiration_date %q: send a day as 2026.12.31, or an empty text for none", usererror.Short(day, usererror.Quoted))
		}
		f.ExpirationDate = &day
	}
	if f.GTIN == nil {
		return f, nil
	}
	digits := strings.TrimSpace(*f.GTIN)
	gtin, ok := gs1.GTIN(digits)
	if !ok && digits != "" {
		return f, refuse("has the gtin %q, whose length or check digit is wrong: send the digits below the bars, or an empty text for none", usererror.Short(*f.GTIN, usererror.Quoted))
	}
	f.GTIN = &gtin
	return f, nil
}

// correct returns p with the fields of f that are set.
func (f Fields) correct(p catalog.Product) catalog.Product {
	for into, said := range map[*string]*string{&p.ProductName: f.ProductName, &p.Brand: f.Brand, &p.Category: f.Category, &p.GTIN: f.GTIN} {
		if said != nil {
			*into = *said
		}
	}
	if f.GTIN != nil {
		p.NoGTIN = *f.GTIN == ""
	}
	if len(f.KeyFeatures) > 0 {
		p.KeyFeatures = f.KeyFeatures
	}
	return p
}
