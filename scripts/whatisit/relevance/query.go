// Package relevance measures how well a search ranks, by queries whose right answers
// are known.
//
//	samples.QueriesFile → Query → Request → (elsewhere: a search) → names, best first
//	                Query → Grade of each frame of the sample shop → nDCG@10, recall@10
//
// What is right is reckoned from the facets, prices and names of the frames, never
// from what a search answers.
package relevance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/search"
)

// UnknownWords is the group of the queries in words that are in no vocabulary.
const UnknownWords = samples.UnknownWords

// A Query is something that people ask of a shop, and what a right answer to it is.
type Query struct {
	Group   string               `json:"group"`
	Shop    string               `json:"shop,omitempty"` // "" is that of the sample frames
	Query   string               `json:"query,omitempty"`
	Picture *Picture             `json:"picture,omitempty"`
	Face    *search.FaceAnalysis `json:"face,omitempty"`

	SKUs   []string           `json:"skus,omitempty"`   // just these frames, whatever they are
	Want   map[string]Codes   `json:"want,omitempty"`   // one of the codes of each facet
	Not    map[string]Codes   `json:"not,omitempty"`    // none of the codes of each facet
	Prefer map[string]Codes   `json:"prefer,omitempty"` // the frames with these are better
	Price  *search.PriceRange `json:"price,omitempty"`  // in the shop's currency
	// Ranges are bounds of facets with numbers, 0 for none; of a product sought by Sort only
	// the first ten are right.
	Ranges map[string][2]float64 `json:"ranges,omitempty"`
	Sort   search.Sort           `json:"sort,omitempty"`
	// Compared are values of which each has to be shown, beside the others. About are the
	// facts that an answer quotes. Of nothing, no product is a right answer.
	Compared map[string]Codes `json:"compared,omitempty"`
	About    []string         `json:"about,omitempty"`
	Nothing  bool             `json:"nothing,omitempty"`
	// GiveUp are facets of Want that a right answer gives up, as no frame meets all.
	GiveUp []string `json:"give_up,omitempty"`
	// Unsaid are facets of Want that the face says, and not the words.
	Unsaid []string `json:"unsaid,omitempty"`
	// Intent is what is meant of the nine intents; "" is search_product.
	Intent search.Intent `json:"intent,omitempty"`
	// What a perfect model says besides: the language of the query, the face or skin that it
	// speaks of, whether only what is in stock is wanted.
	Lang    string            `json:"lang,omitempty"`
	Person  map[string]string `json:"person,omitempty"`
	InStock bool              `json:"in_stock,omitempty"`
	Meant   string            `json:"meant,omitempty"`
	Counted string            `json:"counted,omitempty"`
	// After are the queries of the conversation before this one, whose facets, as far as they
	// still hold, are Held. The others are what a perfect model says of them: samples.Meaning
	// explains them.
	After     []string         `json:"after,omitempty"`
	Held      map[string]Codes `json:"held,omitempty"`
	Keep      bool             `json:"keep,omitempty"`
	Shown     []int            `json:"shown,omitempty"`
	Reference search.Reference `json:"reference,omitempty"`
	NotShown  []string         `json:"not_shown,omitempty"`
	// Before are the names of the frames that the query before has shown, as it was answered.
	Before []string `json:"-"`
	// Words are those of the query that neither the vocabulary nor the emulated model
	// knows, in the group UnknownWords.
	Words []string `json:"words,omitempty"`
}

// Codes are the codes of a facet, any of which will do: "round|oval".
type Codes []string

// UnmarshalText reads codes as a query has them.
func (c *Codes) UnmarshalText(text []byte) error {
	*c = strings.Split(string(text), "|")
	return nil
}

func (c Codes) String() string { return strings.Join(c, " or ") }

// frames are all of the shop of the samples, made once.
var frames = sync.OnceValue(samples.Frames)

// Queries returns those that come with the program.
func Queries() ([]Query, error) {
	return Read(io.MultiReader(bytes.NewReader(samples.QueriesFile), bytes.NewReader(samples.ShopQueriesFile)))
}

