package search

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/whatis/internal/usererror"
)

// An InputError says what is wrong with a field of a request, and what to send.
type InputError struct{ Field, Message string }

func (e *InputError) Error() string { return "search: " + e.Public() }

// Public returns the text for callers (package usererror).
func (e *InputError) Public() string { return e.Field + ": " + e.Message }

func wrong(field, format string, args ...any) error {
	return &InputError{field, fmt.Sprintf(format, args...)}
}

// ErrNoProduct is the error for an ID that the shop's catalogue does not contain.
var ErrNoProduct = usererror.New("search", "the shop has no such product: send the product_id of one that was found")

// Limits of a face analysis.
const (
	maxShapes   = 20
	maxAnalysis = 2000 // characters of a text
)

// Check returns an *InputError for an invalid request.
func (r Request) Check() error {
	switch n := utf8.RuneCountInString(r.Query); {
	case len(r.Image) > 0 && r.URI != "":
		return wrong("uri", "there is an image too: send one of them")
	case !r.asks() && !r.browses() && (r.Session == "" || r.After == ""):
		return wrong("query", "there is neither query nor image nor like, and nothing to browse by: send words, a picture, the product_id of a product, filters, a price or a sort")
	case n > MaxQuery:
		return wrong("query", "it has %d characters, and %d fit: send fewer words", n, MaxQuery)
	case !utf8.ValidString(r.Query):
		return wrong("query", "it is no text in UTF-8: send that")
	case r.Limit != nil && (*r.Limit < 1 || *r.Limit > MaxLimit):
		return wrong("limit", "it is %d: send 1 to %d", *r.Limit, MaxLimit)
	case r.Lang != "" && !slices.Contains(Languages, r.Lang):
		return wrong("lang", "it is %q: send vi, en or ko", usererror.Short(r.Lang, usererror.Quoted))
	}
	if err := r.checkOrder(); err != nil {
		return err
	}
	if err := r.Weights.check(); err != nil {
		return err
	}
	if err := checkPrice(r.Price); err != nil {
		return err
	}
	return r.Analysis.check()
}

// asks reports whether r has something that products are compared with.
func (r Request) asks() bool {
	return strings.TrimSpace(r.Query) != "" || len(r.Image) > 0 || r.URI != "" || r.Like != ""
}

// browses reports whether r selects or orders products.
func (r Request) browses() bool {
	return len(r.Filters) > 0 || r.Price != nil || r.InStock || r.Sort != ""
}

// Bounds of what one request counts.
const (
	maxCounts  = 10   // facets
	maxCounted = 6000 // values of these
)

func (r Request) checkOrder() error {
	switch {
	case !slices.Contains([]Sort{"", ByRelevance, PriceUp, PriceDown, Newest}, r.Sort):
		return wrong("sort", "it is %q: send relevance, price_up, price_down or newest", usererror.Short(string(r.Sort), usererror.Quoted))
	case len(r.Counts) > maxCounts:
		return wrong("counts", "they are %d facets: send %d at most", len(r.Counts), maxCounts)
	}
	_, err := r.place()
	return err
}

func (w *Weights) check() error {
	if w == nil {
		return nil
	}
	for _, v := range []float64{w.Text, w.Image} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return wrong("weights", "they are %v and %v: send numbers from 0 on", w.Text, w.Image)
		}
	}
	if w.Text+w.Image == 0 || math.IsInf(w.Text+w.Image, 0) {
		return wrong("weights", "they are %v and %v: send one above 0 at least, as 0.6 and 0.4", w.Text, w.Image)
	}
	return nil
}

func checkPrice(r *PriceRange) error {
	switch {
	case r == nil:
		return nil
	case !(r.Min >= 0) || !(r.Max >= 0) || math.IsInf(r.Min+r.Max, 0):
		return wrong("price", "it is from %v to %v: send numbers from 0 on, 0 for no bound", r.Min, r.Max)
	case r.Max > 0 && r.Min > r.Max:
		return wrong("price", "its min %v is over its max %v: send them the other way round", r.Min, r.Max)
	case r.Currency != "" && (len(r.Currency) != 3 || strings.ToUpper(r.Currency) != r.Currency):
		return wrong("price", "its currency %q is unknown: send an ISO 4217 code, such as VND or USD", usererror.Short(r.Currency, usererror.Quoted))
	}
	return nil
}

func (a *FaceAnalysis) check() error {
	if a == nil {
		return nil
	}
	if len(a.RecommendedFrameShapes) > maxShapes {
		return wrong("analysis_result", "it recommends %d frame shapes: send %d at most", len(a.RecommendedFrameShapes), maxShapes)
	}
	for _, text := range append([]string{a.FaceShape, a.SkinTone, a.GlassesObserved, a.Summary}, a.RecommendedFrameShapes...) {
		if utf8.RuneCountInString(text) > maxAnalysis {
			return wrong("analysis_result", "one of its texts has more than %d characters: send shorter ones", maxAnalysis)
		}
	}
	return nil
}

// ParseFaceAnalysis decodes an analysis_result as forms send it. Unknown fields are
// ignored. Its error is an *InputError.
func ParseFaceAnalysis(data []byte) (*FaceAnalysis, error) {
	var a FaceAnalysis
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil || fields == nil || json.Unmarshal(data, &a) != nil {
		return nil, wrong("analysis_result", `it is no such object: send {"face_detected": true, "face_shape": "oval", "recommended_frame_shapes": ["square"]}`)
	}
	if _, ok := fields["face_detected"]; !ok {
		return nil, wrong("analysis_result", "it has no face_detected: send true or false with it")
	}
	return &a, a.check()
}
