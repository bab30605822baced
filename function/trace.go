package function

import (
	"context"
	"errors"
	"net/http"
	"regexp"

	"example.com/whatis/internal/trace"
)

// decimals matches a number with more than one decimal. A path may have the coordinates of
// whoever asks for the weather, of which no span needs more than one.
var decimals = regexp.MustCompile(`(\d\.\d)\d+`)

// traced returns ctx and w with a span in the trace of r. The returned function ends the
// span with the response's status.
func traced(ctx context.Context, w http.ResponseWriter, r *http.Request) (context.Context, http.ResponseWriter, func()) {
	ctx, end := trace.Serve(ctx, "API", trace.Of(r.Header))
	if !trace.Recorded(ctx) {
		return ctx, w, func() {}
	}
	trace.Note(ctx, "http.request.method", r.Method)
	trace.Note(ctx, "url.path", decimals.ReplaceAllString(r.URL.Path, "$1"))
	a := &answer{ResponseWriter: w, status: http.StatusOK}
	return ctx, a, func() { end(a.noteStatus(ctx)) }
}

// An answer remembers its status.
type answer struct {
	http.ResponseWriter
	status int
}

func (a *answer) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap lets the handler flush and set deadlines.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// noteStatus adds the status to the span of ctx, and returns an error for a server error.
func (a *answer) noteStatus(ctx context.Context) error {
	trace.Note(ctx, "http.response.status_code", a.status)
	if a.status < http.StatusInternalServerError {
		return nil
	}
	return errors.New(http.StatusText(a.status))
}
