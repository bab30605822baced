package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// lastAttempt is the attempt at which work is given up: the fifth, which only says
// so. An outage costs no attempt, so that the work has its GiveUpAfter; waiting for
// room, quota or money costs neither an attempt nor age.
const lastAttempt = 5

// GivenUp is why work is not tried any more. Delivering it again is of no use,
// although the work itself may be good: a replay may well succeed.
type GivenUp struct{ reason string }

func (g *GivenUp) Error() string { return "jobs: " + g.reason }

// Public is Error for those who read the result (package public).
func (g *GivenUp) Public() string { return g.reason }

// worthTrying refuses, with *GivenUp, an attempt after too many or at too great an
// age. cause is that of the latest one.
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

// Cause is err for those who read a result or a status. Of an error that has no message for them
// it is what sort of fault it is, without addresses and names of what is inside.
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

// permanent reports an error that the same work would meet again. Every other one is
// passing, or is mended by whoever runs the service.
func (e *Executor[R, E]) permanent(err error) bool {
	var given *GivenUp
	var model *gemini.Error
	return errors.As(err, &given) || errors.As(err, &model) && model.AboutContent() || e.kind.Fault(err).Permanent
}

// reasonOf is what an attempt that ended with err costs the work.
func reasonOf(err error) Reason {
	switch {
	case mustWait(err):
		return Waiting
	case outage(err):
		return Outage
	}
	return Counted
}

// mustWait reports that nobody could take the work on: no room, no quota, no money, no
// time left in its delivery, or an instance that goes away.
func mustWait(err error) bool {
	var busy *admission.Busy
	var model *gemini.Error
	switch {
	case errors.As(err, &busy), errors.Is(err, context.Canceled), status.Code(err) == codes.Canceled, errors.Is(err, ErrLost):
		return true
	case errors.As(err, &model):
		return model.Kind == gemini.Quota || model.Kind == gemini.Budget || model.Kind == gemini.Later
	}
	return false
}

// outage reports that something the work needs is down or closed: the model (5xx,
// 401, 403, no answer in time), Cloud Storage or Firestore. A delivery whose own
// time is up is none: the work may be to blame.
func outage(err error) bool {
	var model *gemini.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return false
	case errors.As(err, &model):
		return model.Kind == gemini.Unavailable || model.Kind == gemini.Unauthorized
	}
	return store.Outage(err) || blob.Outage(err)
}
