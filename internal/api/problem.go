package api

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
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/public"
	"example.com/whatis/internal/work"
)

// A problem is an error as RFC 9457 writes it. Code is stable, Detail is for
// people.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   string `json:"code"`

	// RetryAfter is in how many seconds the same request may do better, as the
	// header of that name says, which an event stream no longer has.
	RetryAfter int `json:"retry_after,omitempty"`
}

// The codes of problems, those of photos and models aside.
const (
	badBody          = "bad_body"
	badOption        = "bad_option"
	bucketNotAllowed = "bucket_not_allowed"
	crossOrigin      = "cross_origin"
	notFound         = "not_found"
	objectNotFound   = "object_not_found"
	resultNotFound   = "result_not_found"
	photoNotKept     = "photo_not_kept"
	batchNotFound    = "batch_not_found"
	methodNotAllowed = "method_not_allowed"
	tooManyPhotos    = "too_many_photos"
	noPhotos         = "no_photos"
	internal         = "internal"
	batchesOff       = "batches_off"
	busyNow          = "busy"
	timeout          = "timeout"
)

// statuses is the status of each code.
var statuses = map[string]int{
	badBody:                    http.StatusBadRequest,
	photo.Empty:                http.StatusBadRequest,
	bucketNotAllowed:           http.StatusForbidden,
	crossOrigin:                http.StatusForbidden,
	notFound:                   http.StatusNotFound,
	objectNotFound:             http.StatusNotFound,
	resultNotFound:             http.StatusNotFound,
	photoNotKept:               http.StatusNotFound,
	batchNotFound:              http.StatusNotFound,
	methodNotAllowed:           http.StatusMethodNotAllowed,
	photo.TooManyBytes:         http.StatusRequestEntityTooLarge,
	photo.TooManyPixels:        http.StatusRequestEntityTooLarge,
	tooManyPhotos:              http.StatusRequestEntityTooLarge,
	photo.NotAnImage:           http.StatusUnsupportedMediaType,
	photo.UnsupportedFormat:    http.StatusUnsupportedMediaType,
	photo.Truncated:            http.StatusUnprocessableEntity,
	photo.Corrupt:              http.StatusUnprocessableEntity,
	photo.LyingHeader:          http.StatusUnprocessableEntity,
	badOption:                  http.StatusUnprocessableEntity,
	noPhotos:                   http.StatusUnprocessableEntity,
	model(gemini.Blocked):      http.StatusUnprocessableEntity,
	model(gemini.Truncated):    http.StatusUnprocessableEntity,
	model(gemini.BadImage):     http.StatusUnprocessableEntity,
	model(gemini.Quota):        http.StatusTooManyRequests,
	model(gemini.Budget):       http.StatusTooManyRequests,
	internal:                   http.StatusInternalServerError,
	batchesOff:                 http.StatusNotImplemented,
	model(gemini.Malformed):    http.StatusBadGateway,
	model(gemini.Gone):         http.StatusBadGateway,
	model(gemini.Invalid):      http.StatusBadGateway,
	model(gemini.Emulated):     http.StatusBadGateway,
	model(gemini.Unavailable):  http.StatusBadGateway,
	model(gemini.Unauthorized): http.StatusBadGateway,
	busyNow:                    http.StatusServiceUnavailable,
	timeout:                    http.StatusGatewayTimeout,
}

// model is the code of a fault of a model.
func model(k gemini.Kind) string { return "model_" + string(k) }

// problemFor is the problem of a code.
func problemFor(code, format string, args ...any) problem {
	return problem{Code: code, Detail: fmt.Sprintf(format, args...)}.titled()
}

// titled fills in what follows from the code.
func (p problem) titled() problem {
	p.Status = statuses[p.Code]
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	return p
}

// after is p, to be tried again after d, in whole seconds that are not too few.
func (p problem) after(d time.Duration) problem {
	p.RetryAfter = int(max(0, (d+time.Second-1)/time.Second))
	return p
}

