package analyze

import (
	"slices"
	"strings"

	"example.com/whatis/internal/catalog/review"
)

// A NearDuplicate is the photo whose product is the answer for another that looks alike.
type NearDuplicate struct {
	ID       string    `json:"id"`                 // of its result
	Answered *Answered `json:"answered,omitempty"` // the answer before that result was corrected
}

// Named reports whether r names a product that near duplicates of its photo may have, too.
func (r Result) Named() bool {
	return r.Identification != nil && r.ProductName != "" && !slices.Contains(r.Warnings, WarnUnidentified)
}

// Follow returns r, whose product is that of a near duplicate, by what the result of that one says
// now, and with what people say of r's own photo.
func (r Result) Follow(of Result, own *review.Verdict) Result {
	r = r.Unreviewed()
	if r.NearDuplicate.Answered != nil {
		r.setAnswered(*r.NearDuplicate.Answered)
	}
	near := NearDuplicate{ID: r.NearDuplicate.ID}
	product := func(r Result) review.Name { return review.Name{ProductName: r.ProductName, Brand: r.Brand} }
	switch before := r.answered(); {
	case !of.Named():
		r.reject("the product of its near duplicate was found to be wrong")
		near.Answered = &before
	case !product(of).Same(product(r)):
		i := *r.Identification
		i.rename(of.ProductName, of.Brand, of.Category)
		i.setSource(FromLocalDB, i.RAGConfidence.Probability, "near duplicate of "+strings.TrimSpace(of.Brand+" "+of.ProductName)+", as that was corrected")
		r.Identification, near.Answered = &i, &before
	}
	r.NearDuplicate = &near
	return r.As(own)
}
