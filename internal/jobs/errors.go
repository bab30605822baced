package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// lastAttempt is the attempt at which work is given up: the fifth only records the
// failure. An outage does not count as an attempt, but the work ages until GiveUpAfter;
// waiting for capacity, quota or budget costs neither an attempt nor age.
const lastAttempt = 5

// GivenUp is the error of work that is not tried any more. Another delivery does not
// help, but the work itself may be valid: a replay may succeed.
type GivenUp struct{ reason string }

func (g *GivenUp) Error() string { return "jobs: " + g.reason }

// Public returns the message for readers of the result.
func (g *GivenUp) Public() string { return g.reason }

// ErrContinue is wrapped by the error of an attempt that ran out of time, or failed, after
// it has stored a checkpoint: the next attempt continues there. The attempt does not count,
// and the work does not age.
var ErrContinue = errors.New("jobs: the next delivery continues")

// ErrStale is the error of FromCache for an earlier result that does not hold any more: it leaves the
// cache, and the work is done as if it had not been there.
var ErrStale = errors.New("jobs: the cached result does not hold any more")

// worthTrying returns a *GivenUp after too many attempts or at too great an age. cause
// is why the latest attempt failed.
func (e *Executor[R, E]) worthTrying(attempt int, age time.Duration, cause string) error {
	cause = strings.TrimRight(cmp.Or(cause, "the instance ended in the middle of it"), ".")
	switch {
	case attempt >= lastAttempt:
		return &GivenUp{fmt.Sprintf("%d attempts came to nothing, the last because of this: %s; replay it when that is mended", attempt-1, cause)}
	case age > e.GiveUpAfter:
		return &GivenUp{fmt.Sprintf("every attempt of %s failed, the last because of this: %s; replay it when that is mended", e.GiveUpAfter, cause)}
	}
	return nil
}

// longestCause is how many runes of a cause are kept.
const longestCause = 500

// Cause returns err's text for readers of a result or a status. An error without a user
// message is described by its kind only, without internal names and addresses.
func Cause(err error) string {
	if text, ok := usererror.Message(err); ok {
		return usererror.Short(text, longestCause)
	}
	switch code := status.Code(err); {
	case errors.Is(err, context.DeadlineExceeded):
		return "its time was up"
	case blob.Outage(err):
		return "Cloud Storage could not be reached or refused the call"
	case code != codes.OK && code != codes.Unknown:
		return "a service of Google Cloud answered " + code.String()
	}
	return "a fault of this program"
}

// permanent reports that the same work would fail with err again. Every other error is
// temporary, or the operators of the service can fix its cause.
func (e *Executor[R, E]) permanent(err error) bool {
	var given *GivenUp
	var model *gemini.Error
	return errors.As(err, &given) || errors.As(err, &model) && model.AboutContent() || e.kind.Fault(err).Permanent
}

// reasonOf returns the Reason to release work with after err.
func reasonOf(err error) Reason {
	switch {
	case mustWait(err):
		return Waiting
	case outage(err):
		return Outage
	}
	return Counted
}

// mustWait reports that the work could not be done now: no capacity, quota, budget or
// time left in its delivery, or the instance stops. Work that a later delivery continues
// waits for that.
func mustWait(err error) bool {
	var busy *admission.Busy
	var model *gemini.Error
	switch {
	case errors.As(err, &busy), errors.Is(err, context.Canceled), status.Code(err) == codes.Canceled, errors.Is(err, ErrLost), errors.Is(err, ErrBusy), errors.Is(err, ErrContinue):
		return true
	case errors.As(err, &model):
		return model.Kind == gemini.Quota || model.Kind == gemini.Budget || model.Kind == gemini.Later
	}
	return false
}

// outage reports that something the work needs is down or closed: the model (5xx,
// 401, 403, unpaid, not in the plan, no answer in time), Cloud Storage or Firestore. A delivery that ran out of
// its own time is no outage: the work may be the cause.
func outage(err error) bool {
	var model *gemini.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return false
	case errors.As(err, &model):
		return slices.Contains([]gemini.Kind{gemini.Unavailable, gemini.Unauthorized, gemini.Unpaid, gemini.NotInPlan}, model.Kind)
	}
	return store.Outage(err) || blob.Outage(err)
}
