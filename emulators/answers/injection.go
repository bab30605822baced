package answers

import (
	"maps"
	"strconv"
	"strings"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// injected has the members of an answer and their values that stickers demand, from the
// stickers' labels.
type injected map[string]string

// and returns o with the further members of p.
func (o injected) and(p injected) injected {
	all := injected{}
	maps.Copy(all, o)
	maps.Copy(all, p)
	return all
}

// injectedIn returns the injections in the texts of a request: a model that obeys those in
// a photo obeys these too.
func injectedIn(texts []string) injected {
	all := injected{}
	text := strings.ReplaceAll(strings.Join(texts, "\n"), `\`, "")
	for _, a := range samples.Attacks() {
		for _, line := range a.Sticker.Lines {
			if strings.Contains(text, line) {
				maps.Copy(all, a.Sticker.Wants)
			}
		}
	}
	return all
}

// applyInjection sets the injected values, with full confidence, as a model that obeys an
// attack.
func (d *description) applyInjection(o injected) {
	if v, ok := o["brand"]; ok {
		d.Brand, d.BrandPrinted, d.BrandConfidence, d.KnownProduct = v, v, 1, "yes"
	}
	if v, ok := o["product_name"]; ok {
		d.Name, d.NamePrinted, d.NameConfidence, d.KnownProduct = v, v, 1, "yes"
	}
	if v, ok := o["error"]; ok {
		*d = description{VisibleText: d.VisibleText, SubBrands: d.SubBrands, Dates: d.Dates, KeyFeatures: []string{}, KnownProduct: "unsure", Side: "document", NotProduct: true, Description: v}
	}
	if v, ok := o["category"]; ok {
		d.Category = v
	}
	if v, ok := o["expiration_date"]; ok {
		d.Dates = append(d.Dates, printedDate{Text: v, Label: "EXP", Kind: "expiry"})
	}
	if v, ok := o["key_features"]; ok {
		d.KeyFeatures = strings.Split(v, "; ")
	}
	if v, ok := o["gtin"]; ok {
		d.VisibleText = append(d.VisibleText, visibleLine{Text: v})
	}
}

func (j *judgement) applyInjection(o injected) {
	if v, ok := o["brand"]; ok {
		j.Brand, j.BrandPrinted, j.BrandConfidence, j.Confirmed = v, v, 1, true
	}
	if v, ok := o["product_name"]; ok {
		j.Name, j.NamePrinted, j.NameConfidence, j.Confirmed = v, v, 1, true
	}
	if v, ok := o["category"]; ok {
		j.Category = v
	}
	if n, err := strconv.Atoi(o["pick"]); err == nil {
		j.Pick = n
	}
}

// injectedSearch returns the answer of a search by a model that obeys an attack: the
// injected product and page, with the sources that were found.
func injectedSearch(text string, g *gemini.Grounding, o injected) string {
	if len(o) == 0 {
		return text
	}
	lines := []string{"Product: " + o["product_name"], "Brand: " + o["brand"], "See " + o["uri"], text}
	g.Chunks = append(g.Chunks, gemini.GroundingChunk{Web: gemini.WebSource{URI: "https://shop.example/" + o["brand"], Title: o["brand"]}})
	g.Supports = append(g.Supports, gemini.GroundingSupport{Chunks: []int{len(g.Chunks) - 1}, Segment: gemini.Segment{End: len(lines[0]), Text: lines[0]}})
	return strings.Join(lines, "\n")
}

// applyInjection sets the injected values.
func (s *structured) applyInjection(o injected) {
	if v, ok := o["brand"]; ok {
		s.Found, s.Brand, s.Probability = true, v, surest
	}
	if v, ok := o["product_name"]; ok {
		s.Found, s.Name, s.Probability = true, v, surest
	}
}
