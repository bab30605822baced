package main

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// The number of tries of a request, and the longest Retry-After that is waited for. If
// the service asks for more, the request fails.
const (
	tries       = 5
	longestWait = time.Minute
)

// errCut is the error of a stream that was cut before its last event.
var errCut = errors.New("the connection was cut before the answer was there")

// patiently repeats a request while the service has no capacity or quota, or the answer
// was cut off.
func (s *service) patiently(ctx context.Context, what string, ask func() error) error {
	for try := 1; ; try++ {
		err := ask()
		wait, again := pause(err, try)
		if !again || try == tries || ctx.Err() != nil {
			return err
		}
		s.note("%s: %s; trying again in %s", what, err, wait)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// pause returns how long to wait after err, and whether to try again.
func pause(err error, try int) (time.Duration, bool) {
	wait := time.Second << (try - 1)
	var p *problem
	switch {
	case errors.Is(err, errCut):
		return wait, true
	case !errors.As(err, &p) || p.Status != http.StatusTooManyRequests && p.Status != http.StatusServiceUnavailable:
		return 0, false
	case p.retryAfter > 0:
		wait = p.retryAfter
	}
	return wait, wait <= longestWait
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
