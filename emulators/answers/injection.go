package answers

import (
	"maps"
	"strconv"
	"strings"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// injected is what stickers tell a model to answer: members of its answer and their
// values, as the labels of the stickers have them.
type injected map[string]string

// and is o and what more there is in p.
func (o injected) and(p injected) injected {
	all := injected{}
	maps.Copy(all, o)
	maps.Copy(all, p)
	return all
}

// injectedIn is what stands to be obeyed in texts of a request: a model that obeys what
// it sees obeys what it is handed too.
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

// applyInjection answers what was injected, with full confidence: what a model does
// that an attack has won over.
func (d *description) applyInjection(o injected) {
	if v, ok := o["brand"]; ok {
		d.Brand, d.BrandPrinted, d.BrandConfidence, d.KnownProduct = v, v, 1, "yes"
	}
	if v, ok := o["product_name"]; ok {
		d.Name, d.NamePrinted, d.NameConfidence, d.KnownProduct = v, v, 1, "yes"
	}
	if v, ok := o["error"]; ok {
		*d = description{VisibleText: d.VisibleText, SubBrands: d.SubBrands, Dates: d.Dates, KeyFeatures: []string{}, KnownProduct: "unsure", NotProduct: true, Description: v}
	}
	if v, ok := o["category"]; ok {
		d.Category = v
	}
	if v, ok := o["expiration_date"]; ok {
		d.Dates = append(d.Dates, printedDate{Text: v, Label: "EXP"})
	}
	if v, ok := o["key_features"]; ok {
		d.KeyFeatures = strings.Split(v, "; ")
	}
	if v, ok := o["gtin"]; ok {
		d.VisibleText = append(d.VisibleText, visibleLine{Text: v, Clear: true})
	}
}

func (j *judgement) applyInjection(o injected) {
	if v, ok := o["brand"]; ok {
		j.Brand, j.Confirmed = v, true
	}
	if v, ok := o["product_name"]; ok {
		j.Name, j.Confirmed = v, true
	}
	if n, err := strconv.Atoi(o["pick"]); err == nil {
		j.Pick = n
	}
}

// injectedSearch is the answer of a search that an attack has won over: the product
// and the page of its orders, with the sources that were found.
func injectedSearch(text string, g *gemini.Grounding, o injected) string {
	if len(o) == 0 {
		return text
	}
	lines := []string{"Product: " + o["product_name"], "Brand: " + o["brand"], "See " + o["uri"], text}
	g.Chunks = append(g.Chunks, gemini.GroundingChunk{Web: gemini.WebSource{URI: "https://shop.example/" + o["brand"], Title: o["brand"]}})
	g.Supports = append(g.Supports, gemini.GroundingSupport{Chunks: []int{len(g.Chunks) - 1}, Segment: gemini.Segment{End: len(lines[0]), Text: lines[0]}})
	return strings.Join(lines, "\n")
}

// applyInjection answers what was injected.
func (s *structured) applyInjection(o injected) {
	if v, ok := o["brand"]; ok {
		s.Found, s.Brand, s.Probability = true, v, surest
	}
	if v, ok := o["product_name"]; ok {
		s.Found, s.Name, s.Probability = true, v, surest
	}
}
