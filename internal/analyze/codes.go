package analyze

import (
	"context"
	"slices"
	"strings"
	"sync"

	"example.com/whatis/internal/fold"
	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/barcode"
	"example.com/whatis/internal/photo/phash"
)

// scans bounds how many photos a process decodes at once: each takes up to 40 MB
// and a core.
var scans = make(chan struct{}, 2)

// A scan is what the pixels of one photo say without a model.
type scan struct {
	codes []barcode.Code
	phash string
}

// scanning reads the codes of photos while the caller does something else. The
// function it returns waits for them, in order; what is cancelled or cannot be
// decoded has none. It must be called before the caller returns.
func scanning(ctx context.Context, photos []*photo.Photo) (wait func() []scan) {
	found := make([]scan, len(photos))
	var all sync.WaitGroup
	for i, p := range photos {
		all.Go(func() {
			select {
			case scans <- struct{}{}:
				defer func() { <-scans }()
				found[i] = scanOf(ctx, p)
			case <-ctx.Done():
			}
		})
	}
	return func() []scan {
		all.Wait()
		return found
	}
}

func scanOf(ctx context.Context, p *photo.Photo) scan {
	img, err := p.Pixels(photo.Limits{})
	if err != nil {
		return scan{}
	}
	return scan{codes: barcode.Read(ctx, img), phash: phash.Of(img).String()}
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
		if c, ok := printedCode(line); ok && theirs.where(fold.String(line.Text)) == nil {
			all = append(all, c)
		}
	}
	return firsts(all)
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

// firsts is all without codes that say nothing new.
func firsts(all []code) []code {
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

// naming are those of gtins that name a product anywhere: shops number the others
// themselves.
func naming(gtins []string) []string {
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
