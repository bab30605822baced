// Package expiry reads dates as people print them on packs.
//
//	"BB 31 DEC 26 L1234" → items → matches (date, period) → labels → Date or *Error
//
// A reading is a date that a print can mean. A print has several readings when
// its order is not known: 05/06/2027 is a day in May or in June. What is no date
// is refused, never guessed.
package expiry

import (
	"strings"
	"time"
	"unicode/utf8"
)

// A Kind says what a date on a pack stands for; "" is a date without words.
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
	Raw       string    `json:"raw"`       // the print, as it was given
	Date      string    `json:"date"`      // ISO 8601: 2026-12-31, 2026-12 or 2026; "" for a period
	Precision Precision `json:"precision"` // of Date; "" for a period
	Kind      Kind      `json:"kind"`
	// Ambiguous are all readings, Date first, when there is more than one.
	Ambiguous []string `json:"ambiguous,omitempty"`
	Period    string   `json:"period,omitempty"`   // after opening, or what Computed is computed from; ISO 8601: P12M
	Computed  bool     `json:"computed,omitempty"` // production and period, not print
}

// A Hint says where and when a pack was seen. It orders readings, and tells on
// which end a two-digit year stands; it never tells day from month. All fields
// may be empty.
type Hint struct {
	Country string    // ISO 3166-1 alpha-2
	Lang    string    // BCP 47; used where Country is empty
	Now     time.Time // readings over ten years off are dropped where one is within four
}

// maxRunes bounds a print; the words around a date are far fewer.
const maxRunes = 500

// Parse reads the date in text: of several the one by which to use the product,
// else the later of those without words, else the day of production, else a
// period after opening. Its error is an *Error.
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

// Day is the date as YYYY.MM.DD if its day is certain: printed, and with one
// reading. Else it is "".
func (d Date) Day() string {
	if d.Precision != ToDay || len(d.Ambiguous) > 0 || d.Computed {
		return ""
	}
	return strings.ReplaceAll(d.Date, "-", ".")
}
