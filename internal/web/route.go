package web

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
)

// A Handler answers a request, or says why not before it has begun to.
type Handler func(http.ResponseWriter, *http.Request) error

// A Route is one thing that can be asked, and what its caller may rely on.
type Route struct {
	ID           string // of the operation, by which generated clients call it; made of Method and Path if empty
	Method, Path string
	Do           Handler // nil where the route of a wider path answers
	Tag          string  // the name of its part, if empty
	Summary      string
	More         string // about it, besides the summary
	Parameters   []Parameter
	Body         map[string]Schema // by media type
	Answers      []Reply
	Problems     []Code // besides those of every route
}

// A Reply is how a route may answer.
type Reply struct {
	Status int // 0 is any other
	What   string
	Media  map[string]Schema
}

// status is the status as the document has it.
func (r Reply) status() string {
	if r.Status == 0 {
		return "default"
	}
	return strconv.Itoa(r.Status)
}

// pattern is the path as http.ServeMux wants it.
func (r Route) pattern() string {
	if r.Path == "/" {
		return "/{$}"
	}
	return r.Path
}

// words are those of the path, without its parameters.
func (r Route) words() []string {
	return strings.FieldsFunc(r.Path, func(c rune) bool { return c == '/' || c == '_' || c == '.' || c == '-' })
}

// id is the ID of the operation: GET /reviews/{id}/photo is getReviewsPhoto.
func (r Route) id() string {
	if r.ID != "" {
		return r.ID
	}
	id := strings.ToLower(r.Method)
	for _, word := range r.words() {
		if !strings.HasPrefix(word, "{") {
			id += title(word)
		}
	}
	return id
}

// tag is the part of the document that r stands in.
func (r Route) tag() string {
	return cmp.Or(r.Tag, append(r.words(), serviceTag)[0])
}

// title is s with a large first letter. Words of paths and IDs are ASCII.
func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// codes are all problems that r may answer with.
func (r Route) codes() []Code {
	var all []Code
	if r.Method != http.MethodGet {
		all = append(all, CrossOrigin)
	}
	return append(all, r.Problems...)
}
