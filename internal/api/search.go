package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/session"

	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
)

// search is the part of the site that searches the catalogue.
func (a *API) search() web.Part {
	return web.Part{
		Name: "search", About: "Which products of a catalogue are like words, or like a picture",
		Routes:  append(a.searchRoutes(), a.productRoutes()...),
		Explain: explainSearch,
		Schemas: searchSchemas,
	}
}

// The codes of problems with searches.
var (
	badSearch       = web.Code{Name: "bad_search", Status: http.StatusBadRequest, Cause: "The search has a field that is not allowed, or neither words, nor a picture, nor filters."}
	productNotFound = web.Code{Name: "product_not_found", Status: http.StatusNotFound, Cause: "There is no product with this ID."}
	noPicture       = web.Code{Name: "no_picture", Status: http.StatusNotFound, Cause: "The product has no picture that this service may read."}
	shopFilling     = web.Code{Name: "shop_filling", Status: http.StatusServiceUnavailable, Cause: "The first import into the shop is under way; now says how far it is."}
	searchOff       = web.Code{Name: "search_off", Status: http.StatusNotImplemented, Cause: "Searching is not set up here: SEARCH_MODEL or the catalogue is missing."}
)

// searchProblems are the problems of every search, shopProblems those of requests that only
// name a shop.
var (
	shopProblems   = append([]web.Code{badSearch, searchOff, shopFilling}, storeProblems...)
	searchProblems = slices.Concat([]web.Code{web.BadBody, web.TooManyBytes, web.Busy, web.RoleNeeded, sessionNotFound}, shopProblems, modelProblems)
)

// fillingPause is after how long a search in a shop that is being filled may be tried again.
const fillingPause = 3 * time.Second

// explainSearch returns the problem for an invalid search or a product that does not exist.
func explainSearch(err error) (web.Problem, bool) {
	var wrong *search.InputError
	if errors.As(err, &wrong) {
		return badSearch.Problem("%s", usererror.Text(err)), true
	}
	var filling *search.Filling
	if errors.As(err, &filling) {
		p := shopFilling.Problem("%s: try again in %s", filling.Public(), fillingPause).After(fillingPause)
		p.Now = map[string]int64{"stored": filling.Stored, "total": filling.Total}
		return p, true
	}
	return web.ExplainKnown(usererror.Text,
		web.Known{Err: search.ErrNoProduct, Code: productNotFound},
		web.Known{Err: session.ErrNotFound, Code: sessionNotFound},
		web.Known{Err: errNoPicture, Code: noPicture},
		web.Known{Err: errNoSearch, Code: searchOff},
	)(err)
}

// errNoSearch is the error if search is not configured.
var errNoSearch = usererror.New("api", "no catalogue is searched here")

func (a *API) searchRoutes() []web.Route {
	found := []web.Reply{{
		Status: http.StatusOK, What: "What was found. A stream has the events agent (Event), result (SearchResult), problem (Problem) and end, the last",
		Media: map[string]web.Schema{web.JSONMedia: web.Ref("SearchResult"), web.EventMedia: runEvents(web.Ref("SearchResult"))},
	}}
	return []web.Route{
		{
			ID: "search", Method: http.MethodPost, Path: "/search", Do: a.answerSearch(readSearch), Summary: "Find products by words, by a picture, or by both",
			More:    "Words in any language, a picture as a form or as base64, facets and a price; the answer says how the words were read, which filters it ignored or relaxed, and what to ask next. Send next as after to get more of the same.",
			Body:    map[string]web.Schema{"multipart/form-data": searchFormSchema(), web.JSONMedia: web.Ref("SearchRequest")},
			Answers: found, Problems: searchProblems,
		},
		{
			ID: "searchText", Method: http.MethodPost, Path: "/search/text", Do: a.answerSearch(readSearchText), Summary: "Find products by words",
			More: "As /search, for clients that send JSON only.",
			Body: web.InJSON(web.Ref("SearchRequest")), Answers: found, Problems: searchProblems,
		},
		{
			ID: "getSearchFilters", Method: http.MethodGet, Path: "/search/filters", Do: a.searchFilters, Summary: "What a shop's products can be filtered by",
			More:       "With the label of each code, and how many products have it.",
			Parameters: []web.Parameter{inShop},
			Answers:    []web.Reply{{Status: http.StatusOK, What: "Every facet with its codes", Media: web.InJSON(web.Ref("SearchFilters"))}},
			Problems:   shopProblems,
		},
		{
			ID: "getSearchSuggestions", Method: http.MethodGet, Path: "/search/suggest", Do: a.suggestions, Summary: "What may be meant by what was typed so far",
			More:       "Categories, brands and products whose names, or words in them, begin so, without a call of a model.",
			Parameters: []web.Parameter{web.InQuery("q", "What was typed", web.Schema{Type: "string", MaxLength: web.Ptr(search.MaxQuery)}), inShop},
			Answers:    []web.Reply{{Status: http.StatusOK, What: "At most 10 suggestions", Media: web.InJSON(web.Ref("SearchSuggestions"))}},
			Problems:   shopProblems,
		},
		{
			ID: "getSimilarProducts", Method: http.MethodGet, Path: "/products/{id}/similar", Do: a.similar, Summary: "More like a product",
			More:       "By their embeddings, without a call of a model. While next is there, send it as after to get the next page.",
			Parameters: []web.Parameter{productPath, inShop, inLang, inAfter, inLimit}, Answers: found,
			Problems: slices.Concat([]web.Code{productNotFound, web.BadOption}, shopProblems, modelProblems),
		},
	}
}

