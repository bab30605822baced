package search

import (
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search/query"
)

// A Result is what was found.
type Result struct {
	Products            []Hit           `json:"products"`
	Query               string          `json:"query"`
	NormalizedQuery     string          `json:"normalized_query"`
	Intent              Intent          `json:"intent"`
	SearchType          SearchType      `json:"search_type"`
	ExtractedAttributes Attributes      `json:"extracted_attributes"`
	RecommendedShapes   []string        `json:"recommended_shapes,omitempty"`
	IgnoredFilters      []IgnoredFilter `json:"ignored_filters"`
	// Relaxed are the filters that were given up, in this order, as nothing was found
	// under them.
	Relaxed []string `json:"relaxed"`
	// Exhausted is false where more products stand behind those that were looked
	// through, so that a filter may have missed some.
	Exhausted bool   `json:"exhausted"`
	Count     int    `json:"count"`
	Summary   string `json:"summary"`
	// Result is what the intent asks for beside products.
	Result   Answer   `json:"result"`
	Expected *Rank    `json:"expected,omitempty"` // where the request names a product to expect
	Warnings []string `json:"warnings,omitempty"` // codes

	Shop       string     `json:"shop"`
	ModelCalls ModelCalls `json:"model_calls"`
	CostUSD    float64    `json:"cost_usd"`
	Models     []string   `json:"models,omitempty"` // those that answered, with their versions
}

// ModelCalls counts what was paid for.
type ModelCalls struct {
	Generate int `json:"generate"`
	Embed    int `json:"embed"`
}

// A Hit is a product that was found.
type Hit struct {
	ProductID   string   `json:"product_id"`
	Name        string   `json:"name"`
	Brand       string   `json:"brand"`
	Price       float64  `json:"price,omitempty"`
	Currency    string   `json:"currency,omitempty"`
	Description string   `json:"description"`
	ImageURL    string   `json:"image_url,omitempty"`
	FrameColor  string   `json:"frame_color"`
	Category    string   `json:"category"`
	Gender      string   `json:"gender"`
	Stock       *int     `json:"stock,omitempty"`
	Score       float64  `json:"score"` // -1 to 1: the weighted mean of Text and Image
	Text        *float64 `json:"text_score,omitempty"`
	Image       *float64 `json:"image_score,omitempty"`
	Why         []string `json:"why"` // what of the request it meets, in words
}

// An Intent is what somebody wants of the search.
type Intent string

// The intents.
const (
	SearchProduct    Intent = "search_product"
	FilterByFeature  Intent = "filter_by_feature"
	Recommendation   Intent = "recommendation_request"
	ProductDetail    Intent = "product_detail"
	CompareProducts  Intent = "compare_products"
	MaterialQuestion Intent = "faq_about_material"
	Availability     Intent = "availability_check"
	CategoryStats    Intent = "product_category_stats"
	UnknownIntent    Intent = "unknown"
)

// A SearchType says what was searched by.
type SearchType string

// The types of search.
const (
	ByText    SearchType = "text"
	ByImage   SearchType = "image"
	ByBoth    SearchType = "combined"
	ByNothing SearchType = ""
)

// Attributes are what a query says of the products it wants, as codes of the vocabulary.
type Attributes struct {
	Category      string      `json:"category,omitempty"`
	Gender        string      `json:"gender,omitempty"`
	Brand         string      `json:"brand,omitempty"`
	Color         string      `json:"color,omitempty"`
	FrameMaterial string      `json:"frameMaterial,omitempty"`
	FrameShape    string      `json:"frameShape,omitempty"`
	Price         *PriceRange `json:"price,omitempty"`
	Not           []Exclusion `json:"not,omitempty"`
	// PreferredBrands come first, and exclude no other.
	PreferredBrands []string `json:"preferred_brands,omitempty"`
	// Or are further codes that will do as well: black or brown.
	Or []Exclusion `json:"or,omitempty"`
	// More are the codes of facets that only other vocabularies have.
	More map[string]string `json:"more,omitempty"`
}

// An Exclusion is a code of a facet: in Not what a product must not be.
type Exclusion = query.Code

// A PriceRange bounds the price of what is looked for.
type PriceRange = query.PriceRange

// An IgnoredFilter is a value that no code stands for.
type IgnoredFilter struct {
	Facet string `json:"facet"`
	Value string `json:"value"`
}

// An Answer is what an intent asks for beside products; one field is set, by the intent.
type Answer struct {
	Product      *Detail     `json:"product,omitempty"`
	Comparison   *Comparison `json:"comparison,omitempty"`
	FAQ          *FAQ        `json:"faq,omitempty"`
	Availability []Stock     `json:"availability,omitempty"`
	Stats        *Stats      `json:"stats,omitempty"`
	Suggestions  []string    `json:"suggestions,omitempty"`
}

// A Detail is the full record of a product.
type Detail struct {
	Hit
	SKU         string            `json:"sku,omitempty"`
	GTIN        string            `json:"gtin,omitempty"`
	KeyFeatures []string          `json:"key_features,omitempty"`
	Facets      map[string]string `json:"facets,omitempty"`
	Status      catalog.Status    `json:"status"`
}

// A Comparison has products side by side: a row for each attribute, a value for each
// product in the order of Products.
type Comparison struct {
	Products   []string        `json:"products"` // IDs
	Attributes []string        `json:"attributes"`
	Rows       []ComparisonRow `json:"rows"`
}

// A ComparisonRow is one attribute of the compared products.
type ComparisonRow struct {
	Attribute string   `json:"attribute"`
	Values    []string `json:"values"`
	Differ    bool     `json:"differ"`
}

// FAQ answers a question about materials with a quote.
type FAQ struct {
	Question string `json:"question"`
	Quote    string `json:"quote"`
	Source   string `json:"source"`
}

// Stock is whether a product can be had.
type Stock struct {
	ProductID string  `json:"product_id"`
	Name      string  `json:"name"`
	Available string  `json:"available"` // yes, no or unknown
	Stock     *int    `json:"stock,omitempty"`
	Price     float64 `json:"price,omitempty"`
	Currency  string  `json:"currency,omitempty"`
}

// Stats counts the products of a shop by the codes of a facet.
type Stats struct {
	Facet  string       `json:"facet"`
	Total  int64        `json:"total"`
	Counts []FacetCount `json:"counts"`
}

// A FacetCount is how many products have a code.
type FacetCount struct {
	Code  string `json:"code"`
	Label string `json:"label"`
	Count int64  `json:"count"`
}

// A Rank is where an expected product stands.
type Rank struct {
	ProductID string `json:"product_id"`
	Rank      int    `json:"rank"`                 // from 1; 0 is not found
	RemovedBy string `json:"removed_by,omitempty"` // the filter that it does not meet
}

// Filters are what a shop's products can be filtered by.
type Filters struct {
	Shop   string        `json:"shop"`
	Facets []FacetFilter `json:"facets"`
}

// A FacetFilter is a facet with its codes.
type FacetFilter struct {
	Facet  string        `json:"facet"`
	Values []FilterValue `json:"values"`
}

// A FilterValue is a code and what it is called.
type FilterValue struct {
	Code string `json:"code"`
	En   string `json:"en"`
	Vi   string `json:"vi"`
}
