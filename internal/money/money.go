// Package money has the price of a product: how two are compared, and how one is written.
//
// Amounts are compared within a currency only: nothing here knows what one is worth in another.
package money

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// Money is an amount in a currency; the zero value is none. It is embedded where something has a
// price, which is so written as two fields.
type Money struct {
	Amount   float64 `json:"price,omitempty" firestore:"price,omitempty"`       // above 0
	Currency string  `json:"currency,omitempty" firestore:"currency,omitempty"` // ISO 4217
}

// Known reports whether m is an amount, and its currency is known.
func (m Money) Known() bool { return m.Amount > 0 && m.Currency != "" }

// Plus returns m and o together, which has m's currency.
func (m Money) Plus(o Money) Money { return Money{m.Amount + o.Amount, m.Currency} }

// Compare compares two amounts of one currency. Others have no order: ok is false.
func (m Money) Compare(o Money) (order int, ok bool) {
	if !m.Known() || !o.Known() || m.Currency != o.Currency {
		return 0, false
	}
	return cmp.Compare(m.Amount, o.Amount), true
}

// Text returns m as a language writes numbers, "" for none: 1,250.50 USD in English, 1.250,50 USD in
// Vietnamese.
func (m Money) Text(in *message.Printer) string {
	if m.Amount == 0 {
		return ""
	}
	cents := 0
	if m.Amount != math.Trunc(m.Amount) {
		cents = 2
	}
	return strings.TrimSpace(in.Sprint(number.Decimal(m.Amount, number.Scale(cents))) + " " + m.Currency)
}

// Plain returns m for programs, "" for none: 1250.5 USD. It is no String: what has a price embedded
// would be printed as that alone.
func (m Money) Plain() string {
	if m.Amount == 0 {
		return ""
	}
	return strconv.FormatFloat(m.Amount, 'f', -1, 64) + " " + m.Currency
}

// A Range limits amounts. 0 means no limit.
type Range struct {
	Min      float64 `json:"min,omitempty" firestore:"min"`
	Max      float64 `json:"max,omitempty" firestore:"max"`
	Currency string  `json:"currency,omitempty" firestore:"currency"` // ISO 4217; "" means any
}

// Empty reports whether r has no limit.
func (r Range) Empty() bool { return r.Min == 0 && r.Max == 0 }

// Holds reports whether an amount is known, and within r.
func (r Range) Holds(m Money) bool {
	return m.Known() && r.of(m.Currency) && m.Amount >= r.Min && (r.Max == 0 || m.Amount <= r.Max)
}

func (r Range) of(currency string) bool {
	return r.Currency == "" || currency == "" || r.Currency == currency
}

// And returns the amounts that are in both ranges, if there can be any.
func (r Range) And(o Range) (both Range, ok bool) {
	both = Range{max(r.Min, o.Min), cmp.Or(min(r.Max, o.Max), r.Max, o.Max), cmp.Or(r.Currency, o.Currency)}
	return both, r.of(o.Currency) && (both.Max == 0 || both.Min <= both.Max)
}

// Under returns r as far as it is below an amount, and if it is nowhere, all that is below.
func (r Range) Under(m Money) Range {
	below := Range{Max: m.Amount - m.step(), Currency: m.Currency}
	if both, ok := r.And(below); ok {
		return both
	}
	return below
}

// Over returns r as far as it is above an amount, and if it is nowhere, all that is above.
func (r Range) Over(m Money) Range {
	above := Range{Min: m.Amount + m.step(), Currency: m.Currency}
	if both, ok := r.And(above); ok {
		return both
	}
	return above
}

// step is the least by which prices like m differ.
func (m Money) step() float64 {
	if m.Amount >= 1000 && m.Amount == math.Trunc(m.Amount) {
		return 1
	}
	return 0.01
}
