package query

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/whatis/internal/money"
	"example.com/whatis/internal/textfold"
)

// A PriceRange limits the price of products.
type PriceRange = money.Range

// amount matches a number with its scale and currency: 2 triệu, 1tr5, 500k, $80, 80 đô,
// 1.200.000đ, 79.90 USD, £50, 50 GBP. A pound that is not written so may be a weight.
const amount = `([$£€¥₩])?\s*(\d+(?:[.,]\d+)*)\s*(?:(triệu|trieu|tr|nghìn|nghin|ngàn|ngan|k|m|millions?|mil|thousands?)(\d{1,3})?)?\s*(đô la|đô|do la|do|usd|dollars?|bucks|vnđ|vnd|đồng|dong|đ|gbp|eur|euros?|jpy|yen|krw|[$£€¥₩원])?`

var (
	atMost   = longest(`(?:dưới|duoi|không quá|khong qua|tối đa|toi da|nhỏ hơn|nho hon|rẻ hơn|re hon|under|below|less than|up to|at most|no more than|cheaper than|max(?:imum)?|<=?)\s*` + amount)
	atLeast  = longest(`(?:trên|tren|từ|tu|ít nhất|it nhat|hơn|over|above|more than|at least|from|min(?:imum)?|>=?)\s*` + amount)
	between  = longest(`(?:từ|tu|khoảng|khoang|between|from|giá|gia)?\s*` + amount + `\s*(?:-|–|~|đến|den|tới|toi|and|to)\s*` + amount)
	about    = longest(`(?:khoảng|khoang|tầm|tam|cỡ|co|around|about|giá|gia|price)\s*` + amount)
	anything = longest(amount)
)

// longest compiles a pattern that prefers the longest alternative: dollars, not do.
func longest(pattern string) *regexp.Regexp {
	p := regexp.MustCompile(pattern)
	p.Longest()
	return p
}

// near is how far "about" extends in both directions, relative to the price.
const near = 0.2

// ParsePrice reads the price range in a query, in English or in Vietnamese with or without
// diacritics. A number alone is not a price: it needs a scale, a currency or a word such as
// "under". The rest is the query without the price. It is exact unless a number has no unit,
// or no word says what it bounds.
func ParsePrice(query string) (price PriceRange, rest string, exact bool) {
	text := textfold.Caseless(query)
	if m := between.FindStringSubmatchIndex(text); m != nil && wholeWords(text, m) {
		low, high := read(text, m[2:12]), read(text, m[12:22])
		low = low.like(high)
		if (low.priced || high.priced) && low.value > 0 && low.value <= high.value {
			return PriceRange{Min: low.value, Max: high.value, Currency: cmp.Or(high.currency, low.currency)}, without(text, m), high.priced
		}
	}
	for _, form := range []struct {
		pattern *regexp.Regexp
		bounds  func(a quantity) PriceRange
		bare    bool // the word before it makes it a price
	}{
		{atMost, func(a quantity) PriceRange { return PriceRange{Max: a.value, Currency: a.currency} }, true},
		{atLeast, func(a quantity) PriceRange { return PriceRange{Min: a.value, Currency: a.currency} }, true},
		{about, around, false},
		{anything, around, false},
	} {
		for _, m := range form.pattern.FindAllStringSubmatchIndex(text, -1) {
			a := read(text, m[2:])
			unread := !form.bare && strings.ContainsAny(text[:m[0]]+text[m[1]:], "0123456789") // it may be one of two bounds
			if a.value > 0 && (a.priced || form.bare && a.value >= leastBare) && wholeWords(text, m) && !unread {
				return form.bounds(a), without(text, m), form.bare && a.priced
			}
		}
	}
	return PriceRange{}, query, true
}

// leastBare is the smallest number that is a price after "under" alone.
const leastBare = 10

func around(a quantity) PriceRange {
	return PriceRange{Min: math.Round(a.value * (1 - near)), Max: math.Round(a.value * (1 + near)), Currency: a.currency}
}

// quantity is an amount in a query. It is priced if it has a scale or currency.
type quantity struct {
	value    float64
	scale    float64
	currency string
	priced   bool
}

// like returns a with the scale and currency of b if it has none: 1-2 triệu.
func (a quantity) like(b quantity) quantity {
	if a.scale == 1 && b.scale > 1 && a.value < 1000 {
		a.value, a.scale = a.value*b.scale, b.scale
	}
	return a
}

// read reads an amount from the groups of its match: sign, number, scale, digits after
// that, currency.
func read(text string, groups []int) quantity {
	group := func(i int) string {
		if groups[2*i] < 0 {
			return ""
		}
		return text[groups[2*i]:groups[2*i+1]]
	}
	number, sure := textfold.Number(group(1))
	if !sure { // no price has three decimals
		number = strings.ReplaceAll(number, ".", "")
	}
	a := quantity{scale: 1}
	a.value, _ = strconv.ParseFloat(number, 64)
	switch unit := group(2); unit {
	case "triệu", "trieu", "tr", "m", "mil", "million", "millions":
		a.scale = 1_000_000
	case "nghìn", "nghin", "ngàn", "ngan", "k", "thousand", "thousands":
		a.scale = 1_000
	}
	a.value *= a.scale
	if more := group(3); more != "" { // 1tr5 means 1.5 million
		n, _ := strconv.ParseFloat("0."+more, 64)
		a.value += n * a.scale
	}
	switch group(0) + group(4) {
	case "$", "đô la", "đô", "do la", "do", "usd", "dollar", "dollars", "bucks":
		a.currency = "USD"
	case "vnđ", "vnd", "đồng", "dong", "đ":
		a.currency = "VND"
	case "£", "gbp":
		a.currency = "GBP"
	case "€", "eur", "euro", "euros":
		a.currency = "EUR"
	case "jpy", "yen": // ¥ is yen or yuan, as the shop's currency says
		a.currency = "JPY"
	case "₩", "krw", "원":
		a.currency = "KRW"
	case "":
		if a.scale > 1 {
			a.currency = "VND"
		}
	}
	a.priced = a.scale > 1 || a.currency != ""
	return a
}

// wholeWords reports whether a match begins and ends at word boundaries.
func wholeWords(text string, m []int) bool {
	match := strings.TrimSpace(text[m[0]:m[1]])
	begin := m[0] + strings.Index(text[m[0]:], match)
	before, _ := utf8.DecodeLastRuneInString(text[:begin])
	after, _ := utf8.DecodeRuneInString(text[begin+len(match):])
	return !inWord(before) && !inWord(after)
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// without returns text without a match.
func without(text string, m []int) string {
	return strings.Join(strings.Fields(text[:m[0]]+" "+text[m[1]:]), " ")
}
