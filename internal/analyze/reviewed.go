package analyze

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/analyze/expiry"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
)

// Reviewed is what people say of the photo of a result, and what the models answered.
type Reviewed struct {
	Verdict  string         `json:"verdict,omitempty"` // what stands: accept, correct or reject; empty if it was taken back
	By       string         `json:"by,omitempty"`      // who said it, or took it back; only readers see it
	Verified bool           `json:"verified"`          // whether the service knows who it was
	At       time.Time      `json:"at"`
	Revision int64          `json:"revision"`           // how often something was said of the photo
	History  []review.Entry `json:"history,omitempty"`  // all that was said, oldest first; only readers see it
	Answered *Answered      `json:"answered,omitempty"` // the answer without the review, where it was another
}

// An Answered is the part of a result that a review may change.
type Answered struct {
	Error       string `json:"error,omitempty"`
	Description string `json:"description,omitempty"`
	Message     string `json:"message,omitempty"`
	Retryable   *bool  `json:"retryable,omitempty"`
	*Identification
	GTIN     string       `json:"gtin,omitempty"`
	Expiry   *expiry.Date `json:"expiry,omitempty"`
	Warnings []string     `json:"warnings,omitempty"`
	Decision *Decision    `json:"decision,omitempty"`
	Record   *Record      `json:"record,omitempty"`
}

// answered returns the part of r that a review may change.
func (r Result) answered() Answered {
	return Answered{r.Error, r.Description, r.Message, r.Retryable, r.Identification, r.GTIN, r.Expiry, r.Warnings, r.Decision, r.Record}
}

// setAnswered sets that part of r.
func (r *Result) setAnswered(a Answered) {
	r.Error, r.Description, r.Message, r.Retryable, r.Identification = a.Error, a.Description, a.Message, a.Retryable, a.Identification
	r.GTIN, r.Expiry, r.Warnings, r.Decision, r.Record = a.GTIN, a.Expiry, a.Warnings, a.Decision, a.Record
}

// Verdict returns what people say of the photos of req; nil if nothing.
func (p *Pipeline) Verdict(ctx context.Context, req Request) (*review.Verdict, error) {
	if req.Unreviewed {
		return nil, nil
	}
	return p.Reviews.Verdict(ctx, req.Hashes()...)
}

// As returns r as people say that it is: with the product that v names, or without a name
// that v rejects; what r said before stands in Reviewed.Answered. If r has a later verdict
// already, it is unchanged; a verdict that is nil changes nothing.
func (r Result) As(v *review.Verdict) Result {
	if v == nil || r.Reviewed != nil && r.Reviewed.Revision > v.Revision {
		return r
	}
	r = r.Unreviewed()
	before := r.answered()
	said, verdict := v.Latest, ""
	if v.Stands != nil {
		said, verdict = *v.Stands, v.Stands.Verdict
	}
	r.Reviewed = &Reviewed{Verdict: verdict, By: said.By, Verified: said.Verified, At: said.At, Revision: v.Revision, History: v.History}
	changed := true
	switch {
	case v.Product != nil:
		r.correct(v)
	case v.Nothing && r.Error != NotAProduct:
		r.setAnswered(Answered{Error: NotAProduct, Description: EvidencePerson, GTIN: r.GTIN, Warnings: without(r.Warnings, identityWarnings), Decision: decidedBy(r.Decision, rowRejected)})
	case r.Identification != nil && v.Excludes(review.Name{ProductName: r.ProductName, Brand: r.Brand}):
		r.reject("a person has rejected the name that was found")
	default:
		changed = false
	}
	if changed {
		r.Reviewed.Answered = &before
	}
	return r
}

// Unreviewed returns r as it was before people said something.
func (r Result) Unreviewed() Result {
	if r.Reviewed != nil && r.Reviewed.Answered != nil {
		r.setAnswered(*r.Reviewed.Answered)
	}
	r.Reviewed = nil
	return r
}

// WithoutOthers returns r without who has reviewed it, what was said before, and from whose photo
// its product was learnt: for callers who may not see what others asked for.
func (r Result) WithoutOthers() Result {
	if r.Record != nil {
		r.Record = &Record{ID: r.Record.ID, Status: r.Record.Status}
	}
	if r.Reviewed == nil {
		return r
	}
	said := *r.Reviewed
	said.By, said.Verified, said.History = "", false, nil
	r.Reviewed = &said
	return r
}

