package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// Every error that a client sees is a problem document (RFC 9457): those of the
// functions pass as they are, those of the framework and of this server become
// one. What Go's server refuses before any handler sees it cannot: a request line
// or header that it does not understand (400), more than a MiB of header (431), an
// unknown transfer encoding (501) and an unknown expectation (417) are text.

// problemMedia is the media type of a problem document.
const problemMedia = "application/problem+json"

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

func (p problem) encoded() []byte {
	data, _ := json.Marshal(p) // strings and a number
	return append(data, '\n')
}

func (p problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", problemMedia)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_, _ = w.Write(p.encoded()) // a client that has left
}

// longestDetail is how much of an error's text becomes the detail, in bytes.
const longestDetail = 1 << 10

// asProblem makes a problem of an error that is none, with the beginning of its text
// as the detail.
func asProblem(r *http.Response) error {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.StatusCode < http.StatusBadRequest || media == problemMedia {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(r.Body, longestDetail)) // as much as came
	_ = r.Body.Close()
	detail := strings.TrimSpace(strings.ToValidUTF8(string(text), ""))
	data := newProblem(r.StatusCode, "", detail).encoded()
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	r.Header.Set("Content-Length", strconv.Itoa(len(data)))
	r.Header.Set("Content-Type", problemMedia)
	r.Header.Set("Cache-Control", "no-store")
	return nil
}

// problemOf is what a request that did not get through is answered: what was wrong
// with its body, or that it may be tried again.
func problemOf(body, err error) problem {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge), errors.As(body, &tooLarge):
		return newProblem(http.StatusRequestEntityTooLarge, "too_many_bytes", "the body is larger than 32 MiB: send less")
	case errors.Is(body, os.ErrDeadlineExceeded):
		return newProblem(http.StatusRequestTimeout, "slow_body", "the body did not come in time: try again")
	case body != nil:
		return newProblem(http.StatusBadRequest, "bad_body", "the body ends early, or its chunks are malformed")
	}
	return newProblem(http.StatusServiceUnavailable, "unavailable", "the request could not be served: try again")
}

// refuse answers a request that did not get through.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	var failed error
	if b, ok := r.Context().Value(bodyKey{}).(*body); ok {
		failed = b.failure()
	}
	p := problemOf(failed, err)
	if p.Status == http.StatusServiceUnavailable {
		slog.WarnContext(r.Context(), "request not served", "error", err)
	}
	p.write(w)
}

// maxHeader bounds the header of a request, in bytes.
const maxHeader = 64 << 10

// headerSize is about how many bytes the header of r has.
func headerSize(r *http.Request) int {
	n := len(r.Method) + len(r.RequestURI)
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v) + len(": \r\n")
		}
	}
	return n
}
