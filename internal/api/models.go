package api

import (
	"errors"
	"log/slog"
	"net/http"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
)

// modelStatuses are the HTTP statuses of model errors, for all agents.
var modelStatuses = map[gemini.Kind]int{
	gemini.Blocked:      http.StatusUnprocessableEntity,
	gemini.Truncated:    http.StatusUnprocessableEntity,
	gemini.BadImage:     http.StatusUnprocessableEntity,
	gemini.Quota:        http.StatusTooManyRequests,
	gemini.Budget:       http.StatusTooManyRequests,
	gemini.Malformed:    http.StatusBadGateway,
	gemini.Gone:         http.StatusBadGateway,
	gemini.Invalid:      http.StatusBadGateway,
	gemini.Emulated:     http.StatusBadGateway,
	gemini.Unavailable:  http.StatusBadGateway,
	gemini.Unauthorized: http.StatusBadGateway,
}

// modelCode returns the problem code of a model error.
func modelCode(k gemini.Kind) web.Code {
	return web.Code{Name: "model_" + string(k), Status: modelStatuses[k]}
}

// modelProblems are the problems of every route that calls a model.
var modelProblems = func() []web.Code {
	all := []web.Code{web.TooManyCalls}
	for k := range modelStatuses {
		all = append(all, modelCode(k))
	}
	return all
}()

// models explains the errors of models for all parts of the site.
func models() web.Part { return web.Part{Explain: explainModel, Codes: modelProblems} }

// explainModel returns the problem for an error of a model call. Errors that only the
// operator can fix are logged in full and answered without details.
func explainModel(err error) (web.Problem, bool) {
	var fault *gemini.Error
	if !errors.As(err, &fault) {
		return web.Problem{}, false
	}
	p := modelCode(fault.Kind).Problem("%s", usererror.Text(fault)).After(fault.RetryAfter)
	if hidden := fault.Error() != "gemini: "+fault.Public(); hidden {
		id := usererror.ID()
		slog.Info("model", "cause", fault, "error_id", id) // its agent has logged the error, which is counted once
		p.Detail += "; the log says more (error_id " + id + ")"
	}
	switch fault.Kind {
	case gemini.Gone, gemini.Invalid, gemini.Unauthorized, gemini.Emulated:
		slog.Error("model", "error", fault)
		p.Detail = "the model cannot be reached as it is configured; the log says why"
	}
	return p, true
}
