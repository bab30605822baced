package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
)

// Every error that a client of an HTTP function sees is a problem document (RFC
// 9457), as the API's own are. What Go's server refuses before any handler sees it
// cannot: a request line or header that it does not understand (400), more than a
// MiB of header (431), an unknown transfer encoding (501) and an unknown
// expectation (417) are text.

// Problem answers a request with an error.
func Problem(w http.ResponseWriter, status int, code, detail string) {
	newProblem(status, code, detail).write(w)
}

// A problem is an error as the API writes it, too.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   string `json:"code"`
}

// newProblem is a problem of status; without a code it has that of its status,
// such as not_found.
func newProblem(status int, code, detail string) problem {
	p := problem{"about:blank", http.StatusText(status), status, detail, code}
	if code == "" {
		p.Code = strings.ToLower(strings.ReplaceAll(p.Title, " ", "_"))
	}
	return p
}

func (p problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // a client that has left
}

// problemOf says why a body could not be read.
func problemOf(err error) problem {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return newProblem(http.StatusRequestEntityTooLarge, "too_many_bytes", "the body is larger than 32 MiB: send less")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return newProblem(http.StatusRequestTimeout, "slow_body", "the body did not come in time: try again")
	}
	return newProblem(http.StatusBadRequest, "bad_body", "the body ends early, or its chunks are malformed")
}
