package barcode

import (
	"strings"

	"example.com/whatis/internal/gs1"
)

// matrixCodes returns the QR Code whose finder patterns the lines crossed and
// the Data Matrix symbol in the middle of p, where they hold GS1 data. One read
// is enough: both correct errors and know when they cannot.
func matrixCodes(p plane, hits []finder) []Code {
	var codes []Code
	if c, ok := qrCode(p, hits); ok {
		codes = append(codes, c)
	}
	if c, ok := dataMatrixCode(p); ok {
		codes = append(codes, c)
	}
	return codes
}

// code is m's, when m says that it is GS1's: by FNC1 at its start, by brackets,
// or as a Digital Link.
func (m message) code(symbology string) (Code, bool) {
	marked := m.gs1 || strings.HasPrefix(m.text, "\x1d") || strings.HasPrefix(m.text, "]d2")
	if !marked && !strings.HasPrefix(m.text, "(") && !strings.Contains(m.text, "://") {
		return Code{}, false
	}
	e, err := gs1.Parse(m.text)
	if err != nil {
		return Code{}, false
	}
	return Code{GTIN: e.GTIN, Symbology: symbology, Reads: 1, Text: m.text, GS1: &e}, true
}
