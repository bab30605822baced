package answers

import (
	"fmt"
	"strings"

	"example.com/whatis/emulators/samples"
)

// judgement is the answer of KindJudge, members in the order of the wire.
type judgement struct {
	Seen            string   `json:"seen"`
	NamePrinted     string   `json:"name_as_printed"`
	BrandPrinted    string   `json:"brand_as_printed"`
	SubBrands       []string `json:"sub_brands,omitempty"`
	Category        string   `json:"category"`
	Name            string   `json:"product_name"`
	Brand           string   `json:"brand"`
	NameConfidence  float64  `json:"product_name_confidence"`
	BrandConfidence float64  `json:"brand_confidence"`
	Confirmed       bool     `json:"confirmed"`
	Pick            int      `json:"pick,omitempty"`
	Reason          string   `json:"reason,omitempty"` // of a pick
}

func (a *analyze) judge(seen *observation, g given) judgement {
	j := judgement{Seen: "no text read", SubBrands: []string{}}
	if len(seen.lines) > 0 {
		j.Seen = "text: " + strings.Join(seen.texts(), "; ")
	}
	if seen.sample != nil && seen.sample.Truth.Kind == samples.Product {
		j.byLabel(a.reading(seen.sample.Truth), g)
	}
	if j.Pick > 0 {
		j.Reason = fmt.Sprintf("brand and name of candidate %d are those of the photo", j.Pick)
	}
	if a.Obedient {
		j.applyInjection(seen.wants)
	}
	return j
}

// byLabel reads the label t of a pack, compares the reading and the candidates with
// it, and picks the first candidate that matches. A reading of the legible text alone
// matches too. Without a label the judge knows nothing of a photo.
func (j *judgement) byLabel(t samples.Truth, g given) {
	j.NamePrinted, j.Name, j.NameConfidence = printedName(t), t.Name, t.NameConfidence
	j.BrandPrinted, j.Brand, j.BrandConfidence = t.Brand, t.Brand, t.BrandConfidence
	j.SubBrands, j.Category = append(j.SubBrands, t.SubBrands...), t.Category
	legible := samples.Truth{Brand: t.Brand, Name: t.Name}
	j.Confirmed = t.Is(g.analysis.Brand, g.analysis.Name) || legible.Is(g.analysis.Brand, g.analysis.Name)
	for _, names := range []samples.Truth{t, legible} {
		for _, c := range g.candidates {
			if j.Pick == 0 && names.Is(c.Brand, c.Name) {
				j.Pick = c.Number
			}
		}
	}
}
