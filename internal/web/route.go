package web

import "net/http"

// A Handler answers a request, or says why not before it has begun to.
type Handler func(http.ResponseWriter, *http.Request) error

// A Route is one thing that can be asked, and what its caller may rely on.
type Route struct {
	Method, Path string
	Do           Handler
	Summary      string
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

// pattern is the path as http.ServeMux wants it.
func (r Route) pattern() string {
	if r.Path == "/" {
		return "/{$}"
	}
	return r.Path
}

// codes are all problems that r may answer with.
func (r Route) codes() []Code {
	var all []Code
	if r.Method != http.MethodGet {
		all = append(all, CrossOrigin)
	}
	return append(all, r.Problems...)
}
