package analyze

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"

	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/photo/barcode"
	"example.com/whatis/internal/textfold"
)

// ReadCodes says when codes are read from the pixels of a photo.
type ReadCodes string

// The values of ReadCodes.
const (
	ReadSeen   ReadCodes = "seen"   // where image_analyzer saw one
	ReadAlways ReadCodes = "always" // anywhere in the picture
	ReadNever  ReadCodes = "never"  // codes count only as print that was read
)

// Reads reports that codes may be read.
func (r ReadCodes) Reads() bool { return r == ReadSeen || r == ReadAlways }

// ParseReadCodes reads a value of ReadCodes; true is always, false is never.
func ParseReadCodes(s string) (ReadCodes, error) {
	switch r := ReadCodes(s); r {
	case ReadSeen, ReadAlways, ReadNever:
		return r, nil
	case "true":
		return ReadAlways, nil
	case "false":
		return ReadNever, nil
	}
	return "", fmt.Errorf("analyze: reading codes %.20q: use %s, %s or %s", s, ReadSeen, ReadAlways, ReadNever)
}

// A scan is what the pixels of one photo say without a model.
type scan struct{ codes []barcode.Code }

// readCodes returns the codes of img in boxes, or anywhere if there are none.
func readCodes(ctx context.Context, img image.Image, boxes []Box) []barcode.Code {
	if len(boxes) == 0 {
		return barcode.Read(ctx, img)
	}
	places := make([][4]int, len(boxes))
	for i, b := range boxes {
		places[i] = b.thousandths()
	}
	return barcode.ReadIn(ctx, img, places)
}

// wanted says where codes are read on photo number n of so many, whose
// analysis is a.
func (r ReadCodes) wanted(a Analysis, n, of int) (w codeWish) {
	if r == ReadAlways {
		return codeWish{read: true}
	}
	if r != ReadSeen {
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
		w.read, w.whole = true, true
	}
	return w
}

// A codeWish is where codes are to be read on a photo.
type codeWish struct {
	read  bool
	boxes []Box // here, or in the whole picture where there are none;
	whole bool  // and in the whole picture, if there are none in the boxes
}

// of returns the codes of img that w asks for.
func (w codeWish) of(ctx context.Context, img image.Image) []barcode.Code {
	if !w.read {
		return nil
	}
	codes := readCodes(ctx, img, w.boxes)
	if len(codes) == 0 && w.whole && len(w.boxes) > 0 {
		codes = readCodes(ctx, img, nil)
	}
	return codes
}

// underBars reports a line like those that are printed under bars: 8 to 14 digits
// and nothing else, in groups or not, between the marks of a quiet zone or not.
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

// A code is what one symbol of a photo says, or the digits printed under it.
type code struct {
	gtin  string // GTIN-14
	quote Quote
	gs1   *gs1.Elements // nil when it is no more than a number
}

// maxGTINs is how many GTINs of one photo count.
const maxGTINs = 3

// codes are the codes of the photos: those of the bars, then those that were
// read clearly as print, of each GTIN the first. What stands where an injected
// line does, or is printed in one, is none.
func (r imageReading) codes() []code {
	var all []code
	for i, s := range r.scans {
		for _, c := range s.codes {
			q := Quote{Text: c.Text, Box: boxOf(c.Box)}
			if len(r.scans) > 1 {
				q.Photo = i + 1
			}
			if !r.painted(q.Box, i+1) {
				all = append(all, code{c.GTIN, q, c.GS1})
			}
		}
	}
	theirs := newReading(r.injected)
	for _, line := range r.analysis.VisibleText {
		if c, ok := printedCode(line); ok && theirs.where(textfold.String(line.Text)) == nil {
			all = append(all, c)
		}
	}
	return withoutRepeats(all)
}

// printedCode is the code that a clear line spells out: a GTIN of 12 digits or
// more, since shorter numbers are too often dates and prices, or elements in
// brackets.
func printedCode(l Line) (code, bool) {
	if !l.Clear {
		return code{}, false
	}
	q := Quote{Text: l.Text, Box: l.Box, Photo: l.Photo}
	if gtin, ok := gs1.GTIN(l.Text); ok && !strings.HasPrefix(gtin, "000000") {
		return code{gtin: gtin, quote: q}, true
	}
	if strings.HasPrefix(l.Text, "(") {
		if e, err := gs1.Parse(l.Text); err == nil && (e.GTIN != "" || e.BestBefore != "" || e.UseBy != "") {
			return code{e.GTIN, q, &e}, true
		}
	}
	return code{}, false
}

// withoutRepeats is all without codes that say nothing new.
func withoutRepeats(all []code) []code {
	var out []code
	for _, c := range all {
		if !slices.ContainsFunc(out, c.saidBy) {
			out = append(out, c)
		}
	}
	return out
}

// saidBy reports that o says all that c does.
func (c code) saidBy(o code) bool {
	if o.gtin != c.gtin || o.gs1 == nil {
		return o.gtin == c.gtin && c.gs1 == nil
	}
	return c.gs1 == nil || o.gs1.BestBefore == c.gs1.BestBefore && o.gs1.UseBy == c.gs1.UseBy
}

// gtinsOf are the GTINs of all, once each.
func gtinsOf(all []code) []string {
	var out []string
	for _, c := range all {
		if c.gtin != "" && !slices.Contains(out, c.gtin) && len(out) < maxGTINs {
			out = append(out, c.gtin)
		}
	}
	return out
}

// withoutRestrictedCirculation is gtins without those of a restricted range, which
// name a product in one shop or country only (GS1 General Specifications).
func withoutRestrictedCirculation(gtins []string) []string {
	return slices.DeleteFunc(slices.Clone(gtins), gs1.Restricted)
}

// gtinQuote is where gtin was read.
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
