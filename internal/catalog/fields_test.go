package catalog

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// recordFields are fields of an exported record that a file of products cannot set, or only when
// an export is restored.
var recordFields = []string{
	"id", "uuid", "shop", "identity", "status", "source", "provenance", "probability", "embedder", "created_at", "imported_at", "record_digest", "confirmed_by", "confirmed_verified", "reviewed", "no_gtin", "photos", "hidden", "before",
}

// Every field of a record is in the documented table, in its words, or is of exports alone.
func TestProductFieldsAreDocumented(t *testing.T) {
	var names []string
	docs, err := os.ReadFile("../../docs/catalogue.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ProductFields {
		name, _, _ := strings.Cut(f.Name, ".")
		names = append(names, name)
		if row := "| `" + f.Name + "` | " + strings.ReplaceAll(f.Meaning, "|", `\|`) + " |\n"; !strings.Contains(string(docs), row) {
			t.Errorf("docs/catalogue.md lacks the row %s", row)
		}
	}
	for _, name := range fileFields {
		if slices.Contains(names, name) == slices.Contains(recordFields, name) {
			t.Errorf("the field %s of a record: want it either in ProductFields or in recordFields", name)
		}
	}
	for _, name := range names {
		if !slices.Contains(fileFields, name) {
			t.Errorf("ProductFields has %s, which no record has", name)
		}
	}
}

// The feed of the documents is read as they say.
func TestExampleOfAFeed(t *testing.T) {
	docs, err := os.ReadFile("../../docs/catalogue.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(docs), "```xml\n")
	example, _, _ = strings.Cut(example, "```")
	all, faults, err := readAll(t, []byte(example), Format{})
	if err != nil || len(faults) > 0 || len(all) != 1 {
		t.Fatalf("the feed holds %+v, %+v, %v", all, faults, err)
	}
	if p := all[0]; p.SKU != "T-2-G" || p.Amount != 199 || p.Availability != InStock || p.Stock != nil || p.Category != "Tent" || p.VariantOf != "T-2" || p.Facets["color"] != "Green|Grey" {
		t.Errorf("the feed holds %+v", p)
	}
}

// The example of the documents is read without a fault, and its values are those that it shows.
func TestExampleOfTheFields(t *testing.T) {
	docs, err := os.ReadFile("../../docs/catalogue.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(docs), "```csv\n")
	example, _, _ = strings.Cut(example, "```")
	var products []Product
	for p, err := range ReadProducts(strings.NewReader(example), Format{}, func(f Fault) { t.Errorf("fault %+v", f) }) {
		if err != nil {
			t.Fatal(err)
		}
		products = append(products, p)
	}
	if len(products) != 2 || products[1].SKU != "T-2-BW" || products[1].Amount != 249 || products[1].Stock == nil || *products[1].Stock != 0 || products[1].Facets["color"] != "black|white" {
		t.Errorf("the example holds %+v", products)
	}
}
