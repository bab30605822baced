// Package expiry parses the dates that are printed on packs.
//
//	"BB 31 DEC 26 L1234" → items → matches (date, period) → labels → Date or *Error
//	dates with kind, anchor and period, as a model quotes them → Choose → Date, warnings
//
// A reading is a date that a print may mean. A print has several readings if its order is
// unknown: 05/06/2027 is a day in May or in June. A date is doubtful if something may be
// wrong with it: digits beside it are not used, its year is not one that packs of today
// have, its words and the model say different things. Text that is not a date is refused,
// never guessed. What languages and countries print is in languages and countries.txt.
package expiry

import (
	"strings"
	"time"
	"unicode/utf8"
)

// A Kind is the meaning of a date on a pack; "" for a date without words.
type Kind string

// The kinds. Production is the day something was made, packed or frozen.
const (
	BestBefore         Kind = "best_before"
	UseBy              Kind = "use_by"
	Expiry             Kind = "expiry" // also the last day of sale
	Production         Kind = "production"
	PeriodAfterOpening Kind = "period_after_opening"
)

// A Precision is the smallest unit that a date names.
type Precision string

// The precisions.
const (
	ToDay   Precision = "day"
	ToMonth Precision = "month"
	ToYear  Precision = "year"
)

// A Date is a date, or a period after opening, read from a print.
type Date struct {
	Raw       string    `json:"raw"`       // the print, unchanged
	Date      string    `json:"date"`      // ISO 8601: 2026-12-31, 2026-12 or 2026; "" for a period
	Precision Precision `json:"precision"` // of Date; "" for a period
	Kind      Kind      `json:"kind"`
	// Ambiguous are all readings, Date first, if there is more than one.
	Ambiguous []string `json:"ambiguous,omitempty"`
	Period    string   `json:"period,omitempty"`   // after opening, or the shelf life used for Computed; ISO 8601: P12M
	Computed  bool     `json:"computed,omitempty"` // from production date and shelf life, not printed
	// ComputedFrom are the prints that Computed rests on: the production date, and the shelf life.
	ComputedFrom []string `json:"computed_from,omitempty"`
	Doubt        string   `json:"doubt,omitempty" jsonschema:"why it may be wrong"`
}

// A Hint says where and when a pack was seen. It orders readings, and tells whether a
// two-digit year comes first or last; it never distinguishes day from month. All fields may
// be empty.
type Hint struct {
	Country string    // ISO 3166-1 alpha-2
	Lang    string    // BCP 47; used if Country is empty
	Now     time.Time // two-digit years are around it; without it no date is too far away, and a day and a month are no date
}

// maxRunes is the longest print; the words around a date are far fewer.
const maxRunes = 500

// Parse returns the date in text: of several the one by which to use the product, else the
// latest without words, else the production date, else a period after opening. Its error is
// an *Error.
func Parse(text string, hint Hint) (Date, error) {
	if err := refusedUnread(text); err != nil {
		return Date{}, err
	}
	p := readPrint(Printed{Text: text}, hint)
	f, ok := p.best()
	if !ok {
		return Date{}, p.refusal()
	}
	return f.date(text), nil
}

func refusedUnread(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return findings{raw: text}.refuse(Empty, "there is no text")
	case strings.Contains(text, "://"):
		return findings{raw: text}.refuse(NotADate, "it is an address of the web")
	case utf8.RuneCountInString(text) > maxRunes:
		return findings{raw: text}.refuse(TooLong, "over 500 characters")
	}
	return nil
}

// Day returns the date as YYYY.MM.DD if its day is certain, that is printed, with a single
// reading and without doubt; otherwise, and for nil, "".
func (d *Date) Day() string {
	if d == nil || d.Precision != ToDay || len(d.Ambiguous) > 0 || d.Computed || d.Doubt != "" {
		return ""
	}
	return strings.ReplaceAll(d.Date, "-", ".")
}
