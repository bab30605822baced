package relevance

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/textfold"
)

// A Product is what labels compare of a product. Names are unique within a shop.
type Product struct {
	SKU, Name string
	Price     float64
	Stock     int
	Values    map[string][]string // by facet
	Frame     samples.Frame       // zero in other shops
}

// products are those of each shop, read once.
var products = sync.OnceValue(func() map[string][]Product {
	all := map[string][]Product{samples.OutdoorShop: read(samples.OutdoorFile), samples.GroceryShop: read(samples.GroceryFile)}
	for _, f := range samples.Frames() {
		p := Product{SKU: f.SKU, Name: f.Name, Price: float64(f.Price), Stock: f.Stock, Frame: f, Values: map[string][]string{}}
		for _, facet := range Facets {
			p.Values[facet] = []string{Facet(f, facet)}
		}
		all[samples.EyewearShop] = append(all[samples.EyewearShop], p)
	}
	return all
})

// read reads a file of products as an import does: columns facets.* have values between bars.
func read(file []byte) (all []Product) {
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("relevance: %v", err)) // a file of this program
	}
	for _, row := range rows[1:] {
		p := Product{Values: map[string][]string{}}
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
				p.Price, _ = strconv.ParseFloat(row[i], 64)
			case column == "stock":
				p.Stock, _ = strconv.Atoi(row[i])
			}
		}
		all = append(all, p)
	}
	return all
}

// has reports whether p has one of the codes of a facet.
func (p Product) has(facet string, codes []string) bool {
	return slices.ContainsFunc(p.Values[facet], func(value string) bool {
		return slices.ContainsFunc(codes, func(code string) bool { return textfold.Value(code) == textfold.Value(value) })
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
