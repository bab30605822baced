// Package gs1 parses numbers and element strings by the GS1 General Specifications.
//
//	"8 801234 567893" → check digit → GTIN-14 → restricted or not
//	UPC-E → GTIN-12
//	element string, "(01)…(17)…" or Digital Link → Elements → dates
package gs1

import "strings"

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

// Restricted reports whether a GTIN-14 is in a range that shops and companies assign
// themselves (prefixes 02, 04 and 20 to 29, and for GTIN-8 0 and 2), so that it identifies
// no product elsewhere (section 1.4.2).
func Restricted(gtin string) bool {
	if len(gtin) != 14 {
		return false
	}
	if strings.HasPrefix(gtin, "000000") {
		return gtin[6] == '0' || gtin[6] == '2'
	}
	prefix := gtin[1:3]
	return prefix == "02" || prefix == "04" || prefix[0] == '2'
}
