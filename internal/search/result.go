package search

import (
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/search/query"
)

// A Result is the answer to a search.
type Result struct {
	Products            []Hit      `json:"products"`
	Query               string     `json:"query"`
	NormalizedQuery     string     `json:"normalized_query"`
	Intent              Intent     `json:"intent"`
	SearchType          SearchType `json:"search_type"`
	ExtractedAttributes Attributes `json:"extracted_attributes"`
	RecommendedShapes   []string   `json:"recommended_shapes,omitempty"`
	// Advice is what suits the person that the query or a face analysis speaks of.
	Advice []Advised `json:"advice,omitempty"`
	// Lang is the language of the query, as the model named it or code took it for, and
	// AnswerLang that of the words here, one of Languages.
	Lang           string          `json:"lang,omitempty"`
	AnswerLang     string          `json:"answer_lang,omitempty"`
	IgnoredFilters []IgnoredFilter `json:"ignored_filters"`
	// Relaxed are the filters that were dropped, in order, because nothing matched them.
	Relaxed []string `json:"relaxed"`
	// Exhausted is false if there are further products that were not looked at, so that a
	// filter may have missed some, or a page is short.
	Exhausted bool `json:"exhausted"`
	// Next is the After of a request for the products behind these; "" if there are none.
	Next string `json:"next,omitempty"`
	// Spelled are words of the query that no product has, and those that were searched for instead.
	Spelled []Spelled `json:"spelled,omitempty"`
	// Total is how many products were found, on all pages; if not Exhausted, there are more.
	Total   int     `json:"total"`
	Counts  []Stats `json:"counts,omitempty"`
	Count   int     `json:"count"`
	Summary string  `json:"summary"`
	// Result is what the intent needs besides products.
	Result   Answer   `json:"result"`
	Expected *Rank    `json:"expected,omitempty"` // if the request names an expected product
	Warnings []string `json:"warnings,omitempty"` // codes

	Shop       string     `json:"shop"`
	Session    string     `json:"session,omitempty"` // the conversation, if the request belongs to one
	ModelCalls ModelCalls `json:"model_calls"`
	CostUSD    float64    `json:"cost_usd"`
	Models     []string   `json:"models,omitempty"` // that answered, with versions
}

// ModelCalls counts the charged calls.
type ModelCalls struct {
	Generate int `json:"generate"`
	Embed    int `json:"embed"`
}

// A Hit is a product found.
type Hit struct {
	ProductID string `json:"product_id"`
	Name      string `json:"name"`
	Brand     string `json:"brand"`
	catalog.Price
	Description  string               `json:"description"`
	ImageURL     string               `json:"image_url,omitempty"`
	FrameColor   string               `json:"frame_color"`
	Category     string               `json:"category"`
	Gender       string               `json:"gender"`
	Availability catalog.Availability `json:"availability,omitempty"` // left out if nobody knows
	Stock        *int                 `json:"stock,omitempty"`
	Score        float64              `json:"score"` // -1 to 1: weighted mean of Text and Image
	Text         *float64             `json:"text_score,omitempty"`
	Image        *float64             `json:"image_score,omitempty"`
	Variants     *Variants            `json:"variants,omitempty"` // what else there is of it
	Why          []string             `json:"why"`                // which parts of the request it meets, in words
}

// An Intent is what a user wants from the search.
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

// A SearchType says what the search was by.
type SearchType string

// The types of search.
const (
	ByText    SearchType = "text"
	ByImage   SearchType = "image"
	ByBoth    SearchType = "combined"
	ByNothing SearchType = ""
)