// productRoutes are the routes of one product.
func (a *API) productRoutes() []web.Route {
	width := web.Schema{Type: "integer", Minimum: web.Ptr(float64(leastWidth)), Maximum: web.Ptr(float64(mostWidth))}
	return []web.Route{
		{
			ID: "getProduct", Method: http.MethodGet, Path: "/products/{id}", Do: a.product, Summary: "The full record of a product",
			More:       "All that is known of it, with the facets that searches compare.",
			Parameters: []web.Parameter{productPath, inShop},
			Answers:    []web.Reply{{Status: http.StatusOK, What: "The product", Media: web.InJSON(web.Ref("Product"))}},
			Problems:   append([]web.Code{productNotFound}, shopProblems...),
		},
		{
			ID: "getProductImage", Method: http.MethodGet, Path: "/products/{id}/image", Do: a.productPicture, Summary: "The picture of a product",
			More:       "As a JPEG, upright, of 480 pixels width at most unless width says otherwise. It is read from PICTURE_BUCKETS only.",
			Parameters: []web.Parameter{productPath, inShop, web.InQuery("width", "At most so many pixels wide", width)},
			Answers: []web.Reply{
				{Status: http.StatusOK, What: "The picture", Media: map[string]web.Schema{"image/jpeg": web.Binary()}},
				{Status: http.StatusNotModified, What: "It is as it was"},
			},
			Problems: slices.Concat([]web.Code{productNotFound, noPicture, web.BadOption, web.TooManyBytes}, photoProblems, shopProblems),
		},
	}
}

// productID matches the IDs of products.
var productID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// The parameters of the search routes.
var (
	productPath = web.InPath(productID.String(), "7328460f2cbdcb339addc8b2ad129647")
	inShop      = web.InQuery("shop", "The shop; the configured one if it is left out", web.Schema{Type: "string"})
	inLang      = web.InQuery("lang", "The language of the answer's words", web.Enum("vi", "en", "ko"))
	inAfter     = web.InQuery("after", "next of the page before", web.Schema{Type: "string"})
	inLimit     = web.InQuery("limit", "How many", web.Schema{Type: "integer", Minimum: web.Ptr(1.0), Maximum: web.Ptr(float64(search.MaxLimit))})
)

// searchSchemas returns the schemas of answers about searches, by name.
func searchSchemas() (map[string]*web.Schema, error) {
	written := map[reflect.Type]*web.Schema{
		reflect.TypeFor[image]():          {Type: "string", ContentEncoding: "base64", Description: "The bytes of a picture, or a data: URL of them"},
		reflect.TypeFor[analysisResult](): web.Ptr(web.Ref("FaceAnalysis")),
		reflect.TypeFor[search.Choices](): search.ChoicesSchema(),
	}
	return schemas(written, map[string]reflect.Type{
		"SearchRequest": reflect.TypeFor[searchBody](), "SearchResult": reflect.TypeFor[search.Result](),
		"SearchFilters": reflect.TypeFor[search.Filters](), "SearchSuggestions": reflect.TypeFor[search.Suggestions](), "Product": reflect.TypeFor[search.Detail](), "FaceAnalysis": reflect.TypeFor[search.FaceAnalysis](),
		"FoundProduct": reflect.TypeFor[search.Hit](), "SearchWeights": reflect.TypeFor[search.Weights](),
	})
}

