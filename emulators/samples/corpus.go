package samples

import _ "embed"

// ProductsDB is the catalogue that a local run starts with:
// {"products":[{product_name, brand, category, key_features, gtin, country, lang}]}.
//
//go:embed products_db.json
var ProductsDB []byte

// A Page is a page of the emulated web about a product.
type Page struct {
	URI, Title  string
	Brand, Name string
	Category    string // English
	Features    []string
	Text        string // a few sentences, in the language of the page
}