// identityWarnings are about which product it is: they do not hold for one that a person
// has named.
var identityWarnings = []string{WarnUnidentified, WarnRejectedBefore, warnUnconfirmedRecord, warnContradictsPrint, WarnGTINConflict, warnGTINShared}

// dateWarnings are about the expiration date.
var dateWarnings = []string{warnDateUnsupported, warnDateConflict, expiry.DateUnlabelled, expiry.DateLabelUnknown, expiry.DateAmbiguous, expiry.DateComputed, expiry.DateRefused, WarnDateDoubtful}

// correct makes the product of v the answer. Where that was named in another language, and r names it
// in its own, r keeps its words: nobody has said anything of these.
func (r *Result) correct(v *review.Verdict) {
	p, itself := *v.Product, r.namesItself(v)
	i := Identification{KeyFeatures: p.KeyFeatures}
	if r.Identification != nil {
		i = *r.Identification
	}
	r.Error, r.Description, r.Message, r.Retryable, r.Identification = "", "", "", nil, &i
	if !itself {
		r.Warnings, r.Decision = without(r.Warnings, identityWarnings), decidedBy(r.Decision, rowGTIN)
		r.useProduct(p, 1, EvidencePerson)
	}
	r.GTIN = cmp.Or(p.GTIN, r.GTIN)
	if v.Fields == nil {
		return
	}
	if v.Fields.GTIN != nil {
		r.GTIN = *v.Fields.GTIN
	}
	if v.Fields.KeyFeatures != nil {
		i.KeyFeatures = v.Fields.KeyFeatures
	}
	if day := v.Fields.ExpirationDate; day != nil {
		i.ExpirationDate = *day
		r.Expiry, r.Warnings = correctedExpiry(r.Expiry, *day), without(r.Warnings, dateWarnings)
	}
}

// namesItself reports whether r names a product in another language than that of v, which corrects no
// name.
func (r *Result) namesItself(v *review.Verdict) bool {
	said := review.Name{ProductName: v.Product.ProductName, Brand: v.Product.Brand}
	return r.Named() &&
		r.Lang != v.Product.Lang && (v.Fields == nil || v.Fields.ProductName == nil) && !said.Same(review.Name{ProductName: r.ProductName, Brand: r.Brand})
}

// Stale reports whether the record of the catalogue that r was answered by is gone, or names another
// product by now.
func (p *Pipeline) Stale(ctx context.Context, r Result) (bool, error) {
	if r = r.Unreviewed(); r.Record == nil || r.Identification == nil {
		return false, nil
	}
	record, err := p.Catalog.ByID(ctx, p.Shop, r.Record.ID)
	if errors.Is(err, catalog.ErrNotFound) {
		return true, nil
	}
	return record.ProductName != r.ProductName || record.Brand != r.Brand, err
}

// correctedExpiry returns day, as an expiration date is written, as a date of the kind that
// was read; nil without one.
func correctedExpiry(read *expiry.Date, day string) *expiry.Date {
	if day == "" {
		return nil
	}
	d := &expiry.Date{Date: strings.ReplaceAll(day, ".", "-"), Precision: expiry.ToDay, Kind: expiry.Expiry}
	if read != nil && read.Kind != "" {
		d.Kind = read.Kind
	}
	return d
}

// reject takes the name from the answer, which is wrong. What else was read stays.
func (r *Result) reject(why string) {
	i := *r.Identification
	i.ProductName, i.ProductNameConfidence = "", 0
	r.Identification, r.Record = &i, nil
	r.Warnings = without(r.Warnings, []string{warnUnconfirmedRecord})
	r.Decision = decidedBy(r.Decision, rowNothing)
	r.doubt(why)
	r.warn(WarnRejectedBefore)
}

// decidedBy returns d with another row.
func decidedBy(d *Decision, by row) *Decision {
	decided := Decision{Suspicions: []Suspicion{}}
	if d != nil {
		decided = *d
	}
	decided.Row = int(by)
	return &decided
}

// without returns warnings without some codes.
func without(warnings, codes []string) []string {
	return slices.DeleteFunc(slices.Clone(warnings), func(w string) bool { return slices.Contains(codes, w) })
}

// Verdict returns what stands of what people say of the photo: accept, correct or reject;
// "" if nothing does.
func (r Result) Verdict() string {
	if r.Reviewed == nil {
		return ""
	}
	return r.Reviewed.Verdict
}
