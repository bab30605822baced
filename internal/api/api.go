// Package api is the HTTP interface.
//
//	POST /analyze   a photo → its result
//	GET  /healthz   ok, without touching anything
//	GET  /          what this is
//
// Errors are problem documents (RFC 9457) with a stable code.
package api

import (
	"context"
	"encoding/json"
	"net/http"

	"example.com/whatis/internal/intake"
	"example.com/whatis/internal/load"
)

// An API answers HTTP requests.
type API struct {
	http.Handler
	intake func(context.Context) (*intake.Intake, error)
	memory *load.Gate
}

// New returns the API over what intake returns, which is asked at each request
// that needs it. A photo is read once memory has room for it.
func New(intake func(context.Context) (*intake.Intake, error), memory *load.Gate) *API {
	mux := http.NewServeMux()
	a := &API{Handler: mux, intake: intake, memory: memory}
	mux.HandleFunc("POST /analyze", a.analyze)
	mux.HandleFunc("GET /healthz", a.health)
	mux.HandleFunc("GET /{$}", a.home)
	mux.HandleFunc("/analyze", a.wrongMethod)
	mux.HandleFunc("/", a.nothingHere)
	return a
}

func (a *API) health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}

func (a *API) home(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "online", "service": "whatis", "analyze": "POST a photo to /analyze"})
}

func (a *API) wrongMethod(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", http.MethodPost)
	problem{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Detail: r.URL.Path + " takes POST"}.write(w)
}

func (a *API) nothingHere(w http.ResponseWriter, r *http.Request) {
	problem{Status: http.StatusNotFound, Code: "not_found", Detail: "there is nothing at " + r.URL.Path + ": POST a photo to /analyze"}.write(w)
}

// analyze answers with the result of the photo in the request.
func (a *API) analyze(w http.ResponseWriter, r *http.Request) {
	result, err := a.result(w, r)
	if err != nil {
		problemOf(err).write(w)
		return
	}
	writeJSON(w, http.StatusOK, result)
}

// result holds room in memory from before the photo is read until its result is
// there, and not while that is written to a client that may be slow.
func (a *API) result(w http.ResponseWriter, r *http.Request) (any, error) {
	leave, err := a.memory.Enter(r.Context(), intake.Held(size(r)))
	if err != nil {
		return nil, err
	}
	defer leave()
	p, err := a.receive(w, r)
	if err != nil {
		return nil, err
	}
	in, err := a.intake(r.Context())
	if err != nil {
		return nil, err
	}
	return in.Photo(r.Context(), p, nil)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // a client that has left
}
