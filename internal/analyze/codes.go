package analyze

import (
	"context"
	"image"
	"slices"

	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/barcode"
)

// A scan holds what was decoded from the pixels of one photo.
type scan struct{ codes []barcode.Code }

// readIn returns the codes of img in boxes.
func readIn(ctx context.Context, img image.Image, boxes []Box) []barcode.Code {
	places := make([][4]int, len(boxes))
	for i, b := range boxes {
		places[i] = b.thousandths()
	}
	return barcode.ReadIn(ctx, img, places)
}

// wantedCodes returns where to read codes on photo n of the given number of photos,
// whose analysis is a.
func wantedCodes(when barcode.When, a Analysis, n, of int) (w codeWish) {
	if when == barcode.Always {
		return codeWish{read: true}
	}
	if when != barcode.WhenSeen {
		return codeWish{}
	}
	for _, c := range a.Codes {
		if !on(c.Photo, n, of) {
			continue
		}
		w.read = true
		if c.Box != nil {
			w.boxes = append(w.boxes, c.Box)
		}
	}
	if slices.ContainsFunc(a.VisibleText, func(l Line) bool { return l.on(n, of) && underBars(l.Text) }) {
		w.read = true
	}
	return w
}

// GTINs returns the GTIN-14 of the barcodes in the pixels of ph that identify products,
// without repeats. The error is an *admission.Busy, or ctx's.
func (p *Pipeline) GTINs(ctx context.Context, ph *photo.Photo) ([]string, error) {
	found, _, err := p.scanAndPaint(ctx, ph, pixelTask{codes: codeWish{read: true}})
	var all []code
	for _, c := range found {
		all = append(all, code{gtin: c.GTIN})
	}
	return slices.DeleteFunc(gtinsOf(all), gs1.Restricted), err
}

// A codeWish says where to read codes on a photo.
type codeWish struct {
	read  bool
	boxes []Box // where to read; if empty, the whole photo
}

// fruitless is how many boxes without a readable code lead to a scan of the whole photo,
// which costs less than a box and reads codes that were seen a little beside their place.
const fruitless = 2

// of returns the codes of img that w asks for. If the first boxes hold none, the whole photo
// is read; the other boxes are read too unless that has a code.
func (w codeWish) of(ctx context.Context, img image.Image) []barcode.Code {
	if !w.read {
		return nil
	}
	first := min(fruitless, len(w.boxes))
	codes := readIn(ctx, img, w.boxes[:first])
	if len(codes) == 0 {
		if codes = barcode.Read(ctx, img); len(codes) > 0 {
			return codes
		}
	}
	return append(codes, readIn(ctx, img, w.boxes[first:])...)
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

// codes returns the codes of all photos, as codesOn does.
func (r imageReading) codes() []code { return r.codesOn(nil) }

// codesOn returns the codes of the photos that count, without repeats: first from the
// pixels, then from clearly read text. Codes that overlap an injected line, or are
// printed in one, are left out.
func (r imageReading) codesOn(naming []int) []code {
	var all []code
	for i := range r.scans {
		all = append(all, r.codesRead(i)...)
	}
	all = append(all, r.printedCodes()...)
	all = slices.DeleteFunc(all, func(c code) bool { return !counts(naming, c.quote.Photo) })
	return withoutRepeats(all)
}

// codesRead returns the codes from the pixels of the photo with index i.
func (r imageReading) codesRead(i int) []code {
	var all []code
	for _, c := range r.scans[i].codes {
		q := Quote{Text: c.Text, Box: boxOf(c.Box)}
		if len(r.scans) > 1 {
			q.Photo = i + 1
		}
		if !r.painted(q.Box, i+1) {
			all = append(all, code{c.GTIN, q, c.GS1})
		}
	}
	return all
}

// withoutRepeats returns all without codes that say nothing new.
func withoutRepeats(all []code) []code {
	var out []code
	for _, c := range all {
		if !slices.ContainsFunc(out, c.saidBy) {
			out = append(out, c)
		}
	}
	return out
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

// gtinQuote returns where gtin was read.
func gtinQuote(all []code, gtin string) *Quote {
	for _, c := range all {
		if c.gtin == gtin && gtin != "" {
			return &c.quote
		}
	}
	return nil
}

func boxOf(b [4]int) Box {
	return Box{float64(b[0]), float64(b[1]), float64(b[2]), float64(b[3])}.tidy()
}
