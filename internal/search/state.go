package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/search/index"
	"example.com/whatis/internal/search/query"
	"example.com/whatis/internal/usererror"
)

// A state is one request while the steps process it. Pictures, vectors and face analyses
// are never written to a session, a store or a log.
type state struct {
	Request
	pipeline    *Pipeline
	account     *gemini.Account
	query       string
	language    *language // of the answer
	lang        string    // its code
	limit       int
	place       place // behind which the page begins
	offset      int   // of the first product that is shown
	weights     Weights
	choice      choice // the request's own fields
	shop        *shop
	picture     *photo.Photo // image_data
	pictured    bool         // a picture or a product is searched by
	like        *catalog.Product
	likeVectors index.Vectors
	expect      *catalog.Product

	reading         query.Reading // of the query, by code
	understanding   Understanding // by the model
	intent          Intent
	route           route
	said            wanted // by the words
	want            wanted // by the words, and the choice over them: extracted_attributes
	ignored         []IgnoredFilter
	advice          []Advised // what suits the person
	recommended     []string  // shapes recommended by the face analysis
	normalizedQuery string
	facts           []Fact // that a question is about

	talk       *talk             // nil without a conversation
	these      []catalog.Product // shown before, that the query is about
	likeBefore bool              // like is one that was shown before
	except     []string          // the IDs of products that are not wanted: shown before, or searched by

	textVector, imageVector []float32         // text_embedding, image_embedding
	exact                   []catalog.Product // named by the request
	failed                  error             // of the embedding model, where the search goes on without
	spelled                 []Spelled
	known                   []string // tokens of the words that stand in any product
	// The nearest to the price, if that leaves none, and whether it is the cheapest or the dearest.
	beyondPrice     *catalog.Product
	beyondOrder     Sort
	asked           index.Query // of the last page
	cut             bool        // further products may be as near
	results         []candidate // search_results
	total           int         // of all pages
	relaxed         []string
	next            string // Result.Next
	rank            *Rank
	nearestCategory string // the category of what is nearest, if nothing is like the request
	response        Result // final_response
	warnings        []string
}

// begin checks a request and returns its state, and the context for its model calls.
func (p *Pipeline) begin(ctx context.Context, req Request) (context.Context, *state, error) {
	if err := req.Check(); err != nil {
		return ctx, nil, err
	}
	s := &state{Request: req, query: strings.TrimSpace(req.Query), pipeline: p, limit: DefaultLimit, weights: Weights{Text: 0.6, Image: 0.4}}
	s.Shop = cmp.Or(req.Shop, p.Shop)
	if req.Limit != nil {
		s.limit = *req.Limit
	}
	s.choice = choice{inStock: req.InStock, sort: req.Sort}
	if req.Price != nil {
		s.choice.price = *req.Price
	}
	if req.Weights != nil {
		s.weights = *req.Weights
	}
	s.place, _ = req.place()
	s.offset, s.relaxed = s.place.Seen, s.place.Relaxed
	s.account = &gemini.Account{Attempts: gemini.CallerAttempts}
	ctx = gemini.WithAccount(ctx, s.account)
	return ctx, s, p.resolve(ctx, s)
}

