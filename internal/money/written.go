package money

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Style is how the amounts of a file are written. Marks that an amount has of its own count first.
type Style struct {
	Decimal  string // "." or ",": the decimal mark of amounts that may be read in two ways; "" if nothing says it
	Currency string // of amounts without one, and of signs that several currencies have
}

// signs are the signs of currencies, in lower case and without the dot behind them. Several codes have
// those of which only the Style says whose they are.
var signs = map[string][]string{
	"€": {"EUR"}, "euro": {"EUR"}, "£": {"GBP"}, "₹": {"INR"}, "₩": {"KRW"}, "원": {"KRW"}, "円": {"JPY"}, "元": {"CNY", "TWD"}, "rmb": {"CNY"},
	"₫": {"VND"}, "đ": {"VND"}, "vnđ": {"VND"}, "฿": {"THB"}, "₱": {"PHP"}, "₺": {"TRY"}, "tl": {"TRY"}, "₽": {"RUB"}, "руб": {"RUB"}, "₴": {"UAH"}, "грн": {"UAH"},
	"₪": {"ILS"}, "₦": {"NGN"}, "₸": {"KZT"}, "৳": {"BDT"}, "zł": {"PLN"}, "kč": {"CZK"}, "ft": {"HUF"}, "lei": {"RON"}, "лв": {"BGN"}, "rp": {"IDR"}, "rm": {"MYR"},
	"us$": {"USD"}, "r$": {"BRL"}, "a$": {"AUD"}, "au$": {"AUD"}, "c$": {"CAD"}, "ca$": {"CAD"}, "nz$": {"NZD"}, "hk$": {"HKD"}, "s$": {"SGD"}, "nt$": {"TWD"}, "mx$": {"MXN"},
	"s/": {"PEN"}, "ksh": {"KES"}, "gh₵": {"GHS"}, "₵": {"GHS"}, "dh": {"MAD", "AED"}, "r": {"ZAR"},
	"$": {"USD", "AUD", "CAD", "NZD", "HKD", "SGD", "TWD", "MXN", "ARS", "CLP", "COP", "UYU"},
	"¥": {"JPY", "CNY"}, "kr": {"SEK", "NOK", "DKK", "ISK"}, "rs": {"INR", "PKR", "LKR", "NPR"}, "₨": {"INR", "PKR", "LKR", "NPR"},
}

// Currencies whose amounts have no decimals, or none in use, and those that have three.
var (
	withoutCents = strings.Fields("JPY KRW VND CLP ISK PYG UGX XAF XOF XPF RWF DJF GNF KMF BIF VUV IDR COP HUF IRR LAK MMK")
	withMils     = strings.Fields("KWD BHD OMR JOD TND LYD IQD")
)

// Errors of amounts that cannot be read.
var (
	ErrNoAmount   = errors.New("is no number above 0, as 15 or 12.50")
	ErrAmbiguous  = errors.New("may be thousands or decimals, and no other price of the file says which: name the decimal mark")
	ErrNoCurrency = errors.New("has no currency: say which, as VND or USD")
)

// amount matches an amount between what may stand around it; groupings are the ways to write one.
var (
	amount       = regexp.MustCompile(`^(\D*?)[\s\x{a0}\x{202f}]*(\d(?:[\d.,'’\s\x{a0}\x{202f}]*\d)?)(?:[.,][-–—])?[\s\x{a0}\x{202f}]*(\D*)$`)
	spaces       = regexp.MustCompile(`[\s\x{a0}\x{202f}'’]`)
	spacedGroups = regexp.MustCompile(`^\d{1,3}(?:[\s\x{a0}\x{202f}'’]\d{3})+(?:[.,]\d+)?$`)
	grouped      = regexp.MustCompile(`^\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3}$`) // as 1,249,000 and as 12,34,000 in India
	currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)
)

// IsCurrency reports whether a text is a code of ISO 4217.
func IsCurrency(code string) bool { return currencyCode.MatchString(code) }

// Read reads an amount as people and programs write one: 15, 12.50, 1.249,00 €, US$ 1,249.00, 12,50 EUR.
// What it reads is sure; an amount that might be another one is an error. Without a currency the amount is
// returned with ErrNoCurrency.
func (s Style) Read(text string) (Money, error) {
	m := amount.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return Money{}, ErrNoAmount
	}
	currency, err := s.currency(m[1], m[3])
	if err != nil {
		return Money{}, err
	}
	plain, err := s.plain(m[2], currency)
	if err != nil {
		return Money{}, err
	}
	n, err := strconv.ParseFloat(plain, 64)
	switch {
	case err != nil || n <= 0 || math.IsInf(n, 0):
		return Money{}, ErrNoAmount
	case currency == "":
		return Money{Amount: n}, ErrNoCurrency
	}
	return Money{n, currency}, nil
}

