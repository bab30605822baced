package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/outage"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/session"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

// produced are all errors with their problems.
var produced = []struct {
	err    error
	status int
	code   string
}{
	{fmt.Errorf("%w is no JSON", web.ErrBody), 400, "bad_body"},
	{&photo.Error{Code: photo.Empty}, 400, "empty"},
	{fmt.Errorf("search: %w", &search.InputError{Field: "limit", Message: "send 1 to 50"}), 400, "bad_search"},
	{search.ErrNoProduct, 404, "product_not_found"},
	{fmt.Errorf("search: %w", session.ErrNotFound), 404, "session_not_found"},
	{errNoPicture, 404, "no_picture"},
	{fmt.Errorf("%w: secrets", intake.ErrForbidden), 403, "bucket_not_allowed"},
	{fmt.Errorf("%w: a", blob.ErrNotFound), 404, "object_not_found"},
	{fmt.Errorf("%w: a", jobs.ErrNotFound), 404, "result_not_found"},
	{errNotKept, 404, "photo_not_kept"},
	{batch.ErrNotFound, 404, "batch_not_found"},
	{&http.MaxBytesError{Limit: maxBody}, 413, "too_many_bytes"},
	{blob.ErrTooLarge, 413, "too_many_bytes"},
	{blob.ErrEncoding, 415, "unsupported_encoding"},
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
	{jobs.ErrCursor, 400, "bad_cursor"},
	{batch.ErrNoPhotos, 422, "no_photos"},
	{&gemini.Error{Kind: gemini.Blocked}, 422, "model_blocked"},
	{&gemini.Error{Kind: gemini.Truncated}, 422, "model_truncated"},
	{&gemini.Error{Kind: gemini.BadImage}, 422, "model_bad_image"},
	{&gemini.Error{Kind: gemini.Quota}, 429, "model_quota"},
	{&gemini.Error{Kind: gemini.NotInPlan}, 502, "model_not_in_plan"},
	{&gemini.Error{Kind: gemini.Unpaid}, 502, "model_unpaid"},
	{&gemini.Error{Kind: gemini.NoSearch}, 502, "model_no_search"},
	{&gemini.Error{Kind: gemini.Budget}, 429, "model_budget"},
	{&gemini.Error{Kind: gemini.Budget, Reason: gemini.Paused}, 503, "paid_work_paused"},
	{&gemini.Error{Kind: gemini.Malformed}, 502, "model_malformed"},
	{&gemini.Error{Kind: gemini.Gone}, 502, "model_gone"},
	{&gemini.Error{Kind: gemini.Invalid}, 502, "model_invalid"},
	{&gemini.Error{Kind: gemini.Emulated}, 502, "model_emulated"},
	{&gemini.Error{Kind: gemini.Unauthorized}, 502, "model_unauthorized"},
	{&gemini.Error{Kind: gemini.Unavailable}, 502, "model_unavailable"},
	{&gemini.Error{Kind: gemini.Unavailable, Reason: gemini.SlowModel}, 503, "model_slow"},
	{&gemini.Error{Kind: gemini.Quota, Err: admission.ErrForeign}, 403, "cross_origin"},
	{errors.New("anything else"), 500, "internal"},
	{fmt.Errorf("%w: names no verdict", review.ErrRequest), 422, "bad_review"},
	{review.ErrNotFound, 404, "result_not_found"},
	{review.ErrNone, 404, "not_reviewed"},
	{review.ErrBusy, 409, "review_busy"},
	{&review.Superseded{Revision: "1.2", Now: &review.Review{}}, 409, "review_superseded"},
	{review.ErrRecord, 404, "record_not_found"},
	{review.ErrPlace, 400, "bad_cursor"},
	{fmt.Errorf("intake: %w", &caller.Denied{Needs: caller.Reader}), 403, "role_needed"},
	{errInProgress, 409, "result_busy"},
	{batch.ErrSummarised, 409, "result_busy"},
	{errNoReviews, 501, "reviews_off"},
	{errNoBatches, 501, "batches_off"},
	{errNoSearch, 501, "search_off"},
	{&search.Filling{Shop: "default", Stored: 120, Total: 374}, 503, "shop_filling"},
	{&admission.Busy{RetryAfter: time.Second}, 503, "busy"},
	{fmt.Errorf("store: read: %w", &outage.Error{Part: outage.Database}), 503, "away"},
	{&gemini.Error{Kind: gemini.Quota, Err: &admission.TooMany{PerMinute: 60, RetryAfter: time.Second}}, 429, "too_many_calls"},
	{fmt.Errorf("%w: no column has names", catalog.ErrFile), 422, "bad_file"},
	{errNoImports, 501, "imports_not_configured"},
	{context.DeadlineExceeded, 504, "timeout"},
	{fmt.Errorf("work: %w", context.Canceled), 504, "timeout"},
	{fmt.Errorf("recall: %w", status.Error(codes.Canceled, "the client left")), 504, "timeout"},
	{fmt.Errorf("work: get: %w", status.Error(codes.DeadlineExceeded, "too late")), 504, "timeout"},
	{&gemini.Error{Kind: gemini.Unavailable, Err: context.DeadlineExceeded}, 504, "timeout"},
}

func TestProblems(t *testing.T) {
	a := New(Config{})
	made := map[string]bool{web.NotFound.Name: true, web.MethodNotAllowed.Name: true, web.CrossOrigin.Name: true, web.Unidentified.Name: true, web.KeysAway.Name: true, "misdirected_request": true, "request_header_fields_too_large": true, "slow_body": true} // created by the site itself
	for _, test := range produced {
		p := a.Problem(test.err)
		if p.Status != test.status || p.Code != test.code || p.Detail == "" || p.Title == "" {
			t.Errorf("Problem(%v) = %+v, want %d %s", test.err, p, test.status, test.code)
		}
		made[p.Code] = true
	}
	d, err := a.Document()
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, code := range d.Components.Schemas["ProblemCode"].Enum {
		documented = append(documented, code.(string))
	}
	if got := slices.Sorted(maps.Keys(made)); !slices.Equal(got, documented) {
		t.Errorf("codes that are made: %q\ncodes of the document: %q", got, documented)
	}
	if p := a.Problem(&gemini.Error{Kind: gemini.Quota, RetryAfter: 2100 * time.Millisecond}); p.RetryAfter != 3 {
		t.Errorf("a quota for 2.1 s = %+v, want retry_after 3", p)
	}
}
