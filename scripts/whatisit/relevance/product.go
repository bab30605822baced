package relevance

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/money"
	"example.com/whatis/internal/textfold"
)

// A Product is what labels compare of a product. Names are unique within a shop.
type Product struct {
	SKU, Name string
	Price     money.Money
	Stock     int
	Values    map[string][]string // by facet
	Text      string              // by which it is searched
	Frame     samples.Frame       // zero in other shops
}

// products are those of each shop, read once.
var products = sync.OnceValue(func() map[string][]Product {
	all := map[string][]Product{samples.OutdoorShop: read(samples.OutdoorFile), samples.GroceryShop: read(samples.GroceryFile)}
	texts := frameTexts()
	for i, f := range samples.Frames() {
		p := Product{Text: texts[i], SKU: f.SKU, Name: f.Name, Price: money.Money{Amount: float64(f.Price), Currency: "VND"}, Stock: f.Stock, Frame: f, Values: map[string][]string{}}
		for _, facet := range Facets {
			p.Values[facet] = []string{Facet(f, facet)}
		}
		all[samples.EyewearShop] = append(all[samples.EyewearShop], p)
	}
	return all
})

// frameTexts returns the texts by which the frames are searched.
func frameTexts() (texts []string) {
	for line := range bytes.Lines(samples.EyewearFile("")) {
		var r struct {
			Name        string            `json:"product_name"`
			Brand       string            `json:"brand"`
			Category    string            `json:"category"`
			Description string            `json:"description"`
			Features    []string          `json:"key_features"`
			Facets      map[string]string `json:"facets"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			panic(fmt.Sprintf("relevance: %v", err)) // a file of this program
		}
		texts = append(texts, catalog.Product{ProductName: r.Name, Brand: r.Brand, Category: r.Category, Description: r.Description, KeyFeatures: r.Features, Facets: r.Facets}.SearchText())
	}
	return texts
}

// read reads a file of products as an import does: columns facets.* have values between bars.
func read(file []byte) (all []Product) {
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("relevance: %v", err)) // a file of this program
	}
	for _, row := range rows[1:] {
		p := Product{Values: map[string][]string{}}
		searched := catalog.Product{Facets: map[string]string{}}
		for i, column := range rows[0] {
			facet, of := strings.CutPrefix(column, "facets.")
			switch {
			case row[i] == "":
			case of, column == "brand", column == "category":
				p.Values[facet] = strings.Split(row[i], "|")
			case column == "sku":
				p.SKU = row[i]
			case column == "product_name":
				p.Name = row[i]
			case column == "price":
				p.Price.Amount, _ = strconv.ParseFloat(row[i], 64)
			case column == "currency":
				p.Price.Currency = row[i]
			case column == "stock":
				p.Stock, _ = strconv.Atoi(row[i])
			}
			switch {
			case row[i] == "":
			case of:
				searched.Facets[facet] = row[i]
			case column == "product_name":
				searched.ProductName = row[i]
			case column == "brand":
				searched.Brand = row[i]
			case column == "category":
				searched.Category = row[i]
			case column == "description":
				searched.Description = row[i]
			case column == "key_features":
				searched.KeyFeatures = strings.Split(row[i], "|")
			}
		}
		p.Text = searched.SearchText()
		all = append(all, p)
	}
	return all
}

// has reports whether p has one of the codes of a facet.
func (p Product) has(facet string, codes []string) bool {
	return slices.ContainsFunc(p.Values[facet], func(value string) bool {
		return slices.ContainsFunc(codes, func(code string) bool { return textfold.Name(code) == textfold.Name(value) })
	})
}

// within reports whether p has a number of a facet, from low to high: 1.8 kg is 1.8. 0 is no
// bound.
func (p Product) within(facet string, low, high float64) bool {
	return slices.ContainsFunc(p.Values[facet], func(value string) bool {
		number, _, _ := strings.Cut(value, " ")
		n, err := strconv.ParseFloat(number, 64)
		return err == nil && (low == 0 || n >= low) && (high == 0 || n <= high)
	})
}

// Product returns the product of q's shop with that name.
func (q Query) Product(name string) (Product, bool) {
	if i := slices.IndexFunc(q.products(), func(p Product) bool { return p.Name == name }); i >= 0 {
		return q.products()[i], true
	}
	return Product{}, false
}
