package analyze

import (
	"context"
	"errors"
	"slices"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
)

// A look is what the photos were found to show, before anything is concluded.
type look struct {
	analysis Analysis // without the lines that read like orders
	orders   []Line   // those lines
	req      Request  // its photos are those that later calls may see
	blind    bool     // orders that cannot be painted over: no later call sees the photos
	scans    []scan   // of the photos, in order
}

// warnPhotoWithheld says that the photo gives orders which could not be painted
// over: it was read once and shown to no other model.
const warnPhotoWithheld = "photo_withheld"

// look asks image_analyzer about the photos of req. When lines of its answer read
// like orders, they are painted over and it is asked once more: what it concludes
// then, it concludes from the rest. The first answer may have obeyed, and only
// those lines of it are kept.
func (p *Pipeline) look(ctx context.Context, t *agent.Turn, req Request) (look, error) {
	first, err := p.analysis.Ask(ctx, t, append(photoParts(req), request(req))...)
	if err != nil {
		return look{}, err
	}
	plain, found := parted(first)
	if len(found) == 0 {
		return look{analysis: first, req: req}, nil
	}
	masked, err := req.masked(found)
	if err != nil {
		return blindLook(plain, found, req), nil
	}
	second, err := p.again.Ask(ctx, t, append(photoParts(masked), request(masked))...)
	if refused(err) {
		return blindLook(plain, found, req), nil
	}
	if err != nil {
		return look{}, err
	}
	plain, left := parted(second)
	if len(left) > 0 {
		return blindLook(plain, distinctLines(append(found, left...)), masked), nil
	}
	return look{analysis: second, orders: found, req: masked}, nil
}

// parted is a without the lines that read like orders, and those lines.
func parted(a Analysis) (plain Analysis, found []Line) {
	is := orders(a.VisibleText)
	plain = a
	plain.VisibleText = nil
	for i, l := range a.VisibleText {
		if is[i] {
			found = append(found, l)
		} else {
			plain.VisibleText = append(plain.VisibleText, l)
		}
	}
	return plain, found
}

// distinctLines is lines without those that say what an earlier one says.
func distinctLines(lines []Line) []Line {
	var out []Line
	for _, l := range lines {
		if !slices.ContainsFunc(out, func(o Line) bool { return o.Text == l.Text && o.Photo == l.Photo }) {
			out = append(out, l)
		}
	}
	return out
}

// masked is r with orders painted over. One that has no box, or a photo that
// cannot be painted on, is an error.
func (r Request) masked(orders []Line) (Request, error) {
	boxes := make([][][4]int, len(r.sides()))
	for _, l := range orders {
		if l.Box == nil {
			return r, errNoBox
		}
		for i := range boxes {
			if l.on(i+1, len(boxes)) {
				boxes[i] = append(boxes[i], l.Box.thousandths())
			}
		}
	}
	painted := map[string]*photo.Photo{}
	for i, p := range r.sides() {
		painted[p.SHA256] = p
		if len(boxes[i]) > 0 {
			m, err := photo.Mask(p, boxes[i], photo.Limits{})
			if err != nil {
				return r, err
			}
			painted[p.SHA256] = m
		}
	}
	m := r
	m.Photo, m.More = painted[r.Photo.SHA256], slices.Clone(r.More)
	for i, p := range r.More {
		m.More[i] = painted[p.SHA256]
	}
	return m, nil
}

var errNoBox = errors.New("analyze: an order of which nobody knows where it stands")

// on reports that l stands on photo number n of so many, as far as is known: what
// may stand anywhere is painted over everywhere.
func (l Line) on(n, of int) bool {
	return l.Photo == n || l.Photo < 1 || l.Photo > of
}

// painted reports that b, on photo number n, lies where an order stood.
func (l look) painted(b Box, n int) bool {
	return slices.ContainsFunc(l.orders, func(o Line) bool { return o.on(n, len(l.scans)) && o.Box.meets(b) })
}

// blindLook makes the best of a, the answer of a model that has seen orders.
// Nobody knows which of them it obeyed: what stands only in them goes, and no
// confidence is worth more than that of a photo without text.
func blindLook(a Analysis, orders []Line, req Request) look {
	said, plain := newReading(orders), newReading(a.VisibleText)
	only := func(s string) bool {
		return isOrder(s) || said.supports(nil, s) != nil && plain.supports(nil, s) == nil
	}
	for _, s := range []*string{&a.ProductName, &a.NameAsPrinted, &a.Brand, &a.BrandAsPrinted, &a.Category, &a.ImageFeatures, &a.Description} {
		if only(*s) {
			*s = ""
		}
	}
	a.KeyFeatures = slices.DeleteFunc(slices.Clone(a.KeyFeatures), only)
	a.SubBrands = slices.DeleteFunc(slices.Clone(a.SubBrands), only)
	a.ProductNameConfidence, a.BrandConfidence = min(a.ProductNameConfidence, unsupportedCap), min(a.BrandConfidence, unsupportedCap)
	a.KnownProduct = Unsure
	if a.NotProduct && !textless(a) {
		a.NotProduct, a.Description = false, "" // print of its own: there is something to identify
	}
	a.tidy()
	return look{analysis: a, orders: orders, req: req, blind: true}
}

// shown are the parts of a model call that show the photos, none where orders
// stand in them.
func (l look) shown() []gemini.Part {
	if l.blind {
		return nil
	}
	return photoParts(l.req)
}