// currency returns the currency of what stands before and behind an amount, that of the style if nothing
// does.
func (s Style) currency(before, behind string) (string, error) {
	var found string
	for _, mark := range []string{before, behind} {
		if mark = strings.TrimSpace(mark); mark == "" {
			continue
		}
		code, err := s.code(mark)
		if err != nil {
			return "", err
		}
		if found != "" && code != found {
			return "", fmt.Errorf("has two currencies, %s and %s", found, code)
		}
		found = code
	}
	if found == "" {
		return s.Currency, nil
	}
	return found, nil
}

func (s Style) code(mark string) (string, error) {
	if upper := strings.ToUpper(mark); IsCurrency(upper) && signs[strings.ToLower(mark)] == nil {
		return upper, nil
	}
	codes := signs[strings.TrimSuffix(strings.ToLower(mark), ".")]
	switch {
	case len(codes) == 1:
		return codes[0], nil
	case slices.Contains(codes, s.Currency):
		return s.Currency, nil
	case len(codes) > 1:
		return "", fmt.Errorf("has %q, the sign of %s: say which currency the file is in", mark, strings.Join(codes, ", "))
	}
	return "", ErrNoAmount
}

// plain returns digits and separators as Go writes a number.
func (s Style) plain(digits, currency string) (string, error) {
	if spaces.MatchString(digits) {
		if !spacedGroups.MatchString(digits) {
			return "", ErrNoAmount
		}
		return strings.Replace(spaces.ReplaceAllString(digits, ""), ",", ".", 1), nil
	}
	mark, sure := decimalOf(digits)
	if !sure {
		switch {
		case slices.Contains(withoutCents, currency):
			mark = ""
		case s.Decimal == "":
			return "", ErrAmbiguous
		case strings.Contains(digits, s.Decimal):
			mark = s.Decimal
		}
	}
	whole, decimals := digits, ""
	if mark != "" {
		i := strings.LastIndex(digits, mark)
		whole, decimals = digits[:i], "."+digits[i+1:]
	}
	if strings.ContainsAny(whole, ".,") && (!grouped.MatchString(whole) || mark != "" && strings.Contains(whole, mark)) {
		return "", ErrNoAmount
	}
	return strings.NewReplacer(".", "", ",", "").Replace(whole) + decimals, nil
}

// decimalOf returns the decimal mark of digits, "" for none, and whether that is sure: where three digits
// stand behind the only separator they may be thousands.
func decimalOf(digits string) (mark string, sure bool) {
	i := strings.LastIndexAny(digits, ".,")
	if i < 0 {
		return "", true
	}
	last := digits[i : i+1]
	other := strings.ReplaceAll(".,", last, "")
	switch whole, behind := digits[:i], len(digits)-i-1; {
	case strings.Contains(whole, other):
		return last, true
	case strings.Contains(whole, last):
		return "", true
	case behind != 3 || whole == "0" || len(whole) > 3:
		return last, true
	}
	return "", false
}

// A Sample is amounts of a file, which show how the others are written.
type Sample struct {
	decimals, currencies map[string]int
}

// Note adds an amount.
func (s *Sample) Note(text string) {
	if s.decimals == nil {
		s.decimals, s.currencies = map[string]int{}, map[string]int{}
	}
	m := amount.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return
	}
	code, err := Style{}.currency(m[1], m[3])
	if err == nil && code != "" {
		s.currencies[code]++
	}
	if spaces.MatchString(m[2]) || slices.Contains(withMils, code) {
		return
	}
	mark, sure := decimalOf(m[2])
	if sure && mark == "" && strings.ContainsAny(m[2], ".,") { // 1.249.000: the other one is decimal
		mark = strings.Trim(".,", m[2][strings.LastIndexAny(m[2], ".,"):][:1])
	}
	if sure && mark != "" {
		s.decimals[mark]++
	}
}

// Style returns how the amounts are written, as far as all of them agree.
func (s *Sample) Style() (of Style) {
	if len(s.decimals) == 1 {
		for of.Decimal = range s.decimals {
		}
	}
	if len(s.currencies) == 1 {
		for of.Currency = range s.currencies {
		}
	}
	return of
}
