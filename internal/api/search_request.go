package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.com/whatis/internal/search"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
)

const searchWanted = `send {"query":"round black frames"}, an image as base64, or both, as JSON; or a form with the fields query and image`

// readSearch decodes a search from a form or JSON.
func readSearch(w http.ResponseWriter, r *http.Request) (search.Request, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	media, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch media {
	case "multipart/form-data":
		return readSearchForm(multipart.NewReader(r.Body, params["boundary"]))
	case web.JSONMedia:
		return readSearchJSON(r)
	}
	return search.Request{}, fmt.Errorf("%w is %q: %s", web.ErrBody, usererror.Short(cmp.Or(media, "of no kind"), usererror.Quoted), searchWanted)
}

// readSearchText decodes a search by words from JSON, whatever the Content-Type.
func readSearchText(w http.ResponseWriter, r *http.Request) (search.Request, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	q, err := readSearchJSON(r)
	switch {
	case err != nil:
		return q, err
	case len(q.Image) > 0:
		return q, fmt.Errorf("%w has an image: send that to /search", web.ErrBody)
	case strings.TrimSpace(q.Query) == "":
		return q, fmt.Errorf(`%w has no query: send {"query":"round black frames"}`, web.ErrBody)
	}
	return q, nil
}

// A searchBody is a search in JSON.
type searchBody struct {
	search.Request
	Image    image           `json:"image,omitempty"`
	Analysis *analysisResult `json:"analysis_result,omitempty"`
}

// An analysisResult is a face analysis as other programs send it: a JSON object, or a
// string that holds one. Unknown fields are ignored.
type analysisResult struct{ *search.FaceAnalysis }

// UnmarshalJSON decodes either form.
func (a *analysisResult) UnmarshalJSON(data []byte) (err error) {
	var text string
	if json.Unmarshal(data, &text) == nil && text != "" {
		data = []byte(text)
	}
	a.FaceAnalysis, err = search.ParseFaceAnalysis(data)
	return err
}

func readSearchJSON(r *http.Request) (search.Request, error) {
	data, err := web.ReadAll(r.Body, r.ContentLength, maxBody)
	if err == nil {
		err = web.CheckJSON(data)
	}
	if err != nil {
		return search.Request{}, err
	}
	var body searchBody
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&body); err != nil {
		return search.Request{}, noSearch(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return search.Request{}, fmt.Errorf("%w goes on behind its JSON object: send one search", web.ErrBody)
	}
	q := body.Request
	if q.Image = body.Image; body.Analysis != nil {
		q.Analysis = body.Analysis.FaceAnalysis
	}
	return q, nil
}

// noSearch returns the error for JSON that is not a search.
func noSearch(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, web.ErrBody) || errors.As(err, new(*search.InputError)):
		return err
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%w has a %s as %s: %s", web.ErrBody, kind.Value, usererror.Short(strings.TrimPrefix(kind.Field, "Request."), usererror.Quoted), searchWanted)
	case errors.As(err, &kind):
		return fmt.Errorf("%w is a JSON %s: %s", web.ErrBody, kind.Value, searchWanted)
	case strings.HasPrefix(err.Error(), "json: unknown field"):
		return fmt.Errorf("%w has the %s: %s", web.ErrBody, usererror.Short(strings.TrimPrefix(err.Error(), "json: "), 2*usererror.Quoted), searchWanted)
	}
	return fmt.Errorf("%w is no JSON (%w): %s", web.ErrBody, err, searchWanted)
}

