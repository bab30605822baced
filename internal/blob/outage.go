package blob

import (
	"errors"
	"net/http"

	"google.golang.org/api/googleapi"
)

// Outage reports an error of Cloud Storage that says nothing of the object: the
// service is down or asks for patience, or a right is missing.
func Outage(err error) bool {
	var e *googleapi.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return e.Code >= http.StatusInternalServerError
}
