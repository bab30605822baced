package search

import (
	"cmp"
	"fmt"
	"strings"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/catalog"
)

// Render returns r for people, with links to the pictures of the products: the summary, what
// answers the query, and the products with prices and reasons. IDs are there for whoever goes
// on, such as with like.
func (r Result) Render() agent.Rendering {
	var links []agent.Link
	in := languageOf(r.AnswerLang)
	lines := append([]string{r.Summary}, r.Result.lines(in)...)
	for i, h := range r.Products {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, h.line(in)))
		if h.ImageURL != "" {
			links = append(links, agent.Link{URL: h.ImageURL, Name: h.named(), MediaType: h.pictureType()})
		}
	}
	say := func(holds bool, format string, args ...any) {
		if holds {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	say(r.Next != "", "There are more: after %s", r.Next)
	say(r.Session != "", "Conversation: session %s", r.Session)
	say(len(r.Warnings) > 0, "Warnings: %s", strings.Join(r.Warnings, ", "))
	return agent.Rendering{Text: strings.TrimSpace(strings.Join(lines, "\n")), Links: links}
}

// pictureType returns the media type of a product's picture where it is known: the API sends
// JPEG, what another host sends nobody knows.
func (h Hit) pictureType() string {
	if strings.HasPrefix(h.ImageURL, "/") {
		return "image/jpeg"
	}
	return ""
}

// named returns the name and brand of a product.
func (h Hit) named() string {
	if h.Brand == "" {
		return h.Name
	}
	return h.Name + ", " + h.Brand
}

// line describes a product: name, brand, price, stock, reasons and ID.
func (h Hit) line(in *language) string {
	parts := []string{h.named()}
	if price := h.Price.Text(printer(in.Code)); price != "" {
		parts = append(parts, price)
	}
	switch text := in.Texts[string(h.Availability)]; {
	case h.Stock != nil && h.Availability == catalog.InStock:
		parts = append(parts, fmt.Sprintf("%s: %d", text, *h.Stock))
	case h.Availability != catalog.Unknown:
		parts = append(parts, text)
	}
	if len(h.Why) > 0 {
		parts = append(parts, strings.Join(h.Why, "; "))
	}
	return strings.Join(parts, " · ") + " [product_id " + h.ProductID + "]"
}

// lines returns what answers a query besides products.
func (a Answer) lines(in *language) (lines []string) {
	facts := a.Facts
	if a.FAQ != nil {
		facts = append([]FAQ{*a.FAQ}, facts...)
	}
	for _, f := range facts {
		lines = append(lines, fmt.Sprintf("%s: %q (%s)", f.About, f.Quote, f.Source))
	}
	if a.Product != nil {
		lines = append(lines, strings.TrimSpace(a.Product.Description+" "+strings.Join(a.Product.KeyFeatures, "; ")))
	}
	if a.Comparison != nil {
		for _, row := range a.Comparison.Rows {
			lines = append(lines, row.Attribute+": "+strings.Join(row.Values, " | "))
		}
	}
	for _, s := range a.Availability {
		lines = append(lines, s.Name+": "+cmp.Or(in.Texts[s.Availability], s.Availability))
	}
	if a.Stats != nil {
		for _, c := range a.Stats.Counts {
			if c.Count > 0 {
				lines = append(lines, fmt.Sprintf("%s: %d", c.Label, c.Count))
			}
		}
	}
	if len(a.Suggestions) > 0 {
		lines = append(lines, strings.Join(a.Suggestions, "; "))
	}
	return lines
}
