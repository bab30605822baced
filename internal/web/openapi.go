package web

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Document is an OpenAPI 3.1 document, as far as it is used here.
// https://spec.openapis.org/oas/v3.1.1.html
type Document struct {
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
	Schemas map[string]*Schema `json:"schemas"`
}

type operation struct {
	Summary     string              `json:"summary"`
	Parameters  []Parameter         `json:"parameters,omitempty"`
	RequestBody *requestBody        `json:"requestBody,omitempty"`
	Responses   map[string]response `json:"responses"` // by status
}

// A Parameter is in a path, a query or a header.
type Parameter struct {
	Name        string `json:"name"`
	In          string `json:"in"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
	Schema      Schema `json:"schema"`
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
	Schema Schema `json:"schema"`
}

// documentRoute is where the document is.
func (s *Site) documentRoute() Route {
	return Route{
		Method: http.MethodGet, Path: "/openapi.json", Summary: "This document",
		Answers: []Reply{{http.StatusOK, "OpenAPI 3.1", InJSON(Schema{Type: "object"})}},
		Do: func(w http.ResponseWriter, _ *http.Request) error {
			d, err := s.Document()
			if err == nil {
				WriteJSON(w, http.StatusOK, d)
			}
			return err
		},
	}
}

// Document describes the routes of s.
func (s *Site) Document() (Document, error) {
	d := Document{
		OpenAPI: "3.1.1", Info: info{s.config.Title, s.config.Description, s.config.Version},
		Paths: map[string]map[string]operation{}, Components: components{map[string]*Schema{}},
	}
	for _, p := range s.config.Parts {
		if p.Schemas == nil {
			continue
		}
		schemas, err := p.Schemas()
		if err != nil {
			return Document{}, err
		}
		maps.Copy(d.Components.Schemas, schemas)
	}
	problem, err := s.problemSchema()
	if err != nil {
		return Document{}, err
	}
	d.Components.Schemas["Problem"] = problem
	for _, r := range s.routes {
		if d.Paths[r.Path] == nil {
			d.Paths[r.Path] = map[string]operation{}
		}
		d.Paths[r.Path][strings.ToLower(r.Method)] = s.operationOf(r)
	}
	return d, nil
}

// problemSchema is the schema of a problem, with every code that there is.
func (s *Site) problemSchema() (*Schema, error) {
	problem, err := SchemaOf(reflect.TypeFor[Problem](), nil)
	if err != nil {
		return nil, fmt.Errorf("web: schema of problems: %w", err)
	}
	all := map[string]bool{}
	for _, c := range s.codes() {
		all[c.Name] = true
	}
	problem.Properties["code"] = Ptr(Enum(slices.Sorted(maps.Keys(all))...))
	return problem, nil
}

// codes are all codes that there are.
func (s *Site) codes() []Code {
	all := slices.Clone(everywhere)
	for _, p := range s.config.Parts {
		all = append(all, p.Codes...)
	}
	for _, r := range s.routes {
		all = append(all, r.Problems...)
	}
	return all
}

// codesOf are the codes that r may answer with. One with other answers too may answer
// with any.
func (s *Site) codesOf(r Route) []Code {
	if slices.ContainsFunc(r.Answers, func(a Reply) bool { return a.Status == 0 }) {
		return s.codes()
	}
	return r.codes()
}

func (s *Site) operationOf(r Route) operation {
	o := operation{Summary: r.Summary, Parameters: r.Parameters, Responses: map[string]response{}}
	if r.Body != nil {
		o.RequestBody = &requestBody{true, content(r.Body)}
	}
	for _, answer := range r.Answers {
		status := strconv.Itoa(answer.Status)
		if answer.Status == 0 {
			status = "default"
		}
		o.Responses[status] = response{answer.What, content(answer.Media)}
	}
	byStatus := map[string][]string{}
	for _, code := range s.codesOf(r) {
		status := strconv.Itoa(code.Status)
		byStatus[status] = append(byStatus[status], code.Name)
	}
	for _, code := range r.codes() {
		status := strconv.Itoa(code.Status)
		names := slices.Compact(slices.Sorted(slices.Values(byStatus[status])))
		o.Responses[status] = response{strings.Join(names, ", "), content(map[string]Schema{ProblemMedia: problemOf(names)})}
	}
	return o
}

// problemOf is the schema of a problem of one of those codes.
func problemOf(names []string) Schema {
	s := Ref("Problem")
	s.Properties = map[string]*Schema{"code": Ptr(Enum(names...))}
	return s
}

func content(schemas map[string]Schema) map[string]media {
	all := map[string]media{}
	for kind, s := range schemas {
		all[kind] = media{s}
	}
	return all
}
