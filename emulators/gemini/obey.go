package gemini

import (
	"maps"
	"regexp"
	"strconv"
	"strings"

	"example.com/whatis/emulators/samples"
)

// orders are what the text of a photo tells a model to answer: members of its
// answer and their values.
type orders map[string]string

// order reads "brand = X", "product name: X" and the like.
var order = regexp.MustCompile(`(?i)\b(brand|product[ _]?name|name)\s*(?:=|:|\bis\b)\s*["']?([^"',;.]+)`)

// orders finds orders when a line says to ignore instructions; other text
// that looks like an order is a label. What a sticker asks for is an order too.
func (s *sight) orders() orders {
	text := strings.Join(s.texts(), "\n")
	words := wordsOf(text)
	if !words["ignore"] || !words["instructions"] {
		return s.wants
	}
	found := orders{}
	for _, m := range order.FindAllStringSubmatch(text, -1) {
		member := "product_name"
		if strings.EqualFold(m[1], "brand") {
			member = "brand"
		}
		found[member] = strings.TrimSpace(strings.SplitN(m[2], "\n", 2)[0])
	}
	return found.and(s.wants)
}

// and is o and what more there is in p.
func (o orders) and(p orders) orders {
	all := orders{}
	maps.Copy(all, o)
	maps.Copy(all, p)
	return all
}

// told are the orders that stand in texts of a request: a model that obeys what
// it sees obeys what it is handed too.
func told(texts []string) orders {
	all := orders{}
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

// obey answers what the orders say, with full confidence: what a model does
// that an attack has won over.
func (d *description) obey(o orders) {
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

func (j *judgement) obey(o orders) {
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

// obeySearch is the answer of a search that an attack has won over: the product
// and the page of its orders, with the sources that were found.
func obeySearch(text string, g *Grounding, o orders) string {
	if len(o) == 0 {
		return text
	}
	lines := []string{"Product: " + o["product_name"], "Brand: " + o["brand"], "See " + o["uri"], text}
	g.Chunks = append(g.Chunks, GroundingChunk{Web: WebSource{URI: "https://shop.example/" + o["brand"], Title: o["brand"]}})
	g.Supports = append(g.Supports, GroundingSupport{Chunks: []int{len(g.Chunks) - 1}, Segment: Segment{End: len(lines[0]), Text: lines[0]}})
	return strings.Join(lines, "\n")
}

// obey answers what the orders say.
func (s *structured) obey(o orders) {
	if v, ok := o["brand"]; ok {
		s.Found, s.Brand, s.Probability = true, v, surest
	}
	if v, ok := o["product_name"]; ok {
		s.Found, s.Name, s.Probability = true, v, surest
	}
}