// Read reads queries, a line of JSON each.
func Read(r io.Reader) ([]Query, error) {
	var all []Query
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		q, err := parse(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		all = append(all, q)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New(`no query: want lines as {"group":"brands","query":"kính râm Lunavelle","want":{"category":"sunglasses","brand":"lunavelle"}}`)
	}
	return all, nil
}

func parse(line []byte) (q Query, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return q, err
	}
	return q, q.check()
}

// check refuses a query of which nothing could be right, or everything.
func (q Query) check() error {
	switch {
	case q.Group == "":
		return errors.New("group is empty: say which")
	case q.Query == "" && q.Picture == nil:
		return errors.New("it asks nothing: want query, picture or both")
	case q.products() == nil:
		return fmt.Errorf("the shop %q is unknown: want %s", q.Shop, strings.Join(slices.Sorted(maps.Keys(products())), ", "))
	case q.Picture == nil && !q.Nothing && q.conditions() == 0:
		return errors.New("nothing is right: want skus, want, not, price, ranges, compared, about or nothing")
	case q.Picture != nil:
		if err := q.Picture.check(); err != nil {
			return err
		}
	}
	for _, facets := range []map[string]Codes{q.Want, q.Held, q.Not, q.Prefer, q.Compared} {
		for facet := range facets {
			if known := q.facets(); !slices.Contains(known, facet) {
				return fmt.Errorf("the facet %q is unknown: want %s", facet, strings.Join(known, ", "))
			}
		}
	}
	right := func(p Product) bool { return q.Grade(p) > 0 }
	if !q.Nothing && !q.counts() && len(q.About) == 0 && !slices.ContainsFunc(q.products(), right) {
		return fmt.Errorf("no product of %s is a right answer", q.shop())
	}
	return nil
}

// conditions returns how many things q says of a right answer. Of all products that are
// counted, it need not say anything.
func (q Query) conditions() int {
	n := len(q.SKUs) + len(q.Want) + len(q.Held) + len(q.Not) + len(q.Ranges) + len(q.Compared) + len(q.About)
	if q.Price != nil || q.InStock || q.counts() {
		n++
	}
	return n
}

// facets returns those of the products of q's shop.
func (q Query) facets() []string {
	if q.shop() == samples.EyewearShop {
		return Facets
	}
	seen := map[string]bool{}
	for _, p := range q.products() {
		for facet := range p.Values {
			seen[facet] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// Request is q as the search is asked, for as many products as are measured.
func (q Query) Request() search.Request {
	limit := Depth
	r := search.Request{Query: q.Query, Analysis: q.Face, Shop: q.shop(), Limit: &limit}
	if q.Picture != nil {
		r.Image = q.Picture.jpeg()
	}
	return r
}

// String returns what q asks, on a line.
func (q Query) String() string {
	var parts []string
	for _, before := range q.After {
		parts = append(parts, fmt.Sprintf("“%s”, then", before))
	}
	if q.Query != "" {
		parts = append(parts, fmt.Sprintf("“%s”", q.Query))
	}
	if q.Picture != nil {
		parts = append(parts, fmt.Sprintf("%s %s", q.Picture.SKU, q.Picture.View))
	}
	if q.Face != nil {
		parts = append(parts, "a face for "+strings.Join(q.Face.RecommendedFrameShapes, " or "))
	}
	return strings.Join(parts, " + ")
}

// A Likeness is what a query in words is compared with where only its meaning counts.
type Likeness struct {
	Query  string
	Texts  []string // of all products of its shop
	Right  []bool   // whether each of them is a right answer
	Unsold bool     // the shop sells nothing of the kind
}

// Likenesses returns those of the queries that ask for products in their own words, by relevance.
func Likenesses(queries []Query) (all []Likeness) {
	for _, q := range queries {
		if q.Query == "" || q.Picture != nil || len(q.After) > 0 || q.Group == UnknownWords || q.counts() || len(q.About)+len(q.Compared) > 0 || q.Nothing && q.Intent != "" {
			continue
		}
		l, grades := Likeness{Query: q.Query, Unsold: q.Nothing}, q.Grades()
		for _, p := range q.products() {
			l.Texts, l.Right = append(l.Texts, p.Text), append(l.Right, grades[p.Name] > 0)
		}
		all = append(all, l)
	}
	return all
}
