package samples

import _ "embed"

// OutdoorShop sells tents and the like for dollars; GroceryShop sells food for won, and its
// facets are named in Korean. No vocabulary has their words: what they sell says all.
const (
	OutdoorShop = "outdoor"
	GroceryShop = "grocery"
)

// OutdoorFile and GroceryFile are their products, as CSV for an import.
var (
	//go:embed outdoor.csv
	OutdoorFile []byte
	//go:embed grocery.csv
	GroceryFile []byte
)

// ShopQueriesFile has search queries for these two shops, with the right answer, as QueriesFile.
//
//go:embed shops.jsonl
var ShopQueriesFile []byte
