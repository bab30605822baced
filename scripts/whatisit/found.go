package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	printing "golang.org/x/text/message"

	"example.com/whatis/internal/search"
)

// found prints a result: the products as a table, and the other data of its intent.
// Ignored and dropped filters are printed on standard error.
func (c *console) found(r search.Result) error {
	c.say("%s · %s · shop %s", r.Intent, cmp.Or(string(r.SearchType), "no search"), r.Shop)
	for _, line := range caveats(r) {
		c.say("%s", line)
	}
	c.say("%s", r.Summary)
	var table table
	answered(&table, r.Result)
	if len(r.Products) > 0 && r.Result.Comparison == nil {
		table.row("", "SCORE", "PRODUCT", "PRICE", "WHY", "ID")
		for i, p := range r.Products {
			table.row(strconv.Itoa(i+1), fmt.Sprintf("%.2f", p.Score), named(p), p.Price.Text(english), strings.Join(p.Why, "; "), p.ProductID)
		}
	}
	if err := table.print(c.out); err != nil {
		return err
	}
	c.say("%d generate, %d embed, $%.4f", r.ModelCalls.Generate, r.ModelCalls.Embed, r.CostUSD)
	return nil
}

func named(p search.Hit) string {
	if p.Brand == "" {
		return p.Name
	}
	return p.Name + ", " + p.Brand
}

// caveats lists ignored and dropped filters, and warnings.
func caveats(r search.Result) (lines []string) {
	for _, f := range r.IgnoredFilters {
		lines = append(lines, fmt.Sprintf("ignored: %s %q, which this shop does not have", f.Facet, f.Value))
	}
	if len(r.Relaxed) > 0 {
		lines = append(lines, "dropped filters, as no product matched all: "+strings.Join(r.Relaxed, ", "))
	}
	if len(r.RecommendedShapes) > 0 {
		lines = append(lines, "recommended for the face: "+strings.Join(r.RecommendedShapes, ", "))
	}
	if !r.Exhausted {
		lines = append(lines, "the search stopped at its limit: there are more products")
	}
	if r.Expected != nil {
		lines = append(lines, expected(*r.Expected))
	}
	for _, code := range r.Warnings {
		if code != "emulated_model" { // the banner says it
			lines = append(lines, "warning: "+code)
		}
	}
	return lines
}

func expected(e search.Rank) string {
	switch {
	case e.Rank > 0:
		return fmt.Sprintf("%s has rank %d", e.ProductID, e.Rank)
	case e.RemovedBy != "":
		return fmt.Sprintf("%s was removed by %s", e.ProductID, e.RemovedBy)
	}
	return e.ProductID + " was not found"
}

// answered adds the data of an intent other than products to t.
func answered(t *table, a search.Answer) {
	if p := a.Product; p != nil {
		for _, field := range [][2]string{{"brand", p.Brand}, {"sku", p.SKU}, {"gtin", p.GTIN}, {"description", p.Description}, {"features", strings.Join(p.KeyFeatures, ", ")}} {
			if field[1] != "" {
				t.row(field[0], field[1])
			}
		}
	}
	if c := a.Comparison; c != nil {
		for _, r := range c.Rows {
			t.row(append([]string{r.Attribute}, r.Values...)...)
		}
	}
	if f := a.FAQ; f != nil {
		t.row("“" + f.Quote + "”")
		t.row("  " + f.Source)
	}
	for _, s := range a.Availability {
		t.row(s.Name, inStock(s), s.Price.Text(english))
	}
	if s := a.Stats; s != nil {
		for _, n := range s.Counts {
			t.row(n.Label, strconv.FormatInt(n.Count, 10))
		}
		t.row("all", strconv.FormatInt(s.Total, 10))
	}
	for _, s := range a.Suggestions {
		t.row("try: " + s)
	}
}

func inStock(s search.Stock) string {
	switch {
	case s.Stock != nil && s.Availability == "in_stock":
		return fmt.Sprintf("%d in stock", *s.Stock)
	case s.Availability == "unknown":
		return "stock unknown"
	}
	return strings.ReplaceAll(s.Availability, "_", " ")
}

// english writes amounts: 1,290,000 VND.
var english = printing.NewPrinter(language.English)
