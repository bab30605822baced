package expiry

// The codes of an Error. They are stable.
const (
	Empty           = "empty"            // no text
	TooLong         = "too_long"         // longer than a print on a pack
	NotADate        = "not_a_date"       // words, a lot number, a price, a time, another number
	OtherDate       = "other_date"       // the date of something else: a foundation, an event, a harvest
	ImpossibleDate  = "impossible_date"  // a month 13, a 31 February
	ImplausibleYear = "implausible_year" // before 1990 or after 2100
	NoYear          = "no_year"          // only a day and a month
	PeriodOnly      = "period_only"      // a shelf life without its starting day
	Contradictory   = "contradictory"    // the other date is before the production date
)

// An Error says why a print is refused.
type Error struct {
	Raw    string `json:"raw"`
	Code   string `json:"error"` // one of the codes above
	Detail string `json:"detail"`
	Advice string `json:"advice"`
	Period string `json:"period,omitempty"` // for PeriodOnly: ISO 8601, P12M
}

// Error returns what is wrong and what to do about it.
func (e *Error) Error() string {
	return "expiry: parse: " + e.Detail + ": " + advice[e.Code]
}

var advice = map[string]string{
	Empty:           "give the date as it is printed",
	TooLong:         "give the date and the words beside it alone",
	NotADate:        "give the date as it is printed, such as 2026-12-31, 12/2026 or 31 DEC 26",
	OtherDate:       "give the date by which the product should be used",
	ImpossibleDate:  "read the print again",
	ImplausibleYear: "read the print again; years count from the birth of Christ here",
	NoYear:          "give the year too",
	PeriodOnly:      "give the day of production too",
	Contradictory:   "read again which date is which",
}
