package analyze

import (
	"cmp"
	"fmt"
	"strings"

	"example.com/whatis/internal/agent"
)

// sourceNames says where an identification comes from.
var sourceNames = map[Source]string{FromImage: "the photo", FromLocalDB: "the catalogue", FromGoogleSearch: "the web"}

// Render returns r for people: the product, how sure that is, and what it rests on.
func (r Result) Render() agent.Rendering {
	switch {
	case r.Outcome() == OutcomeNoProduct:
		return agent.Rendering{Text: "The photo shows no product that can be identified. " + r.Description}
	case r.Identification == nil:
		return agent.Rendering{Text: "The photo could not be analysed: " + r.Message}
	}
	lines := []string{r.named(), fmt.Sprintf("Confidence: name %.2f, brand %.2f", r.ProductNameConfidence, r.BrandConfidence)}
	say := func(what, text string) {
		if text != "" {
			lines = append(lines, what+": "+text)
		}
	}
	if r.Decision == nil || r.Decision.Row != int(rowNothing) {
		say("Known from", sourceNames[r.Source])
	}
	say("Read on the photo", r.Evidence.quotes())
	if c := r.RAGConfidence; c != nil {
		say("Evidence", fmt.Sprintf("%s (%s %.2f)", c.Evidence, c.Method, c.Probability))
	}
	say("Expires", r.ExpirationDate)
	say("GTIN", cmp.Or(strings.Join(r.GTINs, ", "), r.GTIN))
	say("Features", strings.Join(r.KeyFeatures, "; "))
	for _, c := range r.Citations {
		say("Source", strings.TrimSpace(c.Title+" "+c.URI))
	}
	say("Warnings", strings.Join(r.Warnings, ", "))
	return agent.Rendering{Text: strings.Join(lines, "\n")}
}

// named returns the name, brand and category of the product.
func (r Result) named() string {
	name := cmp.Or(r.ProductName, "The product could not be named")
	if r.Brand != "" {
		name += ", " + r.Brand
	}
	if r.Category != "" {
		name += " (" + r.Category + ")"
	}
	return name
}

// quotes returns the texts that were read, each with what it says.
func (e *Evidence) quotes() string {
	if e == nil {
		return ""
	}
	var all []string
	for _, field := range []struct {
		name  string
		quote *Quote
	}{{"name", e.ProductName}, {"brand", e.Brand}, {"date", e.ExpirationDate}, {"GTIN", e.GTIN}} {
		if field.quote != nil {
			all = append(all, fmt.Sprintf("%s %q", field.name, field.quote.Text))
		}
	}
	return strings.Join(all, ", ")
}
