package web

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"example.com/whatis/internal/web/caller"
)

// A Handler answers a request, or returns an error if it has not begun to answer.
type Handler func(http.ResponseWriter, *http.Request) error

// A Route is one operation of a site: what serves it, and its contract in the document.
type Route struct {
	ID           string // of the operation, used by generated clients; derived from Method and Path if empty
	Method, Path string
	Do           Handler     // nil if the route of a wider path answers
	Role         caller.Role // that callers must have
	Tag          string      // the tag in the document; empty means the part's name
	Summary      string
	More         string // details: the description in the document
	Parameters   []Parameter
	AnyQuery     bool              // other query parameters are left alone: of pages, and of protocols whose clients add some
	Body         map[string]Schema // by media type
	Answers      []Reply
	Problems     []Code // besides those that every route may return
}

// A Reply is one way in which a route may answer.
type Reply struct {
	Status int // 0 means any other status
	What   string
	Media  map[string]Schema
}

// status returns the status as OpenAPI writes it.
func (r Reply) status() string {
	if r.Status == 0 {
		return "default"
	}
	return strconv.Itoa(r.Status)
}

// pattern returns the pattern for http.ServeMux.
func (r Route) pattern() string {
	if r.Path == "/" {
		return "/{$}"
	}
	return r.Path
}

// words returns the segments of the path, without its parameters.
func (r Route) words() []string {
	return strings.FieldsFunc(r.Path, func(c rune) bool { return c == '/' || c == '_' || c == '.' || c == '-' })
}

// id returns the operation ID: that of GET /reviews/{id}/photo is getReviewsPhoto.
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

// tag returns the document's tag for r.
func (r Route) tag() string {
	return cmp.Or(r.Tag, append(r.words(), serviceTag)[0])
}

// title returns s with an upper-case first letter. Path segments and IDs are ASCII.
func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// description returns the details of r, with the role that it needs.
func (r Route) description() string {
	if r.Role == caller.Asker {
		return r.More
	}
	return r.More + " Where callers have roles, it needs " + r.Role.String() + "."
}

// query returns the names of r's query parameters.
func (r Route) query() (names []string) {
	for _, p := range r.Parameters {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	return names
}

// codes returns all problem codes that r may answer with.
func (r Route) codes() []Code {
	all := []Code{Unidentified}
	if !r.AnyQuery {
		all = append(all, BadOption)
	}
	if r.Method != http.MethodGet {
		all = append(all, CrossOrigin)
	}
	if r.Role > caller.Asker {
		all = append(all, RoleNeeded)
	}
	return append(all, r.Problems...)
}
