package analyze

import (
	"cmp"
	"slices"

	"example.com/whatis/internal/analyze/expiry"
	"example.com/whatis/internal/gs1"
)

// placeClaims sets the codes and the expiry date of a. If several photos show more than one
// product, only those count that stand on a photo with the product's name: another
// product's date or code says nothing about this one.
func (r *rag) placeClaims(a Analysis) {
	r.unwarn(append(slices.Clone(r.expiry.warnings), warnOtherProductDate, warnGTINRestricted)...)
	hint := expiry.Hint{Country: r.req.Country, Lang: r.req.Lang, Now: r.began}
	all := r.reading.codesOn(nil)
	naming := a.namingPhotos(len(r.req.distinctPhotos()))
	r.codes, r.otherCodes = r.reading.codesOn(naming), nil
	own := a
	if naming != nil {
		r.otherCodes = all
		text := newReading(a.VisibleText)
		own.Dates = slices.DeleteFunc(slices.Clone(a.Dates), func(d Date) bool {
			if _, first, _ := text.lineOfDate(d, hint); d.Photo == 0 && first >= 0 {
				d.Photo = text.lines[first].Photo
			}
			return !slices.Contains(naming, d.Photo)
		})
	}
	read := gtinsOf(r.codes)
	r.gtins = slices.DeleteFunc(slices.Clone(read), gs1.Restricted)
	if len(r.gtins) < len(read) {
		r.warn(warnGTINRestricted)
	}
	r.expiry = findExpiry(own, r.codes, hint)
	r.warnings = append(r.warnings, r.expiry.warnings...)
	if naming != nil && r.expiry.date == nil && findExpiry(a, all, hint).date != nil {
		r.warn(warnOtherProductDate)
	}
}

// namingPhotos returns the numbers of the photos, of so many, whose text has most of the
// product's name; without such text the first photo, whose product is named. It returns nil
// if there is one photo, or one product in sight.
func (a Analysis) namingPhotos(of int) []int {
	if of < 2 || a.ProductsSeen < 2 {
		return nil
	}
	name := cmp.Or(a.NameAsPrinted, a.ProductName)
	best, naming := 0, []int{1}
	for _, r := range newReading(a.VisibleText).photos() {
		c := r.cover(name)
		found := c.all - c.lost
		if found > best {
			best, naming = found, nil
		}
		if found == best && best > 0 {
			naming = append(naming, r.lines[0].Photo)
		}
	}
	return naming
}