// passing reports that the same request may do better later.
func (p problem) passing() bool {
	return p.Status == http.StatusTooManyRequests || p.Status >= http.StatusInternalServerError && p.Status != http.StatusNotImplemented
}

func (p problem) write(w http.ResponseWriter) {
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // a client that has left
}

// problemOf says what went wrong and what to do about it.
func problemOf(err error) problem {
	var tooLarge *http.MaxBytesError
	var badPhoto *photo.Error
	var fault *gemini.Error
	var busy *admission.Busy
	switch {
	case errors.As(err, &tooLarge):
		return problemFor(photo.TooManyBytes, "the body is larger than %s: send less", sized(tooLarge.Limit))
	case errors.As(err, &badPhoto):
		return problemFor(badPhoto.Code, "%s", badPhoto.Public())
	case ended(err):
		return problemFor(timeout, "the answer took too long: try again")
	case errors.As(err, &fault):
		return modelProblem(fault)
	case errors.As(err, &busy):
		return problemFor(busyNow, "%s", busy.Public()).after(busy.RetryAfter)
	}
	for _, known := range sentinels {
		if errors.Is(err, known.err) {
			return problemFor(known.code, "%s", public.Text(err))
		}
	}
	slog.Error("request", "error", err)
	return problemFor(internal, "something here is broken; the log says what")
}

// sentinels are the errors that tell for themselves what is wrong.
var sentinels = []struct {
	err  error
	code string
}{
	{errBody, badBody},
	{intake.ErrOption, badOption},
	{batch.ErrRequest, badOption},
	{work.ErrCursor, badOption},
	{intake.ErrForbidden, bucketNotAllowed},
	{analyze.ErrTooMany, tooManyPhotos},
	{batch.ErrNoPhotos, noPhotos},
	{batch.ErrNotFound, batchNotFound},
	{work.ErrNotFound, resultNotFound},
	{errNotKept, photoNotKept},
	{errNoBatches, batchesOff},
	{blob.ErrNotFound, objectNotFound},
	{blob.ErrTooLarge, photo.TooManyBytes},
}

// ended reports that err is of a context, as Go or as gRPC says it.
func ended(err error) bool {
	code := status.Code(err)
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || code == codes.DeadlineExceeded || code == codes.Canceled
}

// modelProblem is the problem of a model call. Faults that only whoever runs the
// service can mend are logged in full and told in general.
func modelProblem(e *gemini.Error) problem {
	p := problemFor(model(e.Kind), "%s", e.Public()).after(e.RetryAfter)
	switch e.Kind {
	case gemini.Gone, gemini.Invalid, gemini.Unauthorized, gemini.Emulated:
		slog.Error("model", "error", e)
		p.Detail = "the model cannot be reached as it is configured; the log says why"
	}
	return p
}

// sized is a number of bytes for people.
func sized(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// withProblems is next, whose errors become problems.
func withProblems(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&problemWriter{ResponseWriter: w, r: r}, r)
	})
}

// A problemWriter writes a problem instead of an error's text.
type problemWriter struct {
	http.ResponseWriter
	r      *http.Request
	failed bool
}

func (w *problemWriter) WriteHeader(status int) {
	w.failed = status >= http.StatusBadRequest
	switch {
	case !w.failed:
		w.ResponseWriter.WriteHeader(status)
	case status == http.StatusMethodNotAllowed:
		problemFor(methodNotAllowed, "%s takes %s", short(w.r.URL.Path), w.Header().Get("Allow")).write(w.ResponseWriter)
	case status == http.StatusBadRequest:
		problemFor(badBody, "send a form with the field html, of at most 256 kB").write(w.ResponseWriter)
	default:
		problemFor(notFound, "there is nothing at %s", short(w.r.URL.Path)).write(w.ResponseWriter)
	}
}

func (w *problemWriter) Write(p []byte) (int, error) {
	if w.failed {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}
