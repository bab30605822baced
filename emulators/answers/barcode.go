package answers

import (
	"image"
	"strings"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
)

// A picture is read in this many strips, each by itself. A barcode crosses several of
// them; a false reading appears in only one.
const strips = 64

// How many strips have to agree on a number. Noise gives 8 digits far more often than
// 13.
const (
	agree13 = 2
	agree8  = 3
)

// barcode returns the digits printed below the retail barcode of a picture, horizontal or
// vertical, and the box of its bars: top, left, bottom and right in thousandths.
func barcode(grey *image.Gray) (digits string, box [4]int, ok bool) {
	for turned, view := range []*image.Gray{grey, transposed(grey)} {
		if digits, bars, ok := elect(readStrips(view)); ok {
			if turned == 1 {
				bars = image.Rect(bars.Min.Y, bars.Min.X, bars.Max.Y, bars.Max.X)
			}
			return printedDigits(digits), thousandths(bars, grey.Rect.Size()), true
		}
	}
	return "", [4]int{}, false
}

func thousandths(r image.Rectangle, size image.Point) [4]int {
	part := func(n, of int) int { return min(max(n*1000/of, 0), 1000) }
	return [4]int{part(r.Min.Y, size.Y), part(r.Min.X, size.X), part(r.Max.Y, size.Y), part(r.Max.X, size.X)}
}

// A vote counts the strips in which a number was read, and has the place of its bars.
type vote struct {
	n    int
	bars image.Rectangle
}

// readStrips counts the strips in which each number was read.
func readStrips(grey *image.Gray) map[string]vote {
	votes := map[string]vote{}
	reader := oned.NewMultiFormatUPCEANReader(nil)
	w, h := grey.Rect.Dx(), grey.Rect.Dy()
	for i := range strips {
		r := image.Rect(0, i*h/strips, w, (i+1)*h/strips)
		strip := grey.SubImage(r)
		if strip.Bounds().Empty() {
			continue
		}
		source := gozxing.NewLuminanceSourceFromImage(strip)
		bitmap, err := gozxing.NewBinaryBitmap(gozxing.NewGlobalHistgramBinarizer(source))
		if err != nil {
			continue
		}
		if result, err := reader.Decode(bitmap, nil); err == nil {
			v := votes[result.GetText()]
			votes[result.GetText()] = vote{v.n + 1, v.bars.Union(across(result.GetResultPoints(), r))}
		}
	}
	return votes
}

// across returns the part of a strip between the points of a reading.
func across(points []gozxing.ResultPoint, strip image.Rectangle) image.Rectangle {
	left, right := strip.Max.X, strip.Min.X
	for _, p := range points {
		left, right = min(left, int(p.GetX())), max(right, int(p.GetX())+1)
	}
	return image.Rect(left, strip.Min.Y, right, strip.Max.Y)
}

// elect returns the number with enough votes and more than any other of its
// length; a longer number goes before a shorter one.
func elect(votes map[string]vote) (string, image.Rectangle, bool) {
	for _, class := range []struct{ digits, least int }{{13, agree13}, {12, agree13}, {8, agree8}} {
		winner, most, tie := "", 0, false
		for digits, v := range votes {
			switch {
			case len(digits) != class.digits || v.n < most:
			case v.n == most:
				tie = true
			default:
				winner, most, tie = digits, v.n, false
			}
		}
		if most >= class.least && !tie {
			return winner, votes[winner].bars, true
		}
	}
	return "", image.Rectangle{}, false
}

// printedDigits removes the leading zero that readers add to a UPC-A.
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
