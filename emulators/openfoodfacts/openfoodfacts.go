// Package openfoodfacts emulates the request of Open Food Facts' API for one product:
// GET /api/v2/product/CODE.json, with fields.
//
// It is strict: a request without a User-Agent of the form that the project asks for,
// Name/Version (contact), is 403.
package openfoodfacts

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// Options configure an emulator. The zero value has no products.
type Options struct {
	Addr     string                       // to listen on; "" is a free port on 127.0.0.1
	Products map[string]map[string]string // the fields of each product, by its code
}

// Server is a running emulator. Its methods may be called concurrently.
type Server struct {
	o    Options
	url  string
	http *http.Server
	done sync.WaitGroup

	mu     sync.Mutex
	codes  []string
	status int // of all answers; 0 means normal answers
}

// Start starts an emulator. The caller must close it.
func Start(o Options) (*Server, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("openfoodfacts: start: %w", err)
	}
	s := &Server{o: o, url: "http://" + l.Addr().String()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v2/product/{file}", s.product)
	s.http = &http.Server{Handler: mux}
	s.done.Go(func() { _ = s.http.Serve(l) })
	return s, nil
}

// URL returns the base address: the value for GTIN_DIRECTORY.
func (s *Server) URL() string { return s.url }

// Close ends it.
func (s *Server) Close() error {
	err := s.http.Close()
	s.done.Wait()
	return err
}

// Asked returns the requested codes, in order.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.codes...)
}

// Fail makes the server answer with that status; 0 restores normal answers.
func (s *Server) Fail(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// agent matches the required form of a User-Agent.
var agent = regexp.MustCompile(`^[\w-]+/[\w.]+ \(.+\)$`)

func (s *Server) product(w http.ResponseWriter, r *http.Request) {
	code, isJSON := strings.CutSuffix(r.PathValue("file"), ".json")
	s.mu.Lock()
	s.codes = append(s.codes, code)
	failing := s.status
	s.mu.Unlock()
	switch known, ok := s.o.Products[code]; {
	case failing != 0:
		http.Error(w, http.StatusText(failing), failing)
	case !agent.MatchString(r.UserAgent()):
		http.Error(w, "name your program and a contact in User-Agent", http.StatusForbidden)
	case !isJSON:
		http.NotFound(w, r)
	case !ok:
		answer(w, http.StatusNotFound, map[string]any{"code": code, "status": 0, "status_verbose": "product not found"})
	default:
		answer(w, http.StatusOK, map[string]any{"code": code, "status": 1, "status_verbose": "product found", "product": chosen(known, r.FormValue("fields"))})
	}
}

// chosen returns the requested fields, all if none were requested.
func chosen(product map[string]string, fields string) map[string]string {
	if fields == "" {
		return product
	}
	out := map[string]string{}
	for field := range strings.SplitSeq(fields, ",") {
		if value, ok := product[field]; ok {
			out[field] = value
		}
	}
	return out
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