// searchFields are the fields of a form, with a function that sets each.
var searchFields = map[string]func(q *search.Request, value []byte) error{
	"query":   text(func(q *search.Request) *string { return &q.Query }),
	"like":    text(func(q *search.Request) *string { return &q.Like }),
	"shop":    text(func(q *search.Request) *string { return &q.Shop }),
	"lang":    text(func(q *search.Request) *string { return &q.Lang }),
	"sort":    func(q *search.Request, value []byte) error { q.Sort = search.Sort(value); return nil },
	"after":   text(func(q *search.Request) *string { return &q.After }),
	"session": text(func(q *search.Request) *string { return &q.Session }),
	"turn":    text(func(q *search.Request) *string { return &q.Turn }),
	"in_stock": func(q *search.Request, value []byte) (err error) {
		q.InStock, err = strconv.ParseBool(string(value))
		return wanted(err, "true or false")
	},
	"counts": func(q *search.Request, value []byte) error {
		return wanted(json.Unmarshal(value, &q.Counts), `facets as JSON: ["color"]`)
	},
	"expect": text(func(q *search.Request) *string { return &q.Expect }),
	"image":  func(q *search.Request, value []byte) error { q.Image = value; return nil },
	"limit": func(q *search.Request, value []byte) error {
		n, err := strconv.Atoi(string(value))
		q.Limit = &n
		return wanted(err, "a whole number, as 5")
	},
	"text_weight":  weight(func(w *search.Weights) *float64 { return &w.Text }),
	"image_weight": weight(func(w *search.Weights) *float64 { return &w.Image }),
	"filters": func(q *search.Request, value []byte) error {
		return wanted(json.Unmarshal(value, &q.Filters), `codes by facet as JSON: {"color":"black"}`)
	},
	"price": func(q *search.Request, value []byte) error {
		return wanted(json.Unmarshal(value, &q.Price), `{"min":500000,"max":2000000,"currency":"VND"}`)
	},
	"analysis_result": func(q *search.Request, value []byte) error {
		var a analysisResult
		err := a.UnmarshalJSON(value)
		q.Analysis = a.FaceAnalysis
		return err
	},
}

func text(field func(*search.Request) *string) func(*search.Request, []byte) error {
	return func(q *search.Request, value []byte) error { *field(q) = string(value); return nil }
}

// The default weights of words and picture.
const (
	textWeight  = 0.6
	imageWeight = 0.4
)

// weight returns a function that sets one of two weights and leaves the other at its
// default.
func weight(field func(*search.Weights) *float64) func(*search.Request, []byte) error {
	return func(q *search.Request, value []byte) (err error) {
		if q.Weights == nil {
			q.Weights = &search.Weights{Text: textWeight, Image: imageWeight}
		}
		*field(q.Weights), err = strconv.ParseFloat(string(value), 64)
		return wanted(err, "a number, as 0.6")
	}
}

// wanted returns an error that says what to send if err reports a value of another type.
func wanted(err error, what string) error {
	if err != nil {
		return fmt.Errorf("want %s", what)
	}
	return nil
}

// readSearchForm decodes a form. Empty fields count as not set.
func readSearchForm(form *multipart.Reader) (q search.Request, err error) {
	seen := map[string]bool{}
	err = web.EachPart(form, func(part *multipart.Part, data []byte) error {
		name := part.FormName()
		set, known := searchFields[name]
		switch {
		case !known:
			return fmt.Errorf("%w has a form field %q: use %s", web.ErrBody, usererror.Short(name, usererror.Quoted), strings.Join(slices.Sorted(maps.Keys(searchFields)), ", "))
		case len(data) == 0:
			return nil
		case seen[name]:
			return fmt.Errorf("%w has the form field %s twice: send it once", web.ErrBody, name)
		}
		seen[name] = true
		return fieldError(name, set(&q, data))
	})
	return q, err
}

func fieldError(name string, err error) error {
	if err == nil || errors.As(err, new(*search.InputError)) {
		return err
	}
	return fmt.Errorf("%w has a form field %s that makes no sense: %w", web.ErrBody, name, err)
}

// searchFormSchema returns the schema of the form that readSearchForm reads.
func searchFormSchema() web.Schema {
	properties := map[string]*web.Schema{}
	for name := range searchFields {
		properties[name] = &web.Schema{Type: "string"}
	}
	properties["image"] = web.Ptr(web.Binary())
	properties["limit"] = web.Ptr(inLimit.Schema)
	properties["lang"] = web.Ptr(inLang.Schema)
	properties["sort"] = web.Ptr(web.Enum("relevance", "price_up", "price_down", "newest"))
	properties["in_stock"] = &web.Schema{Type: "boolean"}
	for _, name := range []string{"text_weight", "image_weight"} {
		properties[name] = &web.Schema{Type: "number", Minimum: web.Ptr(0.0)}
	}
	for _, name := range []string{"analysis_result", "filters", "price", "counts"} {
		properties[name] = &web.Schema{Type: "string", ContentMediaType: web.JSONMedia}
	}
	return web.Schema{Type: "object", Properties: properties, Description: "analysis_result, counts, filters and price are JSON"}
}
