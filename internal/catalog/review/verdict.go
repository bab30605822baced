package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/store"
)

// A Verdict is what people say of a photo, or of several photos of one product, at present.
type Verdict struct {
	Revision int64   // of what is said of all photos together; 0 if it is only what is said of one of them
	Latest   Entry   // the latest act
	Stands   *Entry  // the latest statement that stands; nil if all were taken back
	History  []Entry // all acts, oldest first; the last 50

	Product  *catalog.Product // that the photo shows, with the ID of its record; nil if nobody says
	Nothing  bool             // the photo shows no product
	Fields   *Fields          // what of the answer was corrected; nil if nothing was
	Rejected []Name           // what the photo does not show
}

// Excludes reports whether somebody has said that the photo does not show n.
func (v *Verdict) Excludes(n Name) bool {
	return v != nil && slices.ContainsFunc(v.Rejected, n.Same)
}

// verdict returns doc as a verdict; nil if nothing was ever said.
func (doc document) verdict() *Verdict {
	if doc.Revision == 0 {
		return nil
	}
	v := &Verdict{Revision: doc.Revision, History: doc.history(), Rejected: doc.rejected()}
	v.Latest = v.History[len(v.History)-1]
	if all := doc.dated(); len(all) > 0 {
		stands := all[len(all)-1].entry()
		v.Stands = &stands
	}
	if a := doc.answer(); a != nil {
		v.Nothing, v.Fields = a.Nothing, fieldsOf(a.Fields)
		if a.Confirmed != nil {
			p := *a.Confirmed
			p.ID, p.Status = a.Confirms, catalog.Confirmed
			v.Product = &p
		}
	}
	return v
}

// Key returns the ID of the review of photos, by their SHA-256. Their order and copies do
// not count.
func Key(photos ...string) string {
	photos = slices.Compact(slices.Sorted(slices.Values(photos)))
	if len(photos) == 1 {
		return photos[0]
	}
	return store.HashID(append([]string{"photos"}, photos...)...)
}

// Photos reads what people say of photos.
type Photos struct{ db *firestore.Client }

// NewPhotos returns the verdicts in db.
func NewPhotos(db *firestore.Client) *Photos { return &Photos{db} }

// Verdict returns what people say of photos, by their SHA-256; nil if nobody has said
// anything. It is one call, of one read for one photo. Of several photos of one product
// that were never reviewed together, what is said of each counts: the product, if all that
// name one name the same, and what is rejected. A nil Photos knows of none.
func (p *Photos) Verdict(ctx context.Context, photos ...string) (*Verdict, error) {
	refs := p.Documents(photos...)
	if len(refs) == 0 {
		return nil, nil
	}
	snaps, err := p.db.GetAll(ctx, refs)
	if err != nil {
		return nil, fmt.Errorf("review: what was said of photos: %w", err)
	}
	return VerdictIn(snaps)
}

// VerdictIn returns what people say of photos together, nil if nobody says anything, from the
// documents that Documents names, one at least.
func VerdictIn(snaps []*firestore.DocumentSnapshot) (*Verdict, error) {
	all := make([]*Verdict, len(snaps))
	for i, snap := range snaps {
		at, err := store.Parse[document](snap)
		if err != nil {
			return nil, fmt.Errorf("review: what was said of photos: %w", err)
		}
		all[i] = at.Value.verdict()
	}
	return together(all[0], all[1:]), nil
}

// Documents returns the documents that have what people say of photos, by their SHA-256, the
// first what they say of all together. Those of which nobody has said anything are missing.
func (p *Photos) Documents(photos ...string) (refs []*firestore.DocumentRef) {
	if p == nil || len(photos) == 0 {
		return nil
	}
	ids := []string{Key(photos...)}
	if len(photos) > 1 {
		ids = append(ids, slices.Compact(slices.Sorted(slices.Values(photos)))...)
	}
	for _, id := range slices.Compact(ids) { // copies of one photo
		refs = append(refs, p.db.Collection(collection).Doc(id))
	}
	return refs
}

// together returns the verdict on photos of one product: own, and what of each of them
// goes for all.
func together(own *Verdict, each []*Verdict) *Verdict {
	each = slices.DeleteFunc(each, func(v *Verdict) bool { return v == nil })
	if len(each) == 0 {
		return own
	}
	v := &Verdict{}
	if own != nil {
		copied := *own
		v = &copied
	}
	decided := own != nil && (own.Product != nil || own.Nothing)
	for _, one := range each {
		v.Rejected = append(slices.Clone(v.Rejected), one.Rejected...)
		if own == nil && (v.Latest.At.IsZero() || one.Latest.At.After(v.Latest.At)) {
			v.Latest, v.Stands, v.History = one.Latest, one.Stands, one.History
		}
	}
	if !decided {
		v.Product = agreed(each)
	}
	if v.Product != nil {
		v.Rejected = slices.DeleteFunc(v.Rejected, nameOf(*v.Product).Same)
	}
	return v
}

// agreed returns the product that verdicts name, nil if they name none or several.
func agreed(each []*Verdict) (p *catalog.Product) {
	for _, v := range each {
		switch {
		case v.Product == nil:
		case p != nil && p.ID != v.Product.ID:
			return nil
		default:
			p = v.Product
		}
	}
	return p
}

// key returns the ID of the review of s: of its photos or, if they were never read, of the
// result.
func (s Subject) key() string {
	if photos := s.Photos(); len(photos) > 0 {
		return Key(photos...)
	}
	return store.HashID("result", s.ID)
}

// Photos returns the SHA-256 of the photos of s.
func (s Subject) Photos() []string {
	return slices.DeleteFunc(append([]string{s.Photo}, s.More...), func(sha string) bool { return strings.TrimSpace(sha) == "" })
}

// onlyPhoto returns the photo of s; "" of several.
func (s Subject) onlyPhoto() string {
	if photos := s.Photos(); len(photos) == 1 || len(photos) > 1 && Key(photos...) == photos[0] {
		return photos[0]
	}
	return ""
}