// searcher opens the search pipeline.
func (a *API) searcher(ctx context.Context) (*search.Pipeline, error) {
	if a.Search == nil {
		return nil, errNoSearch
	}
	return a.Search(ctx)
}

// answerSearch returns a handler for the search that read decodes. It reserves memory from
// before a picture is read until the result exists.
func (a *API) answerSearch(read func(http.ResponseWriter, *http.Request) (search.Request, error)) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		leave, err := a.Memory.Acquire(r.Context(), memoryPerByte*web.BodySize(r, maxBody))
		if err != nil {
			return err
		}
		leave = sync.OnceFunc(leave)
		defer leave()
		var q search.Request
		err = web.Receive(w, r, a.Memory, func() (err error) {
			q, err = read(w, r)
			return err
		})
		if err != nil {
			return err
		}
		return a.found(w, r, q, leave)
	}
}

// found answers with the result of q, or with a stream of the search's events. It calls
// done before it writes the result, because the client may be slow.
func (a *API) found(w http.ResponseWriter, r *http.Request, q search.Request, done func()) error {
	p, err := a.searcher(r.Context())
	if err != nil {
		return err
	}
	if web.WantsEvents(r) {
		return a.stream(w, r, "search", false, func(ctx context.Context, emit func(*agent.Event)) (any, error) {
			return run(ctx, p, q, emit)
		})
	}
	result, err := run(r.Context(), p, q, nil)
	if err != nil {
		return err
	}
	done()
	web.WriteJSON(w, http.StatusOK, result)
	return nil
}

// run searches. A picture that cannot be decoded is reported as a wrong input.
func run(ctx context.Context, p *search.Pipeline, q search.Request, emit func(*agent.Event)) (search.Result, error) {
	result, err := p.Run(ctx, q, emit)
	var wrong *photo.Error
	if errors.As(err, &wrong) {
		err = &search.InputError{Field: "image", Message: usererror.Text(wrong)}
	}
	return result, err
}

// similar finds products like the one in the path.
func (a *API) similar(w http.ResponseWriter, r *http.Request) error {
	id, err := web.PathID(r, productID, search.ErrNoProduct)
	if err != nil {
		return err
	}
	v := r.URL.Query()
	limit, err := web.Number(v, "limit", search.DefaultLimit, 1, search.MaxLimit)
	if err != nil {
		return err
	}
	err = a.found(w, r, search.Request{Like: id, Shop: v.Get("shop"), Lang: v.Get("lang"), Limit: &limit, After: v.Get("after")}, func() {})
	var wrong *search.InputError
	if errors.As(err, &wrong) && wrong.Field == "like" {
		return search.ErrNoProduct
	}
	return err
}

// searchFilters answers with the filters for the products of a shop.
func (a *API) searchFilters(w http.ResponseWriter, r *http.Request) error {
	p, err := a.searcher(r.Context())
	if err != nil {
		return err
	}
	filters, err := p.Filters(r.Context(), r.URL.Query().Get("shop"))
	if err != nil {
		return err
	}
	return a.filters.of(filters)(w, r)
}

// suggestions answers with what may be meant by the beginning of a query.
func (a *API) suggestions(w http.ResponseWriter, r *http.Request) error {
	p, err := a.searcher(r.Context())
	if err != nil {
		return err
	}
	v := r.URL.Query()
	found, err := p.Suggest(r.Context(), v.Get("shop"), v.Get("q"))
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, found)
	return nil
}

// sentFilters are the filters of shops as they are sent. Those of a shop are encoded when they are
// asked for first, and anew when they have changed.
type sentFilters struct {
	mu   sync.Mutex
	shop map[string]encodedFilters
}

type encodedFilters struct {
	*search.Filters
	send web.Handler
}

// mostSent is for how many shops filters are kept.
const mostSent = 200

func (s *sentFilters) of(f *search.Filters) web.Handler {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sent := s.shop[f.Shop]; sent.Filters == f {
		return sent.send
	}
	if s.shop == nil || len(s.shop) >= mostSent {
		s.shop = map[string]encodedFilters{}
	}
	send := web.Constant(func() (any, error) { return f, nil })
	s.shop[f.Shop] = encodedFilters{f, send}
	return send
}

// product answers with the full record of the product in the path.
func (a *API) product(w http.ResponseWriter, r *http.Request) error {
	p, err := a.searcher(r.Context())
	if err != nil {
		return err
	}
	id, err := web.PathID(r, productID, search.ErrNoProduct)
	if err != nil {
		return err
	}
	product, err := p.Product(r.Context(), r.URL.Query().Get("shop"), id)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, product)
	return nil
}
