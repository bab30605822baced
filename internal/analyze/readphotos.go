package analyze

import (
	"context"
	"slices"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
)

// An imageReading is what the photos were found to show, before anything is
// concluded.
type imageReading struct {
	analysis Analysis // without the injected lines
	injected []Line   // the injected lines: detectInjection says which
	req      Request  // its photos are those that later calls see: injected lines are painted over where that can be
	unplaced bool     // some injected lines are not painted over, and image_analyzer has concluded with them in sight
	scans    []scan   // of the photos, in order
}

// wantsSecondLook reports that the stronger model is to look at the photos, sure
// as image_analyzer may be: it was shown lines that may have steered it.
func (r imageReading) wantsSecondLook() bool { return r.unplaced }

// shown are the parts of a model call that show the photos.
func (r imageReading) shown() []gemini.Part { return photoParts(r.req) }

// readPhotos asks image_analyzer about the photos of req. When its answer has
// injected lines, they are painted over and it is asked once more: its first
// conclusions are thrown away. Injected lines that cannot be painted over, or that
// the second answer still has, are left out of it, and a second look is wanted.
func (p *Pipeline) readPhotos(ctx context.Context, t *agent.Turn, req Request) (imageReading, error) {
	first, err := p.analysis.Ask(ctx, t, append(photoParts(req), request(req))...)
	if err != nil {
		return imageReading{}, err
	}
	plain, found := splitInjected(first, nil)
	if len(found) == 0 {
		return imageReading{analysis: first, req: req}, nil
	}
	masked, left := req.masked(found, plain.VisibleText)
	if len(left) == len(found) {
		return doubted(plain, found, req), nil
	}
	second, err := p.again.Ask(ctx, t, append(photoParts(masked), request(masked))...)
	if refused(err) {
		return doubted(plain, found, masked), nil
	}
	if err != nil {
		return imageReading{}, err
	}
	plain, still := splitInjected(second, found)
	if len(left)+len(still) == 0 {
		return imageReading{analysis: second, injected: found, req: masked}, nil
	}
	masked, _ = masked.masked(still, plain.VisibleText)
	return doubted(plain, distinctLines(append(found, still...)), masked), nil
}

// doubted is the reading of an answer that was given with injected lines in sight.
func doubted(plain Analysis, injected []Line, req Request) imageReading {
	return imageReading{analysis: withoutInjected(plain, injected), injected: injected, req: req, unplaced: true}
}

// distinctLines is lines without those that say what an earlier one says on the
// same photo.
func distinctLines(lines []Line) []Line {
	var out []Line
	for _, l := range lines {
		if !slices.ContainsFunc(out, func(o Line) bool { return o.Text == l.Text && o.Photo == l.Photo }) {
			out = append(out, l)
		}
	}
	return out
}

// masked is r with the injected lines painted over, and those that could not be:
// they have no box, their box lies over one of the plain lines, or their photo
// cannot be painted on.
func (r Request) masked(injected, plain []Line) (masked Request, left []Line) {
	sides := r.sides()
	painted := map[string]*photo.Photo{}
	unpainted := map[int]bool{}
	for i, p := range sides {
		painted[p.SHA256] = p
		boxes := boxesOn(i+1, len(sides), injected, plain)
		if len(boxes) == 0 {
			continue
		}
		m, err := photo.Mask(p, boxes, photo.Limits{})
		if err != nil {
			unpainted[i+1] = true
			continue
		}
		painted[p.SHA256] = m
	}
	for _, l := range injected {
		if l.Box == nil || l.hides(plain) || l.onAny(unpainted, len(sides)) {
			left = append(left, l)
		}
	}
	masked = r
	masked.Photo, masked.More = painted[r.Photo.SHA256], slices.Clone(r.More)
	for i, p := range r.More {
		masked.More[i] = painted[p.SHA256]
	}
	return masked, left
}

// boxesOn are the boxes of the injected lines on photo number n of so many, but
// for those that would hide plain lines.
func boxesOn(n, of int, injected, plain []Line) [][4]int {
	var boxes [][4]int
	for _, l := range injected {
		if l.Box != nil && l.on(n, of) && !l.hides(plain) {
			boxes = append(boxes, l.Box.thousandths())
		}
	}
	return boxes
}

// hides reports that the better part of one of plain lies under l's box. Plain
// lines with a box are those of the name, the brand and the dates.
func (l Line) hides(plain []Line) bool {
	return slices.ContainsFunc(plain, func(o Line) bool {
		return (l.Photo == o.Photo || l.Photo == 0 || o.Photo == 0) && 2*l.Box.shared(o.Box) > o.Box.area()
	})
}

// on reports that l stands on photo number n of so many, as far as is known: what
// may stand anywhere is painted over everywhere.
func (l Line) on(n, of int) bool {
	return l.Photo == n || l.Photo < 1 || l.Photo > of
}

// onAny reports that l stands on one of the photos of these numbers.
func (l Line) onAny(numbers map[int]bool, of int) bool {
	for n := range numbers {
		if l.on(n, of) {
			return true
		}
	}
	return false
}

// painted reports that b, on photo number n, lies where an injected line stood.
func (r imageReading) painted(b Box, n int) bool {
	return slices.ContainsFunc(r.injected, func(o Line) bool { return o.on(n, len(r.scans)) && o.Box.meets(b) })
}
