package gemini

import (
	"regexp"
	"strings"
)

// orders are what the text of a photo tells a model to answer: members of its
// answer and their values.
type orders map[string]string

// order reads "brand = X", "product name: X" and the like.
var order = regexp.MustCompile(`(?i)\b(brand|product[ _]?name|name)\s*(?:=|:|\bis\b)\s*["']?([^"',;.]+)`)

// orders finds orders when a line says to ignore instructions; other text
// that looks like an order is a label.
func (s *sight) orders() orders {
	text := strings.Join(s.texts(), "\n")
	words := wordsOf(text)
	if !words["ignore"] || !words["instructions"] {
		return nil
	}
	found := orders{}
	for _, m := range order.FindAllStringSubmatch(text, -1) {
		member := "product_name"
		if strings.EqualFold(m[1], "brand") {
			member = "brand"
		}
		found[member] = strings.TrimSpace(strings.SplitN(m[2], "\n", 2)[0])
	}
	return found
}

// obey answers what the orders say, with full confidence: what a model does
// that an attack has won over.
func (d *description) obey(o orders) {
	if v, ok := o["brand"]; ok {
		d.Brand, d.BrandConfidence, d.KnownProduct = v, 1, "yes"
	}
	if v, ok := o["product_name"]; ok {
		d.Name, d.NameConfidence, d.KnownProduct = v, 1, "yes"
	}
}

func (j *judgement) obey(o orders) {
	if v, ok := o["brand"]; ok {
		j.Brand, j.Confirmed = v, true
	}
	if v, ok := o["product_name"]; ok {
		j.Name, j.Confirmed = v, true
	}
}
