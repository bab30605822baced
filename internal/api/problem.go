package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/intake"
	"example.com/whatis/internal/load"
	"example.com/whatis/internal/photo"
)

// A problem is an error as RFC 9457 writes it. Code is stable, Detail is for
// people.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Code   string `json:"code"`

	retryAfter time.Duration
}

func (p problem) write(w http.ResponseWriter) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	if p.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(p.retryAfter.Round(time.Second).Seconds())))
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // a client that has left
}

// problemOf says what went wrong and what to do about it.
func problemOf(err error) problem {
	var badPhoto *photo.Error
	var model *gemini.Error
	var tooLarge *http.MaxBytesError
	var busy *load.Busy
	switch {
	case errors.As(err, &tooLarge):
		return problem{Status: http.StatusRequestEntityTooLarge, Code: "too_many_bytes", Detail: fmt.Sprintf("the body is larger than %d MiB: send a smaller photo", tooLarge.Limit>>20)}
	case errors.As(err, &badPhoto):
		return problem{Status: photoStatus[badPhoto.Code], Code: badPhoto.Code, Detail: plain(badPhoto)}
	case errors.As(err, &model):
		return modelProblem(model)
	case errors.As(err, &busy):
		return problem{Status: http.StatusServiceUnavailable, Code: "busy", Detail: plain(busy), retryAfter: busy.RetryAfter}
	case errors.Is(err, errBody):
		return problem{Status: http.StatusBadRequest, Code: "bad_body", Detail: plain(err)}
	case errors.Is(err, intake.ErrOption):
		return problem{Status: http.StatusUnprocessableEntity, Code: "bad_option", Detail: plain(err)}
	case errors.Is(err, intake.ErrForbidden):
		return problem{Status: http.StatusForbidden, Code: "bucket_not_allowed", Detail: plain(err)}
	case errors.Is(err, blob.ErrNotFound):
		return problem{Status: http.StatusNotFound, Code: "object_not_found", Detail: plain(err)}
	case errors.Is(err, blob.ErrTooLarge):
		return problem{Status: http.StatusRequestEntityTooLarge, Code: "too_many_bytes", Detail: plain(err)}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return problem{Status: http.StatusGatewayTimeout, Code: "timeout", Detail: "the analysis took too long: try again"}
	}
	slog.Error("request", "error", err)
	return problem{Status: http.StatusInternalServerError, Code: "internal", Detail: "something here is broken; the log says what"}
}

// photoStatus is the status of each code of a photo.Error.
var photoStatus = map[string]int{
	photo.Empty:             http.StatusBadRequest,
	photo.NotAnImage:        http.StatusUnsupportedMediaType,
	photo.UnsupportedFormat: http.StatusUnsupportedMediaType,
	photo.Truncated:         http.StatusUnprocessableEntity,
	photo.Corrupt:           http.StatusUnprocessableEntity,
	photo.LyingHeader:       http.StatusUnprocessableEntity,
	photo.TooManyBytes:      http.StatusRequestEntityTooLarge,
	photo.TooManyPixels:     http.StatusRequestEntityTooLarge,
}

// modelProblem is the problem of a model call. Faults that only whoever runs the
// service can mend are logged in full and told in general.
func modelProblem(e *gemini.Error) problem {
	p := problem{Code: "model_" + string(e.Kind), retryAfter: e.RetryAfter, Detail: plain(e)}
	switch e.Kind {
	case gemini.Blocked, gemini.Truncated, gemini.BadImage:
		p.Status = http.StatusUnprocessableEntity
	case gemini.Quota, gemini.Budget:
		p.Status = http.StatusTooManyRequests
	case gemini.Malformed, gemini.Unavailable:
		p.Status = http.StatusBadGateway
	default:
		slog.Error("model", "error", e)
		p.Status, p.Detail = http.StatusBadGateway, "the model cannot be reached as it is configured; the log says why"
	}
	if errors.Is(e, context.DeadlineExceeded) {
		p.Status = http.StatusGatewayTimeout
	}
	return p
}

// plain is the text of err without the package names before it.
func plain(err error) string {
	text := err.Error()
	for _, name := range []string{"analyze: ", "intake: ", "photo: ", "blob: ", "api: ", "load: "} {
		text = strings.ReplaceAll(text, name, "")
	}
	return text
}
