package analyze

import (
	"fmt"
	"slices"

	"example.com/whatis/internal/textfold"
)

// Judgement is the stronger model's answer about the photo, image_analyzer's
// analysis, and the candidates, if there are any: a reading of its own, and what
// follows from it.
type Judgement struct {
	Seen                  string   `json:"seen" jsonschema:"what in the photo decides, quoted, in one sentence"`
	NameAsPrinted         string   `json:"name_as_printed" jsonschema:"the product name exactly as printed, or empty"`
	BrandAsPrinted        string   `json:"brand_as_printed" jsonschema:"the brand exactly as printed, or empty"`
	SubBrands             []string `json:"sub_brands" maxItems:"20" jsonschema:"sub-brands and product lines, never the maker itself"`
	Category              string   `json:"category" jsonschema:"product category, always in English"`
	ProductName           string   `json:"product_name" jsonschema:"the product name as you read it yourself, or empty"`
	Brand                 string   `json:"brand" jsonschema:"the top-level brand as you read it yourself, or empty"`
	NameLocal             string   `json:"name_local,omitempty" jsonschema:"product_name in the language of the request, only where the print is in another"`
	BrandLocal            string   `json:"brand_local,omitempty" jsonschema:"brand in the language of the request, only where the print is in another"`
	Dates                 []Date   `json:"dates,omitempty" maxItems:"20" jsonschema:"the dates of which a doubt speaks"`
	ProductNameConfidence float64  `json:"product_name_confidence" minimum:"0" maximum:"1" jsonschema:"0 to 1"`
	BrandConfidence       float64  `json:"brand_confidence" minimum:"0" maximum:"1" jsonschema:"0 to 1"`
	Confirmed             bool     `json:"confirmed" jsonschema:"image_analysis names this product and brand rightly"`
	Pick                  int      `json:"pick" minimum:"0" jsonschema:"the number of the candidate that is this very product, 0 for none"`
	Reason                string   `json:"reason" jsonschema:"why, in one sentence"`

	offered int // how many candidates the model was shown
}

// check tidies the answer.
func (j *Judgement) check() error {
	j.Seen, j.Reason = clean(j.Seen, maxStringRunes), clean(j.Reason, maxStringRunes)
	for _, s := range []*string{&j.NameAsPrinted, &j.BrandAsPrinted, &j.Category, &j.ProductName, &j.Brand, &j.NameLocal, &j.BrandLocal} {
		*s = clean(*s, maxProductName)
	}
	j.SubBrands = distinct(j.SubBrands, len(j.SubBrands))
	return nil
}

// reads reports whether the judgement names a product or brand.
func (j *Judgement) reads() bool { return j != nil && (j.ProductName != "" || j.Brand != "") }

// Finding is the structured answer of a web search.
type Finding struct {
	Evidence    string   `json:"evidence" jsonschema:"what in the sources fits what on the photo, in one sentence"`
	Supported   []string `json:"supported" maxItems:"20" jsonschema:"the key_features of image_analysis that the sources support, at most 20"`
	ProductName string   `json:"product_name" jsonschema:"its full name, or empty"`
	Brand       string   `json:"brand" jsonschema:"its top-level brand only, or empty"`
	Category    string   `json:"category" jsonschema:"its category, always in English"`
	Found       bool     `json:"found" jsonschema:"the sources name one product that fits the photo"`
	Probability float64  `json:"probability" minimum:"0" maximum:"1" jsonschema:"0 to 1: how likely this is the product in the photo"`
	SearchAgain string   `json:"search_again,omitempty" jsonschema:"the words of one more search that may find it, only if this one found nothing"`

	carried     bool // a passage of a source supports the answer
	contradicts bool // it names another brand or product than the print
	fuller      bool // its name has words that were not read
	brandRead   bool // the search named no brand: it is the one that was read
}

// check refuses a finding without a product name.
func (f *Finding) check() error {
	f.ProductName, f.Brand = clean(f.ProductName, maxProductName), clean(f.Brand, maxProductName)
	f.Category, f.Evidence = clean(f.Category, maxProductName), clean(f.Evidence, maxStringRunes)
	f.Supported, f.SearchAgain = distinct(f.Supported, maxFeatures), clean(f.SearchAgain, maxProductName)
	if f.Found && f.ProductName == "" {
		return fmt.Errorf("found is true and product_name is empty: name the product, or set found to false")
	}
	return nil
}

// unsupported bounds the probability of a finding that no source's text supports,
// or that confirms none of the photo's features.
const unsupported = 0.5

// believable reports whether the search found a product with enough probability.
func (f *Finding) believable() bool {
	return f != nil && f.Found && f.Probability >= weak
}

// holdToSources removes supported features that were not read from the photo. If
// none is left, or no passage of a source supports the answer (carried), it caps
// the probability, and the finding is not learnt.
func (f *Finding) holdToSources(features []string, carried bool) {
	f.Supported = slices.DeleteFunc(f.Supported, func(s string) bool {
		return !slices.ContainsFunc(features, func(own string) bool { return textfold.String(own) == textfold.String(s) })
	})
	f.carried = carried
	if len(f.Supported) == 0 || !carried {
		f.Probability = min(f.Probability, unsupported)
	}
}

// learnable reports whether the finding may be saved to the catalogue.
func (f *Finding) learnable() bool {
	return f.carried && !f.contradicts && !f.fuller && len(f.Supported) > 0
}
