// Package gs1 parses numbers and element strings by the GS1 General Specifications.
//
//	"8 801234 567893" → check digit → GTIN-14 → restricted or not
//	UPC-E → GTIN-12
//	element string, "(01)…(17)…" or Digital Link → Elements → dates
package gs1

import (
	"slices"
	"strings"
)

// GTIN returns the GTIN-14 of a number printed as GTIN-8, -12, -13 or -14, ignoring spaces
// and hyphens, and whether it is valid: its length and its check digit are right (GS1
// General Specifications, section 7.9).
func GTIN(s string) (string, bool) {
	s = strings.NewReplacer(" ", "", "-", "", "\u00a0", "").Replace(s)
	switch len(s) {
	case 8, 12, 13, 14:
	default:
		return "", false
	}
	s = strings.Repeat("0", 14-len(s)) + s
	sum := 0
	for i, r := range s {
		if r < '0' || r > '9' {
			return "", false
		}
		weight := 3
		if i%2 == 1 {
			weight = 1
		}
		sum += weight * int(r-'0')
	}
	if sum%10 != 0 || strings.Trim(s, "0") == "" {
		return "", false
	}
	return s, true
}

// restrictedPrefixes are the GS1 Prefixes whose numbers identify no product. The list is
// GS1's (https://www.gs1.org/standards/id-keys/company-prefix, and General Specifications,
// section 1.4.2), where ISBN and ISMN (978, 979) identify products as other prefixes do.
var restrictedPrefixes = []string{
	"02",                       // restricted circulation within a region: a shop's own numbers, prices, weights
	"04",                       // restricted circulation within a company
	"05",                       // coupons, as UPC number system 5; GS1 US reserves the prefix since
	"2",                        // 20 to 29: restricted circulation within a region
	"977",                      // ISSN: a periodical's title and price; its issue stands in the add-on beside the bars
	"980",                      // refund receipts
	"981", "982", "983", "984", // coupons of common currency areas
	"99", // coupons
}

// restrictedGS1_8Prefixes are those of a GTIN-8 for restricted circulation within a company
// (section 1.4.3).
var restrictedGS1_8Prefixes = []string{"0", "2"}

// Restricted reports whether a GTIN-14 identifies no product: it is the number of a shop or a
// company for its own use, or of a coupon, a receipt or all issues of a periodical.
func Restricted(gtin string) bool {
	if len(gtin) != 14 {
		return false
	}
	number, prefixes := gtin[1:], restrictedPrefixes
	if short, ok := strings.CutPrefix(gtin, "000000"); ok {
		number, prefixes = short, restrictedGS1_8Prefixes
	}
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(number, prefix) })
}
