package analyze

import "slices"

// weak bounds the probability of a product that nobody knows.
const weak = 0.3

// result is the answer of the row that decided.
func (r *rag) result() Result {
	a := r.facts.analysis
	out := Result{
		Warnings:    r.warnings,
		Decision:    &Decision{Row: int(r.row), Suspicions: append([]Suspicion{}, r.facts.suspicions...)},
		VisibleText: slices.Concat(a.VisibleText, r.look.orders),
	}
	r.nameCodes(&out)
	if r.row == rowRejected {
		out.Error, out.Description = a.Error, a.Description
		return out
	}
	if a.ProductsSeen > 1 {
		out.warn(warnMultipleProducts)
	}
	out.Identification = &Identification{
		ProductName: a.ProductName, ProductNameConfidence: a.ProductNameConfidence,
		Category: a.Category,
		Brand:    cleanBrand(a, r.knownBrand), BrandConfidence: a.BrandConfidence,
		ImageFeatures: a.ImageFeatures, KeyFeatures: append([]string{}, a.KeyFeatures...),
		ExpirationDate: r.ending.day(),
		Source:         FromImage,
	}
	switch r.row {
	case rowGTIN:
		p := r.facts.record
		out.take(p.ProductName, p.Brand, p.Category)
		out.believe(FromLocalDB, 1, "gtin "+p.GTIN)
	case rowCatalogue:
		c := r.facts.picked()
		out.take(c.ProductName, c.Brand, c.Category)
		out.believe(FromLocalDB, c.Score, r.facts.whyPicked(c))
	case rowWeb:
		f := r.facts.finding
		out.take(f.ProductName, f.Brand, f.Category)
		out.believe(FromGoogleSearch, f.Probability, f.Evidence)
		out.Citations, out.SearchSuggestions = r.found.Citations, r.found.SearchSuggestions
	case rowNothing:
		out.believe(FromGoogleSearch, min(weak, a.ProductNameConfidence), r.ignorance())
		out.warn(WarnUnidentified)
	}
	return out
}

// nameCodes puts down what the codes and dates say and what all of it rests on.
func (r *rag) nameCodes(out *Result) {
	all := gtinsOf(r.codes)
	switch {
	case r.gtin() != "":
		out.GTIN = r.gtin()
	case len(all) == 1:
		out.GTIN = all[0]
	}
	if len(all) > 1 {
		out.GTINs = all
	}
	out.Expiry = r.ending.date
	e := r.evidence
	e.ExpirationDate, e.GTIN = r.ending.quote, gtinQuote(r.codes, out.GTIN)
	if e != (Evidence{}) {
		out.Evidence = &e
	}
}

// ignorance says why nobody knows the product.
func (r *rag) ignorance() string {
	if r.facts.googled {
		return "no source names a product that fits"
	}
	return "there is nothing on the photo to search for"
}

// take names the product as the catalogue or the web does, and keeps what the
// photo said where they are silent on the category.
func (i *Identification) take(name, brand, category string) {
	i.ProductName, i.Brand = name, brand
	if category != "" {
		i.Category = category
	}
}

// believe says who decided and how sure that is; both confidences become the
// probability, that of an empty name or brand 0.
func (i *Identification) believe(s Source, probability float64, evidence string) {
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
