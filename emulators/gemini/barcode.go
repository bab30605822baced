package gemini

import (
	"image"
	"strings"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
)

// A picture is read in this many strips, each by itself. A barcode crosses
// several of them; a chance reading of something else stays in one.
const strips = 64

// How many strips have to agree on a number. Half as many digits come out of
// noise far more often.
const (
	agree13 = 2
	agree8  = 3
)

// barcode returns the digits printed below the retail barcode of a picture,
// lying or standing.
func barcode(grey *image.Gray) (string, bool) {
	for _, view := range []*image.Gray{grey, transposed(grey)} {
		if digits, ok := elect(readStrips(view)); ok {
			return printedDigits(digits), true
		}
	}
	return "", false
}

// readStrips counts the strips in which each number was read.
func readStrips(grey *image.Gray) map[string]int {
	votes := map[string]int{}
	reader := oned.NewMultiFormatUPCEANReader(nil)
	w, h := grey.Rect.Dx(), grey.Rect.Dy()
	for i := range strips {
		strip := grey.SubImage(image.Rect(0, i*h/strips, w, (i+1)*h/strips))
		if strip.Bounds().Empty() {
			continue
		}
		source := gozxing.NewLuminanceSourceFromImage(strip)
		bitmap, err := gozxing.NewBinaryBitmap(gozxing.NewGlobalHistgramBinarizer(source))
		if err != nil {
			continue
		}
		if result, err := reader.Decode(bitmap, nil); err == nil {
			votes[result.GetText()]++
		}
	}
	return votes
}

// elect returns the number with enough votes and more than any other of its
// length; a longer number goes before a shorter one.
func elect(votes map[string]int) (string, bool) {
	for _, class := range []struct{ digits, least int }{{13, agree13}, {12, agree13}, {8, agree8}} {
		winner, most, tie := "", 0, false
		for digits, n := range votes {
			switch {
			case len(digits) != class.digits || n < most:
			case n == most:
				tie = true
			default:
				winner, most, tie = digits, n, false
			}
		}
		if most >= class.least && !tie {
			return winner, true
		}
	}
	return "", false
}

// printedDigits undoes the leading zero that readers give a UPC-A.
func printedDigits(digits string) string {
	if len(digits) == 13 {
		return strings.TrimPrefix(digits, "0")
	}
	return digits
}

func transposed(g *image.Gray) *image.Gray {
	turned := image.NewGray(image.Rect(0, 0, g.Rect.Dy(), g.Rect.Dx()))
	for y := range g.Rect.Dy() {
		for x := range g.Rect.Dx() {
			turned.Pix[x*turned.Stride+y] = g.Pix[y*g.Stride+x]
		}
	}
	return turned
}
