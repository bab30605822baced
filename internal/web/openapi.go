package web

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A Document is an OpenAPI 3.1 document, limited to what this service uses and to the
// subset that client generators accept: no schema is `true`, and no value has several
// types. https://spec.openapis.org/oas/v3.1.1.html
type Document struct {
	OpenAPI    string                          `json:"openapi"`
	Info       info                            `json:"info"`
	Servers    []server                        `json:"servers"`
	Security   []map[string][]string           `json:"security"`
	Tags       []tag                           `json:"tags"`
	Paths      map[string]map[string]operation `json:"paths"` // by path and method
	Components components                      `json:"components"`
}

type info struct {
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Version     string  `json:"version"`
	Contact     named   `json:"contact"`
	License     License `json:"license"`
	Commit      string  `json:"x-commit,omitempty"` // that the program was built from
}

type named struct {
	Name string `json:"name"`
}

// A License is the licence of the program.
type License struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier,omitempty"` // an SPDX expression
}

type server struct {
	URL         string `json:"url"`
	Description string `json:"description"`
}

type tag struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type components struct {
	Schemas         map[string]*Schema        `json:"schemas"`
	SecuritySchemes map[string]securityScheme `json:"securitySchemes"`
}

type securityScheme struct {
	Type         string `json:"type"`
	Scheme       string `json:"scheme"`
	BearerFormat string `json:"bearerFormat"`
	Description  string `json:"description"`
}

type operation struct {
	ID          string              `json:"operationId"`
	Tags        []string            `json:"tags"`
	Summary     string              `json:"summary"`
	Description string              `json:"description,omitempty"`
	Parameters  []Parameter         `json:"parameters,omitempty"`
	RequestBody *requestBody        `json:"requestBody,omitempty"`
	Responses   map[string]response `json:"responses"` // by status
}

// A Parameter is a parameter in a path, query or header.
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
	Codes       []string         `json:"x-problem-codes,omitempty"`
}

type media struct {
	Schema  Schema `json:"schema"`
	Example any    `json:"example,omitempty"`
}

// An Example is an example of an operation's JSON body and of its response.
type Example struct {
	Request  any `json:"request"`
	Answer   any `json:"answer"`
	Accepted any `json:"accepted"` // of the status 202, where that differs
}

// identityToken is the security scheme by which Cloud Run, or the proxy before it,
// authenticates callers.
const identityToken = "identityToken"

// documentRoute is the route of the document.
func (s *Site) documentRoute() Route {
	return Route{
		ID: "getOpenAPI", Method: http.MethodGet, Path: "/openapi.json", Summary: "This document",
		More:    "OpenAPI 3.1. Client generators take it as it is; /docs shows it with a form to try each operation.",
		Tag:     serviceTag,
		Answers: []Reply{{http.StatusOK, "OpenAPI 3.1", InJSON(Schema{Type: "object", AdditionalProperties: &Schema{}})}},
		Do:      Constant(func() (any, error) { return s.Document() }),
	}
}

// serviceTag is the tag of routes that describe the service itself.
const serviceTag = "service"

// Document returns the OpenAPI document of the routes of s.
func (s *Site) Document() (Document, error) {
	schemas, err := s.schemas()
	if err != nil {
		return Document{}, err
	}
	d := Document{
		OpenAPI: "3.1.1", Info: info{s.config.Title, s.config.Description, s.config.Version, named{s.config.Contact}, s.config.License, s.config.Commit},
		Servers:  []server{{"/", "The service that this document comes from"}},
		Security: []map[string][]string{{identityToken: {}}, {}},
		Tags:     s.tags(),
		Paths:    map[string]map[string]operation{},
		Components: components{schemas.named, map[string]securityScheme{identityToken: {
			"http", "bearer", "JWT", "A Google identity token, where the service is deployed without public access: gcloud auth print-identity-token. On one's own machine nothing is asked for.",
		}}},
	}
	var examples map[string]Example
	if s.config.Examples != nil {
		examples = s.config.Examples()
	}
	for _, r := range s.routes {
		if d.Paths[r.Path] == nil {
			d.Paths[r.Path] = map[string]operation{}
		}
		d.Paths[r.Path][strings.ToLower(r.Method)] = s.operationOf(r, schemas, examples[r.id()])
	}
	if s.config.Refine != nil {
		s.config.Refine(schemas.named)
	}
	if s.config.Fields != nil {
		describe(schemas.named, s.config.Fields())
	}
	return d, nil
}

// tags returns the tags of all routes, in the order of the parts.
func (s *Site) tags() (all []tag) {
	about := map[string]string{}
	for _, p := range s.config.Parts {
		about[p.Name] = p.About
	}
	for _, r := range s.routes {
		if t := (tag{r.tag(), about[r.tag()]}); !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}

// codes returns all problem codes of the site.
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

// codesOf returns the codes that r may answer with. A route that can return other problems
// too may return any code.
func (s *Site) codesOf(r Route) []Code {
	if slices.ContainsFunc(r.Answers, func(a Reply) bool { return a.Status == 0 }) {
		return s.codes()
	}
	return r.codes()
}

func (s *Site) operationOf(r Route, all *schemas, example Example) operation {
	o := operation{ID: r.id(), Tags: []string{r.tag()}, Summary: r.Summary, Description: r.description(), Responses: map[string]response{}}
	for _, p := range r.Parameters {
		p.Schema = *portable(&p.Schema)
		o.Parameters = append(o.Parameters, p)
	}
	if r.Body != nil {
		o.RequestBody = &requestBody{true, all.content(r.Body, r.id()+"Request", example.Request)}
	}
	for _, answer := range r.Answers {
		var shown any
		switch {
		case answer.Status == http.StatusAccepted && example.Accepted != nil:
			shown = example.Accepted
		case answer.Status != 0: // which is that of problems
			shown = example.Answer
		}
		o.Responses[answer.status()] = response{Description: answer.What, Content: all.content(answer.Media, r.id()+"Answer", shown)}
	}
	byStatus := map[string][]string{}
	for _, code := range s.codesOf(r) {
		status := strconv.Itoa(code.Status)
		byStatus[status] = append(byStatus[status], code.Name)
	}
	for _, code := range r.codes() {
		status := strconv.Itoa(code.Status)
		names := slices.Compact(slices.Sorted(slices.Values(byStatus[status])))
		o.Responses[status] = response{strings.Join(names, ", "), map[string]media{ProblemMedia: {Schema: Ref("Problem")}}, names}
	}
	return o
}

// problemCodes returns the schema of all codes, which says when each is the answer.
func (s *Site) problemCodes() *Schema {
	causes := map[string]string{}
	for _, c := range append(s.codes(), misdirected, headerTooLarge, slowBody, UnsupportedEncoding) {
		causes[c.Name] = c.Cause
	}
	codes := Enum(slices.Sorted(maps.Keys(causes))...)
	codes.Description = "What a program can tell problems apart by; docs/problems.md has their remedies"
	codes.Extra = map[string]any{"x-enumDescriptions": causes}
	return &codes
}