// Attributes are the wanted attributes in a query, as codes of the vocabulary.
type Attributes struct {
	Category      string      `json:"category,omitempty"`
	Gender        string      `json:"gender,omitempty"`
	Brand         string      `json:"brand,omitempty"`
	Color         string      `json:"color,omitempty"`
	FrameMaterial string      `json:"frameMaterial,omitempty"`
	FrameShape    string      `json:"frameShape,omitempty"`
	Price         *PriceRange `json:"price,omitempty"`
	Not           []Exclusion `json:"not,omitempty"`
	// PreferredBrands are listed first, without excluding others.
	PreferredBrands []string `json:"preferred_brands,omitempty"`
	// Or are alternative codes: black or brown.
	Or []Exclusion `json:"or,omitempty"`
	// Preferred are codes of other facets that are listed first.
	Preferred []Exclusion `json:"preferred,omitempty"`
	// More are the codes of all other facets.
	More map[string]string `json:"more,omitempty"`
	// Ranges are bounds of facets with numbers, and of prices where they are in several currencies.
	Ranges  []Bounds `json:"ranges,omitempty"`
	InStock bool     `json:"in_stock,omitempty"`
	Sort    Sort     `json:"sort,omitempty"` // relevance if it is left out
}

// An Exclusion is a code of a facet; in Not, one that a product must not have.
type Exclusion = query.Code

// A PriceRange limits the price of products.
type PriceRange = query.PriceRange

// A Spelled is a word, and that of products which was taken for it.
type Spelled struct {
	Word  string `json:"word"`
	Found string `json:"found"`
}

// An IgnoredFilter is a value without a code.
type IgnoredFilter struct {
	Facet string `json:"facet"`
	Value string `json:"value"`
}

// An Answer is what an intent needs besides products; the intent determines which field is
// set.
type Answer struct {
	Product      *Detail     `json:"product,omitempty"`
	Comparison   *Comparison `json:"comparison,omitempty"`
	FAQ          *FAQ        `json:"faq,omitempty"`
	Facts        []FAQ       `json:"facts,omitempty"` // further ones that the question is about
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

// A Comparison compares products: a row for each attribute, with a value for each product
// in the order of Products.
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

// FAQ answers a question with a quotation from the shop's facts.
type FAQ struct {
	Question string `json:"question"`
	About    string `json:"about"` // the name of the fact
	Quote    string `json:"quote"`
	Source   string `json:"source"`
}

// Stock says whether a product is available.
type Stock struct {
	ProductID    string `json:"product_id"`
	Name         string `json:"name"`
	Availability string `json:"availability"` // in_stock, out_of_stock, preorder, backorder or unknown
	Stock        *int   `json:"stock,omitempty"`
	catalog.Price
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

// A Rank is the rank of an expected product.
type Rank struct {
	ProductID string `json:"product_id"`
	Rank      int    `json:"rank"`                 // from 1; 0 means not found, in an order by price or time up to this page
	RemovedBy string `json:"removed_by,omitempty"` // the filter that it does not match
}

// Filters are the filters for a shop's products.
type Filters struct {
	Shop   string        `json:"shop"`
	Facets []FacetFilter `json:"facets"`
	Prices []PriceRange  `json:"prices"` // the lowest and highest, by currency
}

// A FacetFilter is a facet with its codes, and its names.
type FacetFilter struct {
	Facet string `json:"facet"`
	En    string `json:"en"`
	Vi    string `json:"vi"`
	Ko    string `json:"ko"`
	Unit  string `json:"unit,omitempty"` // of numbers
	// Odd are values that are no number where the others are: no bounds have them.
	Odd    []string      `json:"odd,omitempty"`
	Values []FilterValue `json:"values"`
}

// A FilterValue is a code, its names, and how many products for sale have it.
type FilterValue struct {
	Code  string `json:"code"`
	En    string `json:"en"`
	Vi    string `json:"vi"`
	Ko    string `json:"ko"`
	Count int64  `json:"count"`
}

// A Sort is the order of products.
type Sort string

// The orders.
const (
	ByRelevance Sort = "relevance"
	PriceUp     Sort = "price_up"
	PriceDown   Sort = "price_down"
	Newest      Sort = "newest"
)

// Advised is what suits a face or a skin, by the shop's advice.
type Advised struct {
	Of    string              `json:"of"` // face or skin
	Code  string              `json:"code"`
	Suits map[string][]string `json:"suits"` // codes by facet
	Why   string              `json:"why,omitempty"`
}
