package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
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
	"example.com/whatis/internal/work"
)

// produced are the problems of every error there is.
var produced = []struct {
	err    error
	status int
	code   string
}{
	{fmt.Errorf("%w is no JSON", errBody), 400, "bad_body"},
	{&photo.Error{Code: photo.Empty}, 400, "empty"},
	{fmt.Errorf("%w: secrets", intake.ErrForbidden), 403, "bucket_not_allowed"},
	{fmt.Errorf("%w: a", blob.ErrNotFound), 404, "object_not_found"},
	{fmt.Errorf("%w: a", work.ErrNotFound), 404, "result_not_found"},
	{errNotKept, 404, "photo_not_kept"},
	{batch.ErrNotFound, 404, "batch_not_found"},
	{&http.MaxBytesError{Limit: maxBody}, 413, "too_many_bytes"},
	{blob.ErrTooLarge, 413, "too_many_bytes"},
	{&photo.Error{Code: photo.TooManyBytes}, 413, "too_many_bytes"},
	{&photo.Error{Code: photo.TooManyPixels}, 413, "too_many_pixels"},
	{analyze.ErrTooMany, 413, "too_many_photos"},
	{&photo.Error{Code: photo.NotAnImage}, 415, "not_an_image"},
	{&photo.Error{Code: photo.UnsupportedFormat}, 415, "unsupported_format"},
	{&photo.Error{Code: photo.Truncated}, 422, "truncated"},
	{&photo.Error{Code: photo.Corrupt}, 422, "corrupt"},
	{&photo.Error{Code: photo.LyingHeader}, 422, "lying_header"},
	{intake.ErrOption, 422, "bad_option"},
	{batch.ErrRequest, 422, "bad_option"},
	{work.ErrCursor, 422, "bad_option"},
	{batch.ErrNoPhotos, 422, "no_photos"},
	{&gemini.Error{Kind: gemini.Blocked}, 422, "model_blocked"},
	{&gemini.Error{Kind: gemini.Truncated}, 422, "model_truncated"},
	{&gemini.Error{Kind: gemini.BadImage}, 422, "model_bad_image"},
	{&gemini.Error{Kind: gemini.Quota}, 429, "model_quota"},
	{&gemini.Error{Kind: gemini.Budget}, 429, "model_budget"},
	{&gemini.Error{Kind: gemini.Malformed}, 502, "model_malformed"},
	{&gemini.Error{Kind: gemini.Gone}, 502, "model_gone"},
	{&gemini.Error{Kind: gemini.Invalid}, 502, "model_invalid"},
	{&gemini.Error{Kind: gemini.Emulated}, 502, "model_emulated"},
	{&gemini.Error{Kind: gemini.Unauthorized}, 502, "model_unauthorized"},
	{&gemini.Error{Kind: gemini.Unavailable}, 502, "model_unavailable"},
	{errors.New("anything else"), 500, "internal"},
	{errNoBatches, 501, "batches_off"},
	{&admission.Busy{RetryAfter: time.Second}, 503, "busy"},
	{context.DeadlineExceeded, 504, "timeout"},
	{fmt.Errorf("work: %w", context.Canceled), 504, "timeout"},
	{fmt.Errorf("recall: %w", status.Error(codes.Canceled, "the client left")), 504, "timeout"},
	{fmt.Errorf("work: get: %w", status.Error(codes.DeadlineExceeded, "too late")), 504, "timeout"},
	{&gemini.Error{Kind: gemini.Unavailable, Err: context.DeadlineExceeded}, 504, "timeout"},
}

func TestProblems(t *testing.T) {
	made := map[string]bool{notFound: true, methodNotAllowed: true, crossOrigin: true} // by api.go
	for _, test := range produced {
		p := problemOf(test.err)
		if p.Status != test.status || p.Code != test.code || p.Detail == "" || p.Title == "" {
			t.Errorf("problemOf(%v) = %+v, want %d %s", test.err, p, test.status, test.code)
		}
		made[p.Code] = true
	}
	if got, want := slices.Sorted(maps.Keys(made)), slices.Sorted(maps.Keys(statuses)); !slices.Equal(got, want) {
		t.Errorf("codes that are made: %q\ncodes of the document: %q", got, want)
	}
}

// Whoever is told to come back is not told to do so at once.
func TestRetryAfter(t *testing.T) {
	tests := []struct {
		wait   time.Duration
		body   string
		header string
	}{
		{-time.Second, `"code":"busy"}`, ""},
		{0, `"code":"busy"}`, ""},
		{time.Nanosecond, `"code":"busy","retry_after":1}`, "1"},
		{400 * time.Millisecond, `"code":"busy","retry_after":1}`, "1"},
		{time.Second, `"code":"busy","retry_after":1}`, "1"},
		{1400 * time.Millisecond, `"code":"busy","retry_after":2}`, "2"},
		{8 * time.Hour, `"code":"busy","retry_after":28800}`, "28800"},
	}
	for _, test := range tests {
		w := httptest.NewRecorder()
		problemOf(&admission.Busy{RetryAfter: test.wait}).write(w)
		if got := w.Header().Get("Retry-After"); got != test.header || !strings.HasSuffix(strings.TrimSpace(w.Body.String()), test.body) {
			t.Errorf("busy for %s: Retry-After %q, %s; want %q, …%s", test.wait, got, w.Body, test.header, test.body)
		}
	}
	if p := modelProblem(&gemini.Error{Kind: gemini.Quota, RetryAfter: 2100 * time.Millisecond}); p.RetryAfter != 3 {
		t.Errorf("a quota for 2.1 s = %+v, want retry_after 3", p)
	}
}
