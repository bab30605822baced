package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/journal"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/work"
)

// A photo is given up at its fifth attempt, which only says so, and at the age of
// a day. An outage costs it no attempt, so that it has the day; waiting for room,
// quota or money costs it neither an attempt nor age.
const (
	lastAttempt = 5
	maxAge      = 24 * time.Hour
)

// WarnGivenUp is the warning of a result that says analysis_failed although the
// photo may be good: a replay may well succeed.
const WarnGivenUp = "given_up"

// givenUp is why a photo is not tried any more. Delivering it again is of no use,
// so that it counts as permanent.
type givenUp struct{ reason string }

func (g *givenUp) Error() string { return g.reason }

// attempt is an attempt at the delivered photo, unless those before were enough.
func (in *Intake) attempt(claim *work.Claim, req *analyze.Request, d Delivery) (analyze.Result, error) {
	if err := checkName(d); err != nil {
		return analyze.Result{}, err
	}
	switch {
	case claim.Attempt >= lastAttempt:
		return analyze.Result{}, &givenUp{fmt.Sprintf("%d attempts came to nothing: see the log, then replay it", claim.Attempt-1)}
	case claim.Age > in.GiveUpAfter:
		return analyze.Result{}, &givenUp{fmt.Sprintf("every attempt of %s failed, as something it needs is down: see the log, then replay it", in.GiveUpAfter)}
	}
	ctx := journal.With(claim.Context(), journal.Journal{Kept: claim.Kept, Keep: claim.Keep})
	return in.look(ctx, req, d)
}

// warningOf is the warning that a result which failed with err carries.
func warningOf(err error) []string {
	var given *givenUp
	if errors.As(err, &given) {
		return []string{WarnGivenUp}
	}
	return nil
}

// permanent reports a fault of the photo itself: the same bytes would meet it
// again. Everything else is passing, or is mended by whoever runs the service.
func permanent(err error) bool {
	var bad *photo.Error
	var model *gemini.Error
	var given *givenUp
	switch {
	case errors.As(err, &bad), errors.As(err, &given), errors.Is(err, errName), errors.Is(err, blob.ErrTooLarge):
		return true
	case errors.As(err, &model):
		return model.Kind == gemini.Blocked || model.Kind == gemini.Truncated || model.Kind == gemini.BadImage
	}
	return false
}

// reasonOf is what an attempt that ended with err costs the photo.
func reasonOf(err error) work.Reason {
	switch {
	case mustWait(err):
		return work.Waiting
	case outage(err):
		return work.Outage
	}
	return work.Counted
}

// mustWait reports that nobody could take the photo on: no room, no quota, no
// money, or an instance that goes away.
func mustWait(err error) bool {
	var busy *admission.Busy
	var model *gemini.Error
	switch {
	case errors.As(err, &busy), errors.Is(err, context.Canceled), status.Code(err) == codes.Canceled, errors.Is(err, work.ErrLost):
		return true
	case errors.As(err, &model):
		return model.Kind == gemini.Quota || model.Kind == gemini.Budget
	}
	return false
}

// outage reports that something the photo needs is down or closed: the model (5xx,
// 401, 403, no answer in time), Cloud Storage or Firestore. A delivery whose own
// time is up is none: the photo may be to blame.
func outage(err error) bool {
	var model *gemini.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return false
	case errors.As(err, &model):
		return model.Kind == gemini.Unavailable || model.Kind == gemini.Unauthorized
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.Aborted, codes.ResourceExhausted, codes.PermissionDenied, codes.Unauthenticated:
		return true
	}
	return blob.Outage(err)
}
