package samples

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// QueriesFile has search queries for the shop of the frames, one JSON object a line, with
// the right answer. UnknownWords marks queries in words that no vocabulary and no emulated
// model knows: only a perfect model understands them.
//
//go:embed queries.jsonl
var QueriesFile []byte

// UnknownWords is the group of those queries.
const UnknownWords = "unknown words"

// IntentsFile has queries whose answer is more than products that are right, and forms of
// queries.
//
//go:embed intents.jsonl
var IntentsFile []byte

// A Meaning is the meaning of a search query: codes of facets, as "round|oval" if any of them
// matches.
type Meaning struct {
	Group    string            `json:"group"`
	Shop     string            `json:"shop"`  // "" is the shop of the frames
	Query    string            `json:"query"` // {product} stands for the name or number of a product
	Lang     string            `json:"lang"`
	Intent   string            `json:"intent"`
	Want     map[string]string `json:"want"`
	Not      map[string]string `json:"not"`
	Prefer   map[string]string `json:"prefer"`
	Unsaid   []string          `json:"unsaid"` // facets of Want that the words do not say
	SKUs     []string          `json:"skus"`
	Compared map[string]string `json:"compared"`
	Counted  string            `json:"counted"`
	Person   map[string]string `json:"person"` // face and skin
	About    []string          `json:"about"`  // facts of the shop
	Sort     string            `json:"sort"`
	InStock  bool              `json:"in_stock"`
	Meant    string            `json:"meant"`
	Nothing  bool              `json:"nothing"` // the shop sells nothing of the kind
	Price    struct {
		Min, Max float64
		Currency string
	}
	// Ranges are bounds of facets with numbers: two numbers, 0 for no bound.
	Ranges map[string][2]float64 `json:"ranges"`

	// Of a query that speaks of what was asked and shown before: After are the queries before,
	// Keep says that what was wanted before still is, but for the facets of Want; Shown are
	// the numbers of the products that it speaks of, Reference how, and NotShown facets whose
	// values of the first of them are unwanted.
	After     []string `json:"after"`
	Keep      bool     `json:"keep"`
	Shown     []int    `json:"shown"`
	Reference string   `json:"reference"`
	NotShown  []string `json:"not_shown"`

	// Products are the names and numbers in the places of {product}.
	Products []string `json:"-"`
}

// MeaningOf returns the label of a query, ignoring case and spaces.
func MeaningOf(query string) (Meaning, bool) {
	words := strings.Fields(query)
	if m, ok := meanings().whole[key(words)]; ok {
		return m, true
	}
	for _, m := range meanings().forms {
		if products, ok := placesIn(m.Query, product, words); ok {
			m.Products = products
			return m, true
		}
	}
	return Meaning{}, false
}

func key(words []string) string { return strings.ToLower(strings.Join(words, " ")) }

// product is the placeholder of a product's name in a label.
const product = "{product}"

// placesIn returns the texts in words at a label's placeholders mark, if the other words are
// the label's, ignoring case.
func placesIn(label, mark string, words []string) (names []string, ok bool) {
	rest, written := key(words), strings.Join(words, " ")
	if len(rest) != len(written) { // a few letters are longer in lower case
		written = rest
	}
	parts := strings.Split(strings.ToLower(label), mark)
	for i, part := range parts {
		at := strings.Index(rest, part)
		if i == len(parts)-1 {
			at = len(rest) - len(part)
		}
		if at < 0 || i == 0 && at > 0 || i > 0 && at == 0 || rest[at:at+len(part)] != part {
			return nil, false
		}
		if i > 0 {
			names = append(names, written[:at])
		}
		rest, written = rest[at+len(part):], written[at+len(part):]
	}
	return names, rest == ""
}

// labelledQueries are all labels: of whole queries, and forms with placeholders.
type labelledQueries struct {
	whole map[string]Meaning
	forms []Meaning
}

var meanings = sync.OnceValue(func() labelledQueries {
	all := labelledQueries{whole: map[string]Meaning{}}
	for line := range bytes.Lines(bytes.Join([][]byte{QueriesFile, ShopQueriesFile, IntentsFile}, nil)) {
		var m Meaning
		if err := json.Unmarshal(line, &m); err != nil {
			panic(fmt.Sprintf("samples: a labelled query: %v", err)) // it is a file of this package
		}
		switch {
		case m.Query == "": // a picture alone
		case strings.Contains(m.Query, product):
			all.forms = append(all.forms, m)
		default:
			all.whole[key(strings.Fields(m.Query))] = m
		}
	}
	return all
})
