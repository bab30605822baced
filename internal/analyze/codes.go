package analyze

import (
	"context"
	"image"
	"slices"

	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/barcode"
)

// readIn returns the codes of img in boxes.
func readIn(ctx context.Context, img image.Image, boxes []Box) []barcode.Code {
	places := make([][4]int, len(boxes))
	for i, b := range boxes {
		places[i] = b.thousandths()
	}
	return barcode.ReadIn(ctx, img, places)
}

// wantedCodes returns whether to read codes on photo n of the given number of photos, whose
// analysis is a, and in which boxes; without boxes, on the whole photo.
func wantedCodes(when barcode.When, a Analysis, n, of int) (read bool, boxes []Box) {
	if when != barcode.WhenSeen {
		return when == barcode.Always, nil
	}
	for _, c := range a.Codes {
		if !on(c.Photo, n, of) {
			continue
		}
		read = true
		if c.Box != nil {
			boxes = append(boxes, c.Box)
		}
	}
	return read || slices.ContainsFunc(a.VisibleText, func(l Line) bool { return on(l.Photo, n, of) && underBars(l.Text) }), boxes
}

// GTINs returns the GTIN-14 of the barcodes in the pixels of ph that identify products,
// without repeats. The error is an *admission.Busy, or ctx's.
func (p *Pipeline) GTINs(ctx context.Context, ph *photo.Photo) ([]string, error) {
	found, _, err := p.scanAndPaint(ctx, ph, pixelTask{codes: true})
	var all []code
	for _, c := range found {
		all = append(all, code{gtin: c.GTIN})
	}
	return slices.DeleteFunc(gtinsOf(all), gs1.Restricted), err
}

// fruitless is how many boxes without a readable code lead to a scan of the whole photo,
// which costs less than a box and reads codes that were seen a little beside their place.
const fruitless = 2

// readCodes returns the codes of img in boxes. If the first boxes hold none, the whole photo
// is read; the other boxes are read too unless that has a code.
func readCodes(ctx context.Context, img image.Image, boxes []Box) []barcode.Code {
	first := min(fruitless, len(boxes))
	codes := readIn(ctx, img, boxes[:first])
	if len(codes) == 0 {
		if codes = barcode.Read(ctx, img); len(codes) > 0 {
			return codes
		}
	}
	return append(codes, readIn(ctx, img, boxes[first:])...)
}

// underBars reports whether text looks like the line under a barcode: 8 to 14
// digits, with optional spaces and quiet zone marks (< and >).
func underBars(text string) bool {
	digits := 0
	for _, r := range text {
		switch {
		case '0' <= r && r <= '9':
			digits++
		case r != ' ' && r != '<' && r != '>':
			return false
		}
	}
	return digits >= 8 && digits <= 14
}

// A code is the content of one symbol of a photo, or the digits printed under it.
type code struct {
	gtin  string // GTIN-14
	quote Quote
	gs1   *gs1.Elements // nil for a plain number
}

// maxGTINs is how many GTINs of one photo count.
const maxGTINs = 3

// codesOn returns the codes of the photos that count, those numbered in naming or, if that
// is nil, all, without those that say nothing new: first from the pixels, then from clearly
// read text. One whose photo is unknown counts only if all do. Codes that overlap an injected
// line, or are printed in one, are left out.
func (r imageReading) codesOn(naming []int) (all []code) {
	var found []code
	for i := range r.scans {
		found = append(found, r.codesRead(i)...)
	}
	for _, c := range append(found, r.printedCodes()...) {
		counts := naming == nil || slices.Contains(naming, c.quote.Photo)
		if counts && !slices.ContainsFunc(all, c.saidBy) {
			all = append(all, c)
		}
	}
	return all
}

// codesRead returns the codes from the pixels of the photo with index i.
func (r imageReading) codesRead(i int) []code {
	var all []code
	for _, c := range r.scans[i] {
		q := Quote{Text: c.Text, Box: Box{float64(c.Box[0]), float64(c.Box[1]), float64(c.Box[2]), float64(c.Box[3])}.tidy()}
		if len(r.scans) > 1 {
			q.Photo = i + 1
		}
		if !r.painted(q.Box, i+1) {
			all = append(all, code{c.GTIN, q, c.GS1})
		}
	}
	return all
}

// saidBy reports whether o says all that c does.
func (c code) saidBy(o code) bool {
	if o.gtin != c.gtin || o.gs1 == nil {
		return o.gtin == c.gtin && c.gs1 == nil
	}
	return c.gs1 == nil || o.gs1.BestBefore == c.gs1.BestBefore && o.gs1.UseBy == c.gs1.UseBy
}

// gtinsOf returns the first maxGTINs distinct GTINs of all.
func gtinsOf(all []code) []string {
	var out []string
	for _, c := range all {
		if c.gtin != "" && !slices.Contains(out, c.gtin) && len(out) < maxGTINs {
			out = append(out, c.gtin)
		}
	}
	return out
}
