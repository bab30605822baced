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
	"slices"
	"strings"
	"sync"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/search"
)

// UnknownWords is the group of the queries in words that are in no vocabulary.
const UnknownWords = samples.UnknownWords

// A Query is something that people ask of the shop of the sample frames, and what a
// right answer to it is.
type Query struct {
	Group   string               `json:"group"`
	Query   string               `json:"query,omitempty"`
	Picture *Picture             `json:"picture,omitempty"`
	Face    *search.FaceAnalysis `json:"face,omitempty"`

	SKUs   []string           `json:"skus,omitempty"`   // just these frames, whatever they are
	Want   map[string]Codes   `json:"want,omitempty"`   // one of the codes of each facet
	Not    map[string]Codes   `json:"not,omitempty"`    // none of the codes of each facet
	Prefer map[string]Codes   `json:"prefer,omitempty"` // the frames with these are better
	Price  *search.PriceRange `json:"price,omitempty"`  // in VND
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

// frames are all of the shop's, made once.
var frames = sync.OnceValue(samples.Frames)

// Queries returns those that come with the program.
func Queries() ([]Query, error) { return Read(bytes.NewReader(samples.QueriesFile)) }

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
	case q.Picture == nil && len(q.SKUs) == 0 && len(q.Want) == 0 && len(q.Held) == 0 && len(q.Not) == 0 && q.Price == nil:
		return errors.New("nothing is right: want skus, want, not or price")
	case q.Picture != nil:
		if err := q.Picture.check(); err != nil {
			return err
		}
	}
	for _, facets := range []map[string]Codes{q.Want, q.Held, q.Not, q.Prefer} {
		for facet := range facets {
			if !slices.Contains(Facets, facet) {
				return fmt.Errorf("the facet %q is unknown: want %s", facet, strings.Join(Facets, ", "))
			}
		}
	}
	if slices.Max(q.grades()) == 0 {
		return fmt.Errorf("no frame of %s is a right answer", samples.EyewearShop)
	}
	return nil
}

func (q Query) grades() []int {
	grades := make([]int, len(frames()))
	for i, f := range frames() {
		grades[i] = q.Grade(f)
	}
	return grades
}

// Request is q as the search is asked, for as many products as are measured.
func (q Query) Request() search.Request {
	limit := Depth
	r := search.Request{Query: q.Query, Analysis: q.Face, Shop: samples.EyewearShop, Limit: &limit}
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
