package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/internal/admission"
)

// A Code is the stable name of a kind of problem, and the status it is answered with.
type Code struct {
	Name   string
	Status int
}

// The codes that any route may answer with. A room declares its own beside its routes.
var (
	BadBody          = Code{"bad_body", http.StatusBadRequest}
	CrossOrigin      = Code{"cross_origin", http.StatusForbidden}
	NotFound         = Code{"not_found", http.StatusNotFound}
	MethodNotAllowed = Code{"method_not_allowed", http.StatusMethodNotAllowed}
	TooManyBytes     = Code{"too_many_bytes", http.StatusRequestEntityTooLarge}
	BadOption        = Code{"bad_option", http.StatusUnprocessableEntity}
	Internal         = Code{"internal", http.StatusInternalServerError}
	Busy             = Code{"busy", http.StatusServiceUnavailable}
	Timeout          = Code{"timeout", http.StatusGatewayTimeout}
)

// everywhere are the codes of requests that reach no route, or not the one they meant.
var everywhere = []Code{CrossOrigin, NotFound, MethodNotAllowed}

// A Problem is an error as RFC 9457 writes it. Code is stable, Detail is for people.
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   string `json:"code"`

	// RetryAfter is in how many seconds the same request may do better, as the
	// header of that name says, which an event stream no longer has.
	RetryAfter int `json:"retry_after,omitempty"`

	// Choices are what one of has to be sent instead of what was too vague.
	Choices []string `json:"choices,omitempty"`
}

// Problem is a problem of that code.
func (c Code) Problem(format string, args ...any) Problem {
	return Problem{Type: "about:blank", Title: http.StatusText(c.Status), Status: c.Status, Detail: fmt.Sprintf(format, args...), Code: c.Name}
}

// After is p, to be tried again after d, in whole seconds that are not too few.
func (p Problem) After(d time.Duration) Problem {
	p.RetryAfter = int(max(0, (d+time.Second-1)/time.Second))
	return p
}

// Passing reports that the same request may do better later.
func (p Problem) Passing() bool {
	return p.Status == http.StatusTooManyRequests || p.Status >= http.StatusInternalServerError && p.Status != http.StatusNotImplemented
}

// Write answers with p.
func (p Problem) Write(w http.ResponseWriter) {
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	w.Header().Set("Content-Type", ProblemMedia)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // a client that has left
}

// Explain is the problem that a room makes of an error of its own; false if the
// error is none of its own.
type Explain func(error) (Problem, bool)

// A Known error has a code of its own.
type Known struct {
	Err  error
	Code Code
}

// ExplainKnown explains errors that say for themselves what is wrong: text is what
// callers read of them.
func ExplainKnown(text func(error) string, all ...Known) Explain {
	return func(err error) (Problem, bool) {
		for _, known := range all {
			if errors.Is(err, known.Err) {
				return known.Code.Problem("%s", text(err)), true
			}
		}
		return Problem{}, false
	}
}

// Problem says what went wrong and what to do about it. What no part of the site
// explains is logged, and told in general.
func (s *Site) Problem(err error) Problem {
	if p, ok := explain(err); ok {
		return p
	}
	for _, part := range s.config.Parts {
		if part.Explain == nil {
			continue
		}
		if p, ok := part.Explain(err); ok {
			return p
		}
	}
	slog.Error("request", "error", err)
	return Internal.Problem("something here is broken; the log says what")
}

// explain explains the errors that every route may have.
func explain(err error) (Problem, bool) {
	var tooLarge *http.MaxBytesError
	var busy *admission.Busy
	switch {
	case errors.As(err, &tooLarge):
		return TooManyBytes.Problem("the body is larger than %s: send less", sized(tooLarge.Limit)), true
	case ended(err):
		return Timeout.Problem("the answer took too long: try again"), true
	case errors.As(err, &busy):
		return Busy.Problem("too much is under way at once: try again in %s", busy.RetryAfter).After(busy.RetryAfter), true
	case errors.Is(err, ErrBody):
		return BadBody.Problem("%s", err), true
	case errors.Is(err, ErrOption):
		return BadOption.Problem("%s", err), true
	}
	return Problem{}, false
}

// ended reports that err is of a context, as Go or as gRPC says it.
func ended(err error) bool {
	code := status.Code(err)
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || code == codes.DeadlineExceeded || code == codes.Canceled
}

// sized is a number of bytes for people.
func sized(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
