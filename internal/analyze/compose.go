package analyze

import (
	"cmp"
	"slices"
	"strings"

	"example.com/whatis/internal/catalog"
)

// weak bounds the probability of an unidentified product.
const weak = 0.3

// EvidencePerson is the evidence of an answer that a person gave for the same photo.
const EvidencePerson = "a person said what this photo shows"

// result returns the answer of the row that decided, as people say that it is.
func (r *rag) result() Result {
	return r.answer().As(r.verdict)
}

// answer returns the answer of the models and the catalogue. Where a person has said what
// the photo shows it is what was read, as nobody looked further.
func (r *rag) answer() Result {
	a := r.facts.analysis
	out := Result{
		Warnings: r.warnings,
		Decision: &Decision{Row: int(r.row), Suspicions: r.facts.allSuspicions(), Steps: r.steps},
		Side:     a.Side,
		passing:  r.facts.passing, nearDuplicates: slices.ContainsFunc(r.facts.candidates, func(h hit) bool { return h.NearDuplicate }),
	}
	if r.row == rowRejected { // nothing of what a receipt or a letter says is kept
		out.Error, out.Description = NotAProduct, a.Description
		return out
	}
	out.VisibleText = slices.Concat(a.VisibleText, r.reading.injected)
	r.nameCodes(&out)
	if a.ProductsSeen > 1 {
		out.warn(warnMultipleProducts)
	}
	if r.row != rowImage && slices.Contains(r.facts.suspicions, Translated) {
		a = a.untranslated()
	}
	out.Identification = &Identification{
		ProductName: cmp.Or(a.NameLocal, a.ProductName), ProductNameConfidence: a.ProductNameConfidence,
		Category: a.Category,
		Brand:    cmp.Or(a.BrandLocal, a.Brand), BrandConfidence: a.BrandConfidence,
		ImageFeatures: a.ImageFeatures, KeyFeatures: append([]string{}, a.KeyFeatures...),
		ExpirationDate: r.expiry.date.Day(),
		Source:         FromImage,
	}
	r.useRow(&out)
	if a.Side == SideTag {
		out.ProductNameConfidence = min(out.ProductNameConfidence, unprovenCap)
		out.warn(warnPriceTag)
	}
	if r.row == rowNothing && slices.Contains([]Side{SideBack, SideNutrition, SideIngredients, SideCode}, a.Side) {
		out.warn(warnSendFront)
	}
	return out
}

// useRow puts what the row found in the place of what was read, and the doubts that are left.
func (r *rag) useRow(out *Result) {
	a := r.facts.analysis
	if (r.row == rowImage || r.row == rowNothing) && r.facts.judgement == nil && slices.Contains(r.facts.suspicions, BrandOverextended) {
		out.warn(warnBrandMayHoldSubBrand) // the stronger model has not said anything of the brand that is shown
	}
	switch r.row {
	case rowImage:
		if r.facts.brandless() { // no print limits the name
			out.ProductNameConfidence = r.facts.named
			out.warn(warnNoBrandPrinted)
		}
	case rowGTIN:
		if r.facts.shown {
			out.doubt("nothing more was asked: a person has said what this photo shows")
			break
		}
		p, probability := *r.facts.record, 0.95
		if p.Status == catalog.Confirmed {
			probability = 1
		}
		out.useProduct(p, probability, "gtin "+p.GTIN)
	case rowCatalogue:
		c, why := r.facts.picked(), r.facts.judgement.Reason
		probability := c.Score
		if c.Status == catalog.Unconfirmed { // a learnt product is never surer than when it was saved
			probability *= c.Probability
		}
		if c.NearDuplicate {
			why = "near duplicate of " + strings.TrimSpace(c.Brand+" "+c.ProductName) + ": " + why
		}
		out.useProduct(c.Product, probability, why)
	case rowWeb:
		f := r.facts.finding
		out.rename(f.ProductName, f.Brand, f.Category)
		out.setSource(FromGoogleSearch, f.Probability, f.Evidence)
		if f.brandRead {
			out.BrandConfidence = min(out.BrandConfidence, a.BrandConfidence)
		}
		out.Citations, out.SearchSuggestions = r.found.Citations, r.found.SearchSuggestions
	case rowNothing:
		out.doubt(r.whyUnidentified())
		if out.ProductName == "" && r.evidence.Brand != nil {
			out.BrandConfidence = a.BrandConfidence // only the name is missing
		}
	}
}

