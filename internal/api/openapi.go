package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Media types.
const (
	jsonMedia    = "application/json"
	eventMedia   = "text/event-stream"
	problemMedia = "application/problem+json"
)

// A document is an OpenAPI 3.1 document, as far as it is used here.
// https://spec.openapis.org/oas/v3.1.1.html
type document struct {
	OpenAPI    string                          `json:"openapi"`
	Info       info                            `json:"info"`
	Paths      map[string]map[string]operation `json:"paths"` // by path and method
	Components components                      `json:"components"`
}

type info struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	Version     string `json:"version"`
}

type components struct {
	Schemas map[string]*schema `json:"schemas"`
}

type operation struct {
	Summary     string              `json:"summary"`
	Parameters  []parameter         `json:"parameters,omitempty"`
	RequestBody *requestBody        `json:"requestBody,omitempty"`
	Responses   map[string]response `json:"responses"` // by status
}

// A parameter is in a path, a query or a header.
type parameter struct {
	Name        string `json:"name"`
	In          string `json:"in"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
	Schema      schema `json:"schema"`
}

type requestBody struct {
	Required bool             `json:"required"`
	Content  map[string]media `json:"content"`
}

type response struct {
	Description string           `json:"description"`
	Content     map[string]media `json:"content,omitempty"`
}

type media struct {
	Schema schema `json:"schema"`
}

// openAPI answers with the document of what New registered.
func (a *API) openAPI(w http.ResponseWriter, _ *http.Request) error {
	d, err := documentOf(a.routes())
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, d)
	return nil
}

// documentOf describes routes.
func documentOf(routes []route) (document, error) {
	schemas, err := schemas()
	if err != nil {
		return document{}, err
	}
	d := document{
		OpenAPI: "3.1.1",
		Info: info{"whatis", "Which product a photo shows. Errors are problem documents (RFC 9457); their code is stable. " +
			"Every route that is asked with another method answers 405 method_not_allowed, every other path 404 not_found.", "1"},
		Paths: map[string]map[string]operation{}, Components: components{schemas},
	}
	for _, r := range routes {
		if d.Paths[r.path] == nil {
			d.Paths[r.path] = map[string]operation{}
		}
		d.Paths[r.path][strings.ToLower(r.method)] = operationOf(r)
	}
	return d, nil
}

func operationOf(r route) operation {
	o := operation{Summary: r.summary, Parameters: r.parameters, Responses: map[string]response{}}
	if r.body != nil {
		o.RequestBody = &requestBody{true, content(r.body)}
	}
	for _, answer := range r.answers {
		o.Responses[strconv.Itoa(answer.status)] = response{answer.what, content(answer.media)}
	}
	byStatus := map[string][]string{}
	for _, code := range r.codes() {
		status := strconv.Itoa(statuses[code])
		byStatus[status] = append(byStatus[status], code)
	}
	for status, codes := range byStatus {
		slices.Sort(codes)
		o.Responses[status] = response{strings.Join(codes, ", "), content(map[string]schema{problemMedia: problemSchema(codes)})}
	}
	return o
}

func content(schemas map[string]schema) map[string]media {
	all := map[string]media{}
	for kind, s := range schemas {
		all[kind] = media{s}
	}
	return all
}
