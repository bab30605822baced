package api

import (
	"errors"
	"log/slog"
	"net/http"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
)

// modelStatuses are the statuses of the faults of models, whatever agent asked them.
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

// modelCode is the code of a fault of a model.
func modelCode(k gemini.Kind) web.Code {
	return web.Code{Name: "model_" + string(k), Status: modelStatuses[k]}
}

// onModels are the problems that routes have which ask a model.
var onModels = func() (all []web.Code) {
	for k := range modelStatuses {
		all = append(all, modelCode(k))
	}
	return all
}()

// models explains the faults of models for every room.
func models() web.Part { return web.Part{Explain: explainModel, Codes: onModels} }

// explainModel is the problem of a model call. Faults that only whoever runs the
// service can mend are logged in full and told in general.
func explainModel(err error) (web.Problem, bool) {
	var fault *gemini.Error
	if !errors.As(err, &fault) {
		return web.Problem{}, false
	}
	p := modelCode(fault.Kind).Problem("%s", usererror.Text(fault)).After(fault.RetryAfter)
	switch fault.Kind {
	case gemini.Gone, gemini.Invalid, gemini.Unauthorized, gemini.Emulated:
		slog.Error("model", "error", fault)
		p.Detail = "the model cannot be reached as it is configured; the log says why"
	}
	return p, true
}
