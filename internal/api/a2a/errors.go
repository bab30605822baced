package a2a

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/whatis/internal/web"
)

// invalid returns the error for a request that its sender can correct (-32602).
func invalid(format string, args ...any) error {
	return a2a.NewError(a2a.ErrInvalidParams, fmt.Sprintf(format, args...))
}

// protocolErrors are errors that have a code and a public text in the protocol.
var protocolErrors = []error{
	a2a.ErrTaskNotFound, a2a.ErrTaskNotCancelable, a2a.ErrUnsupportedOperation,
	a2a.ErrPushNotificationNotSupported, a2a.ErrExtendedCardNotConfigured,
}

// public returns the error that callers may read for err: one of the protocol, or the
// service's problem; nil for nil. Errors that callers can correct have code -32602, all others
// -32603.
func (d *Server) public(err error) error {
	if err == nil {
		return nil
	}
	var told *a2a.Error
	if errors.As(err, &told) {
		return told
	}
	for _, known := range protocolErrors {
		if errors.Is(err, known) {
			return known
		}
	}
	return errorOf(d.Problem(err))
}

func errorOf(p web.Problem) error {
	kind := a2a.ErrInvalidParams
	if p.Status >= http.StatusInternalServerError || p.Status == http.StatusTooManyRequests {
		kind = a2a.ErrInternalError
	}
	return a2a.NewError(kind, p.Detail).WithDetails(problemData(p))
}

// problemData returns p as structured data.
func problemData(p web.Problem) map[string]any {
	data := map[string]any{"code": p.Code}
	if p.RetryAfter > 0 {
		data["retry_after"] = p.RetryAfter
	}
	return data
}
