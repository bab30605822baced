package review_test

import (
	"context"
	"encoding/csv"
	"strings"
	"testing"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
)

var kim = review.Signature{By: "kim"}

// named are the names, brands and codes of the records that a search selects.
func (b *bench) named(q review.Search) string {
	b.Helper()
	q.Limit = 20
	all, _, err := b.Browse(b.Context(), q)
	if err != nil {
		b.Fatal(err)
	}
	var lines []string
	for i := len(all) - 1; i >= 0; i-- {
		lines = append(lines, strings.TrimSpace(all[i].ProductName+" of "+all[i].Brand+" "+strings.TrimLeft(all[i].GTIN, "0")))
	}
	return strings.Join(lines, ", ")
}

// A brand is renamed on all its records, however it is spelled there, and imports keep the new name.
func TestBrandIsRenamed(t *testing.T) {
	b := open(t)
	lotte := []string{fed("Luna", `,"sku":"S-1"`), strings.Replace(fed("Sol", `,"sku":"S-2"`), "Lotte", "LOTTE", 1), strings.Replace(fed("Mar", `,"sku":"S-3"`), "Lotte", "Haetsal", 1)}
	b.feed(catalog.Imported, lotte...)
	for range 2 { // the second time a file brings the former name again
		changed, more, err := b.RenameBrand(b.Context(), shop, "lotte", "Lotte Foods", kim)
		if err != nil || more {
			t.Fatalf("renamed %d, more %t, %v", changed, more, err)
		}
		if got, want := b.named(review.Search{}), "Luna of Lotte Foods, Sol of Lotte Foods, Mar of Haetsal"; got != want {
			t.Errorf("the records are %s; want %s", got, want)
		}
		b.feed(catalog.Imported, lotte...)
	}
	if got, want := b.named(review.Search{Brand: "lotte  FOODS"}), "Luna of Lotte Foods, Sol of Lotte Foods"; got != want {
		t.Errorf("the brand's records are %s; want %s", got, want)
	}
	changed, _, err := b.RenameBrand(b.Context(), shop, "lotte foods", "LOTTE Foods", kim) // another spelling, which folds alike
	if err != nil || changed != 2 {
		t.Errorf("another spelling changes %d, %v; want two", changed, err)
	}
}

// Of two records that are merged one stays, with the other's names and code.
func TestMergedRecords(t *testing.T) {
	b := open(t)
	b.feed(catalog.Imported, fed("Luna", `,"sku":"S-1"`), strings.Replace(fed("Luna tea 500 ml", `,"sku":"S-9","gtin":"9520011000017"`), "Lotte", "Haetsal", 1), fed("Sol", `,"gtin":"9520011000024"`))
	ids := map[string]string{}
	all, _, err := b.Browse(b.Context(), review.Search{Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		ids[p.ProductName] = p.ID
	}
	for _, words := range []string{"", "luna"} {
		if got, want := b.named(review.Search{NoGTIN: true, Words: words}), "Luna of Lotte"; got != want {
			t.Errorf("without a code and with %q are %s; want %s", words, got, want)
		}
	}
	p, err := b.Merge(b.Context(), ids["Luna tea 500 ml"], ids["Luna"], kim)
	if err != nil || strings.Join(p.Aliases, "|") != "Luna tea 500 ml" || strings.Join(p.BrandAliases, "|") != "Haetsal" || p.GTIN != gtin1 {
		t.Errorf("merged: %q, %q, code %s, %v; want the other's name, brand and code", p.Aliases, p.BrandAliases, p.GTIN, err)
	}
	if got, want := b.named(review.Search{}), "Luna of Lotte 9520011000017, Sol of Lotte 9520011000024"; got != want {
		t.Errorf("the records are %s; want %s", got, want)
	}
	for _, into := range []string{ids["Sol"], ids["Luna"], ids["Luna tea 500 ml"]} { // another code, itself, gone
		if _, err := b.Merge(b.Context(), ids["Luna"], into, kim); err == nil {
			t.Errorf("it is merged into %s, too", into)
		}
	}
	if got, want := b.named(review.Search{}), "Luna of Lotte 9520011000017, Sol of Lotte 9520011000024"; got != want {
		t.Errorf("after merges that are refused the records are %s; want %s", got, want)
	}
}

// A shop that is written as a table and read again has the same products.
func TestTableOfTheCatalogue(t *testing.T) {
	b := open(t)
	b.feed(catalog.Imported,
		fed("Luna", `,"sku":"S-1","gtin":"9520011000017","price":12.5,"currency":"USD","stock":0,"facets":{"color":"black|white","size":"M"},"description":"a \"tea\",\nof two lines"`),
		fed("Sol", `,"sku":"S-2","aliases":["Sun","Soleil"],"brand_aliases":["Lotte Co"],"for_sale":false,"variant_of":"S"`))
	table := func() string {
		var out strings.Builder
		if err := b.catalog.WriteCSV(t.Context(), &out, shop, ""); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	before := table()
	rows, err := csv.NewReader(strings.NewReader(before)).ReadAll()
	if err != nil || len(rows) != 3 || strings.Join(rows[0][len(rows[0])-2:], " ") != "facets.color facets.size" {
		t.Fatalf("the table is %q, %v; want two products and their facets", rows, err)
	}
	im := b.importer()
	seen := map[catalog.Effect]int{}
	im.Differ = func(d catalog.Difference) {
		if seen[d.What]++; d.What != catalog.Same {
			t.Errorf("read again: %s %+v", d.What, d.Fields)
		}
	}
	if _, err := im.Run(context.Background(), strings.NewReader(before)); err != nil || seen[catalog.Same] != 2 {
		t.Errorf("read again: %v, %v; want both the same", seen, err)
	}
}
