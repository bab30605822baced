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
	"example.com/whatis/internal/outage"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web/caller"
)

// A Code is the stable name of a kind of problem, with its HTTP status and, as a sentence,
// when it is the answer.
type Code struct {
	Name   string
	Status int
	Cause  string
}

// The codes that any route may answer with. Other codes are declared beside their routes.
var (
	BadBody          = Code{"bad_body", http.StatusBadRequest, "The body is not what the route takes: not JSON, an unknown field, or a field of another type."}
	BadCursor        = Code{"bad_cursor", http.StatusBadRequest, "after, or Last-Event-ID, is no place in this list."}
	Unidentified     = Code{"unidentified", http.StatusUnauthorized, "The service stands behind Identity-Aware Proxy, and the request has no valid assertion of it."}
	CrossOrigin      = Code{"cross_origin", http.StatusForbidden, "The request comes from another site's page, and changes something or would ask a model."}
	RoleNeeded       = Code{"role_needed", http.StatusForbidden, "The caller lacks the role that this needs."}
	NotFound         = Code{"not_found", http.StatusNotFound, "There is nothing at this address."}
	MethodNotAllowed = Code{"method_not_allowed", http.StatusMethodNotAllowed, "This address does not take the method; the header Allow lists those it takes."}
	TooManyBytes     = Code{"too_many_bytes", http.StatusRequestEntityTooLarge, "The body, or the file that it names, is larger than the limit."}
	BadOption        = Code{"bad_option", http.StatusUnprocessableEntity, "An option, a field or a query parameter is not known, or has a value that is not allowed."}
	TooManyCalls     = Code{"too_many_calls", http.StatusTooManyRequests, "The caller has made more model calls than CALLS_PER_MINUTE allows."}
	Internal         = Code{"internal", http.StatusInternalServerError, "Something here is broken; the log has the error under error_id."}
	Busy             = Code{"busy", http.StatusServiceUnavailable, "Too much is under way in this instance."}
	Away             = Code{"away", http.StatusServiceUnavailable, "A service that this one needs does not answer: Firestore, Cloud Storage, Pub/Sub or another."}
	KeysAway         = Code{"identity_keys_unreachable", http.StatusServiceUnavailable, "The keys with which identities are verified cannot be fetched."}
	Timeout          = Code{"timeout", http.StatusGatewayTimeout, "The answer took longer than a request may."}
)

// everywhere are the codes for requests that reach no route, or not the one that was meant.
var everywhere = []Code{CrossOrigin, NotFound, MethodNotAllowed, Unidentified, KeysAway}

// A Problem is an error as an RFC 9457 document. Code is stable and for programs; Detail is
// for people.
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   string `json:"code"`

	// RetryAfter is the number of seconds after which the same request may succeed. It
	// repeats the header Retry-After, which a running event stream can no longer send.
	RetryAfter int `json:"retry_after,omitempty"`

	// Choices are the values to choose from if the request was ambiguous.
	Choices []string `json:"choices,omitempty"`

	// Now is what stands instead, if the request was about something that has changed.
	Now any `json:"now,omitempty"`
}

// Problem returns a problem with this code and detail.
func (c Code) Problem(format string, args ...any) Problem {
	return Problem{Type: "about:blank", Title: http.StatusText(c.Status), Status: c.Status, Detail: fmt.Sprintf(format, args...), Code: c.Name}
}

// After returns p with a Retry-After of d, rounded up to whole seconds.
func (p Problem) After(d time.Duration) Problem {
	p.RetryAfter = int(max(0, (d+time.Second-1)/time.Second))
	return p
}

// Passing reports whether the same request may succeed later.
func (p Problem) Passing() bool {
	return p.Status == http.StatusTooManyRequests || p.Status >= http.StatusInternalServerError && p.Status != http.StatusNotImplemented
}

// Write sends p as the response.
func (p Problem) Write(w http.ResponseWriter) {
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	w.Header().Set("Content-Type", ProblemMedia)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // fails only if the client has left
}

// Explain returns the problem for an error, or false if the error is not one that it knows.
type Explain func(error) (Problem, bool)

// A Known error maps an error to a code.
type Known struct {
	Err  error
	Code Code
}

// ExplainKnown returns an Explain for errors that map to one code each. Text returns the
// detail that callers see.
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

// Problem returns the problem for err: what went wrong and what to do. An error that no
// part of the site explains is logged, and answered as an internal error.
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
	id := usererror.ID()
	slog.Error("request", "error", err, "error_id", id)
	return broken(id)
}

// broken returns the problem for an error that is logged under an ID.
func broken(id string) Problem {
	return Internal.Problem("something here is broken; the log says what (error_id %s)", id)
}

// explain maps the errors that every route may return.
func explain(err error) (Problem, bool) {
	var tooLarge *http.MaxBytesError
	var busy *admission.Busy
	var away *outage.Error
	var denied *caller.Denied
	var many *admission.TooMany
	switch {
	case errors.As(err, &denied):
		return RoleNeeded.Problem("%s", denied.Public()), true
	case errors.As(err, &away):
		slog.Error("request", "error", err)
		return Away.Problem("%s", away.Public()).After(outage.RetryAfter), true
	case errors.As(err, &tooLarge):
		return TooManyBytes.Problem("the body is larger than %s: send less", sized(tooLarge.Limit)), true
	case ended(err):
		return Timeout.Problem("the answer took too long: try again"), true
	case errors.As(err, &busy):
		return Busy.Problem("too much is under way at once: try again in %s", busy.RetryAfter).After(busy.RetryAfter), true
	case errors.As(err, &many):
		return TooManyCalls.Problem("%s", many.Public()).After(many.RetryAfter), true
	case errors.Is(err, ErrBody):
		return BadBody.Problem("%s", err), true
	case errors.Is(err, ErrOption):
		return BadOption.Problem("%s", err), true
	}
	return Problem{}, false
}

// ended reports whether err is the end of a context, as a Go or a gRPC error.
func ended(err error) bool {
	code := status.Code(err)
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || code == codes.DeadlineExceeded || code == codes.Canceled
}

// sized formats a number of bytes for people.
func sized(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