// resolve reads what a request names: shop, products, filters and picture.
func (p *Pipeline) resolve(ctx context.Context, s *state) (err error) {
	if s.shop, err = p.knownShop(ctx, s.Shop); err != nil {
		return err
	}
	if err := p.converse(ctx, s); err != nil {
		return err
	}
	if s.choice.facets, err = s.filters(); err != nil {
		return err
	}
	values := 0
	for _, name := range s.Request.Counts {
		facet := s.shop.vocabulary.Facet(name)
		if facet.Name == "" {
			return wrong("counts", "the shop has no facet %.40q: send those that GET /search/filters lists", name)
		}
		values += len(facet.Values)
	}
	if values > maxCounted {
		return wrong("counts", "these facets have %d values: send facets with %d together at most", values, maxCounted)
	}
	if s.like, err = s.named(ctx, "like", s.Like); err != nil {
		return err
	}
	if s.like != nil {
		s.except = []string{s.like.ID}
		if err := s.readVectors(ctx); err != nil {
			return err
		}
	}
	if s.expect, err = s.named(ctx, "expect", s.Expect); err != nil {
		return err
	}
	if s.Analysis != nil {
		s.recommend()
	}
	if s.URI != "" {
		if s.Image, err = p.read(ctx, s.URI); err != nil {
			return err
		}
	}
	if s.pictured = len(s.Image) > 0 || s.like != nil; len(s.Image) > 0 {
		s.picture, err = photo.NewUpload(s.Image).Prepare(ctx, p.Memory, p.limits())
		s.Image = nil
	}
	if err == nil && !s.follows() {
		err = s.resumes()
	}
	return err
}

// read returns the picture at uri.
func (p *Pipeline) read(ctx context.Context, uri string) ([]byte, error) {
	if p.Read == nil {
		return nil, wrong("uri", "no bucket is read here: send the picture's bytes as image")
	}
	data, err := p.Read(ctx, uri)
	for _, known := range []error{blob.ErrURI, blob.ErrNotFound, blob.ErrTooLarge, blob.ErrEncoding} {
		if errors.Is(err, known) {
			return nil, wrong("uri", "%s", usererror.Text(err))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return data, nil
}

// named returns the product that a field of a request names; nil if it names none.
func (s *state) named(ctx context.Context, field, id string) (*catalog.Product, error) {
	if id == "" {
		return nil, nil
	}
	product, err := s.productOf(ctx, id)
	if err == nil && product == nil {
		return nil, wrong(field, "the shop %s has no such product: send the product_id of one that was found", s.Shop)
	}
	return product, err
}

// productOf returns a product that is for sale, by its ID; nil if there is none.
func (s *state) productOf(ctx context.Context, id string) (*catalog.Product, error) {
	found, err := s.shop.index.ByIDs(ctx, s.Shop, id)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return &found[0], nil
}

// readVectors sets the vectors of the product that is searched by.
func (s *state) readVectors(ctx context.Context) (err error) {
	if s.likeVectors, err = s.shop.index.VectorsOf(ctx, s.like.ID); err != nil {
		return fmt.Errorf("search: %w", err)
	}
	return nil
}

// filters returns the codes that a person has chosen, as the vocabulary spells them. Several
// values of a facet are between vertical bars.
func (s *state) filters() (map[string][]string, error) {
	chosen := map[string][]string{}
	for _, name := range sortedKeys(s.Filters) {
		for value := range strings.SplitSeq(strings.Join(s.Filters[name], "|"), "|") {
			code, ok := s.shop.vocabulary.Code(name, value)
			if !ok {
				return nil, wrong("filters", "%.40s has no value %.40q: send one that GET /search/filters lists", name, value)
			}
			chosen[name] = append(chosen[name], code)
		}
	}
	return chosen, nil
}

// warn adds a warning unless it is there.
func (s *state) warn(code string) {
	if !slices.Contains(s.warnings, code) {
		s.warnings = append(s.warnings, code)
	}
}

// searchType returns what the search is by.
func (s *state) searchType() SearchType {
	switch text, image := s.textVector != nil, s.imageVector != nil; {
	case text && image:
		return ByBoth
	case text:
		return ByText
	case image:
		return ByImage
	}
	return ByNothing
}

// finished returns the answer with its cost.
func (s *state) finished() Result {
	r, spent := s.response, s.account.Ledger()
	r.ModelCalls = ModelCalls{Generate: spent.Calls.Generate, Embed: spent.Calls.Embed}
	r.CostUSD = spent.USD
	for model, version := range spent.Models {
		if version != model {
			model += " (" + version + ")"
		}
		r.Models = append(r.Models, model)
	}
	slices.Sort(r.Models)
	for _, code := range spent.Warnings {
		s.warn(code)
	}
	r.Warnings = s.warnings
	return r
}
