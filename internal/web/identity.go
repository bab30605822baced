package web

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/web/caller"
)

// keysRetry is after how long a caller should try again while the keys are unreachable.
const keysRetry = 5 * time.Second

// identified puts the caller into the context of every request, who is also whose model calls
// are counted; a nil verifier is that of an open service.
func identified(callers *caller.Verifier, next http.Handler) http.Handler {
	if callers == nil {
		callers = &caller.Verifier{Config: caller.Config{Access: caller.Open}}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := callers.Identify(r)
		if err != nil {
			slog.WarnContext(r.Context(), "caller not identified", "error", err)
			unidentified(err).Write(w)
			return
		}
		ctx := admission.WithCaller(caller.With(r.Context(), c), c.Key())
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// unidentified returns the problem of a request whose caller cannot be told.
func unidentified(err error) Problem {
	if errors.Is(err, caller.ErrKeys) {
		return KeysAway.Problem("who you are cannot be verified at the moment: the keys of identities are unreachable; try again").After(keysRetry)
	}
	return Unidentified.Problem("this service stands behind Identity-Aware Proxy, and the request has no valid assertion of it: open the service's own address and sign in")
}