// nameCodes sets GTINs, expiry date and evidence in out.
func (r *rag) nameCodes(out *Result) {
	all := gtinsOf(r.codes)
	switch {
	case r.gtin() != "":
		out.GTIN = r.gtin()
	case len(all) == 1:
		out.GTIN = all[0]
	}
	if others := gtinsOf(r.otherCodes); len(others) > len(all) {
		all = others
	}
	if len(all) > 1 || len(all) == 1 && out.GTIN == "" {
		out.GTINs = all
	}
	out.Expiry = r.expiry.date
	e := r.evidence
	e.ExpirationDate = r.expiry.quote
	if i := slices.IndexFunc(r.codes, func(c code) bool { return c.gtin == out.GTIN }); i >= 0 && out.GTIN != "" {
		e.GTIN = &r.codes[i].quote
	}
	if e != (Evidence{}) {
		out.Evidence = &e
	}
}

// whyUnidentified returns why the product was not identified. It mentions a search
// only if one was made.
func (r *rag) whyUnidentified() string {
	switch {
	case !r.facts.googled:
		return "there is nothing on the photo to search for"
	case slices.Contains(r.warnings, warnNoWebSearch):
		return "the web was not searched: that is switched off, or the model cannot"
	case slices.Contains(r.warnings, warnSearchRefused):
		return "the model would not search for it"
	case slices.Contains(r.warnings, warnSearchFailed):
		return "the model gave no usable answer about what it found"
	case r.queries == 0:
		return "the web was not searched: the model made no query"
	}
	return "no source names a product that fits"
}

// useProduct sets a product of the catalogue and its record as the answer.
func (r *Result) useProduct(p catalog.Product, probability float64, evidence string) {
	r.rename(p.ProductName, p.Brand, p.Category)
	r.setSource(FromLocalDB, probability, evidence)
	if p.ID == "" { // the product of a near duplicate
		r.NearDuplicate = &NearDuplicate{ID: cmp.Or(p.Provenance...)}
		return
	}
	r.Record = &Record{ID: p.ID, Status: string(p.Status)}
	if p.Status == catalog.Unconfirmed {
		r.warn(warnUnconfirmedRecord)
		if len(p.Provenance) > 0 {
			r.Record.LearnedFrom = p.Provenance[0]
		}
	}
}

// rename sets name and brand from the catalogue or the web; an empty category keeps
// the photo's.
func (i *Identification) rename(name, brand, category string) {
	i.ProductName, i.Brand = name, brand
	if category != "" {
		i.Category = category
	}
}

// setSource sets the source and its probability; both confidences become the
// probability, or 0 for an empty name or brand.
func (i *Identification) setSource(s Source, probability float64, evidence string) {
	method := "local_db_score"
	if s == FromGoogleSearch {
		method = "google_search_estimate"
	}
	i.Source = s
	i.RAGConfidence = &RAGConfidence{Probability: probability, Method: method, Evidence: evidence}
	i.ProductNameConfidence, i.BrandConfidence = probability, probability
	if i.ProductName == "" {
		i.ProductNameConfidence = 0
	}
	if i.Brand == "" {
		i.BrandConfidence = 0
	}
}

// doubt marks the product as unidentified and caps the confidences of what was
// read. The source is google_search, the last in the table.
func (r *Result) doubt(why string) {
	name, brand := r.ProductNameConfidence, r.BrandConfidence
	r.setSource(FromGoogleSearch, min(weak, name), why)
	r.ProductNameConfidence, r.BrandConfidence = min(name, unprovenCap), min(brand, unprovenCap)
	r.warn(WarnUnidentified)
}
