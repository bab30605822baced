package blob

import (
	"errors"
	"net/http"

	"example.com/whatis/internal/outage"
	"google.golang.org/api/googleapi"
)

// Outage reports whether an error of Cloud Storage says nothing about the object: the
// service is down or overloaded, or a permission is missing.
func Outage(err error) bool {
	if outage.Away(err) {
		return true
	}
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
