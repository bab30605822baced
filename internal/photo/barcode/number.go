package barcode

import (
	"slices"
	"strings"

	"example.com/whatis/internal/gs1"
)

// number completes r with the number that the digits and their number sets encode, and
// reports whether its check digit is right.
func (r *read) number(k *kind, digits string, sets uint8) bool {
	switch k.name {
	case "EAN-13":
		first := slices.Index(firstDigits[:], sets)
		if first < 0 {
			return false
		}
		r.text = string(rune('0'+first)) + digits
		if first == 0 {
			r.name, r.text = "UPC-A", digits
		}
	case "EAN-8":
		r.text = digits
	case "UPC-E":
		return r.compressed(digits, sets)
	}
	var ok bool
	r.gtin, ok = gs1.GTIN(r.text)
	return ok
}

// compressed completes r with the number of a UPC-E.
func (r *read) compressed(digits string, sets uint8) bool {
	system, check := "0", slices.Index(checkDigits[:], sets)
	if check < 0 {
		system, check = "1", slices.Index(checkDigits[:], ^sets&0b111111)
	}
	if check < 0 {
		return false
	}
	r.text = system + digits + string(rune('0'+check))
	whole, err := gs1.ExpandUPCE(r.text)
	if err != nil {
		return false
	}
	r.gtin = strings.Repeat("0", 2) + whole
	return true
}
