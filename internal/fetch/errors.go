package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"example.com/whatis/internal/usererror"
)

// The errors for an address or its response. Each has a text for callers
// (usererror.Message), to which details may be appended.
var (
	ErrForbiddenAddress = usererror.New("fetch", "this is no address of the public web: use an http or https address of a public host, on port 80 or 443, without a user name")
	ErrRobots           = usererror.New("fetch", "the site's robots.txt asks programs not to read this address: read it in a browser, or ask its owner")
	ErrRobotsAway       = usererror.New("fetch", "the site's robots.txt could not be read, so that nobody knows what it allows: try again later")
	ErrTooLarge         = usererror.New("fetch", "the file is larger than what is read: use a smaller one, or a page about it")
	ErrContentType      = usererror.New("fetch", "this kind of file is not read: use a page, a text, CSV, JSON, XML, XLSX, PDF or ZIP")
	ErrRedirects        = usererror.New("fetch", "the address redirects too often: use the one that it leads to")
	ErrLeftOut          = usererror.New("fetch", "it leads to a domain that is left out")
	ErrTimeout          = usererror.New("fetch", "the site did not answer in time: try again later")
	ErrUnreachable      = usererror.New("fetch", "the site could not be reached: check the address, or try again later")
)

// A StatusError is a response with a status other than success.
type StatusError struct {
	Status     int
	RetryAfter time.Duration // the wait that the site asks for; 0 if none
}

func newStatusError(r *http.Response) *StatusError {
	said := r.Header.Get("Retry-After")
	seconds, _ := strconv.Atoi(said)
	if date, err := http.ParseTime(said); err == nil {
		seconds = int(time.Until(date).Seconds())
	}
	return &StatusError{r.StatusCode, time.Duration(min(max(seconds, 0), 1<<20)) * time.Second}
}

func (e *StatusError) Error() string { return "fetch: " + e.Public() }

// Passing reports whether the site may answer otherwise later.
func (e *StatusError) Passing() bool {
	return e.Status == http.StatusTooManyRequests || e.Status >= http.StatusInternalServerError
}

// Public returns what to do about the status.
func (e *StatusError) Public() string {
	what := "check the address"
	switch {
	case e.Passing():
		what = "try again later"
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		what = "the page is not for the public"
	}
	return fmt.Sprintf("the site answered %d %s: %s", e.Status, http.StatusText(e.Status), what)
}

// Away reports whether err is that of a site which does not answer.
func Away(err error) bool {
	return errors.Is(err, ErrTimeout) || errors.Is(err, ErrUnreachable) || errors.Is(err, ErrRobotsAway)
}

// retryAfter returns how long to wait, according to err, before the host is requested
// again.
func retryAfter(err error) time.Duration {
	if s := (*StatusError)(nil); errors.As(err, &s) {
		return s.RetryAfter
	}
	return 0
}

// outcome converts err to an error of this package: the reason why ctx ended, if it has,
// what was refused, or that the site could not be reached.
func outcome(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if _, ours := usererror.Message(err); ours {
		return err
	}
	return fmt.Errorf("%w: %w", err, ErrUnreachable)
}
