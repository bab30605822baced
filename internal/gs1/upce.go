package gs1

import "fmt"

// ExpandUPCE returns the GTIN-12 for the eight digits of a UPC-E symbol: number system 0 or
// 1, six digits and the check digit, which must be right (GS1 General Specifications,
// section 5.2.2.4.2).
func ExpandUPCE(s string) (string, error) {
	if len(s) != 8 || !digits(s) {
		return "", fmt.Errorf("gs1: expand UPC-E %q: give eight digits, number system and check digit included", s)
	}
	if s[0] > '1' {
		return "", fmt.Errorf("gs1: expand UPC-E %q: the number system must be 0 or 1", s)
	}
	d, whole := s[1:7], ""
	switch last := d[5]; last {
	case '0', '1', '2':
		whole = d[:2] + string(last) + "0000" + d[2:5]
	case '3':
		whole = d[:3] + "00000" + d[3:5]
	case '4':
		whole = d[:4] + "00000" + d[4:5]
	default:
		whole = d[:5] + "0000" + string(last)
	}
	whole = s[:1] + whole + s[7:]
	if _, ok := GTIN(whole); !ok {
		return "", fmt.Errorf("gs1: expand UPC-E %q: the check digit does not verify; read the symbol again", s)
	}
	return whole, nil
}

// digits reports whether s consists of ASCII digits.
func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
