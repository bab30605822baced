package analyze

import (
	"fmt"
	"slices"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/fold"
)

// Judgement is what the stronger model answers when it sees the photo, what
// image_analyzer made of it, and the candidates, if there are any.
type Judgement struct {
	Seen        string `json:"seen" jsonschema:"what in the photo decides, in one sentence"`
	ProductName string `json:"product_name" jsonschema:"the product name as you read it yourself, or empty"`
	Brand       string `json:"brand" jsonschema:"the top-level brand as you read it yourself, or empty"`
	Confirmed   bool   `json:"confirmed" jsonschema:"image_analysis names this product and brand rightly"`
	Pick        int    `json:"pick" jsonschema:"the number of the candidate that is this very product, 0 for none"`
	Reason      string `json:"reason" jsonschema:"why, in one sentence"`

	offered int // how many candidates it was shown
}

// check refuses a pick that cannot be a number of a candidate.
func (j *Judgement) check() error {
	if j.Pick < 0 {
		return fmt.Errorf("pick is %d, want 0 or the number of a candidate", j.Pick)
	}
	j.Seen, j.Reason = clean(j.Seen, maxStringRunes), clean(j.Reason, maxStringRunes)
	j.ProductName, j.Brand = clean(j.ProductName, maxProductName), clean(j.Brand, maxProductName)
	return nil
}

// chooses reports that candidate c, of the given number, is the model's choice. A
// pick beyond what was offered is none.
func (j *Judgement) chooses(number int, c catalog.Product) bool {
	if j.offered > 0 {
		return j.Pick == number
	}
	return j.ProductName != "" && fold.String(j.ProductName) == fold.String(c.ProductName) &&
		j.Brand != "" && fold.String(j.Brand) == fold.String(c.Brand)
}

// evidence is why the model chose.
func (j *Judgement) evidence() string {
	if j.offered > 0 {
		return j.Reason
	}
	return "a second look at the photo read this name and this brand"
}

// Finding is what the model makes of a web search's answer.
type Finding struct {
	Found       bool     `json:"found" jsonschema:"the sources name one product that fits the photo"`
	ProductName string   `json:"product_name" jsonschema:"its full name, or empty"`
	Brand       string   `json:"brand" jsonschema:"its top-level brand only, or empty"`
	Category    string   `json:"category" jsonschema:"its category, always in English"`
	Supported   []string `json:"supported" jsonschema:"the key_features of image_analysis that the sources support"`
	Probability float64  `json:"probability" jsonschema:"0 to 1: how likely this is the product in the photo"`
	Evidence    string   `json:"evidence" jsonschema:"what in the sources fits what on the photo, in one sentence"`
}

// check refuses a finding without a name or with an impossible probability.
func (f *Finding) check() error {
	if err := inUnit("probability", f.Probability); err != nil {
		return err
	}
	f.ProductName, f.Brand = clean(f.ProductName, maxProductName), clean(f.Brand, maxProductName)
	f.Category, f.Evidence = clean(f.Category, maxProductName), clean(f.Evidence, maxStringRunes)
	f.Supported = distinct(f.Supported, maxFeatures)
	if f.Found && f.ProductName == "" {
		return fmt.Errorf("found is true and product_name is empty: name the product, or set found to false")
	}
	return nil
}

// unsupported bounds the probability of a finding that confirms none of the
// photo's features.
const unsupported = 0.5

// believable reports that the search found something worth an answer.
func (f *Finding) believable() bool {
	return f != nil && f.Found && f.Probability >= weak
}

// weigh holds the finding to the features that were read from the photo: only
// those can be supported, and without one it is not to be trusted far.
func (f *Finding) weigh(features []string) {
	f.Supported = slices.DeleteFunc(f.Supported, func(s string) bool {
		return !slices.ContainsFunc(features, func(own string) bool { return fold.String(own) == fold.String(s) })
	})
	if len(f.Supported) == 0 {
		f.Probability = min(f.Probability, unsupported)
	}
}
