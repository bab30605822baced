package api

import (
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
)

// modelCodes are the problem codes of model errors, for all agents.
var modelCodes = map[gemini.Kind]web.Code{
	gemini.Blocked:      {Name: "model_blocked", Status: http.StatusUnprocessableEntity, Cause: "The model's service refuses the photo, the text or its own answer."},
	gemini.Truncated:    {Name: "model_truncated", Status: http.StatusUnprocessableEntity, Cause: "The model's answer is longer than its limit."},
	gemini.BadImage:     {Name: "model_bad_image", Status: http.StatusUnprocessableEntity, Cause: "The model's service cannot read the photo."},
	gemini.Quota:        {Name: "model_quota", Status: http.StatusTooManyRequests, Cause: "The model's quota is used up, for a minute or for the day."},
	gemini.NotInPlan:    {Name: "model_not_in_plan", Status: http.StatusBadGateway, Cause: "The plan of the key or project has none of the configured model."},
	gemini.Unpaid:       {Name: "model_unpaid", Status: http.StatusBadGateway, Cause: "The model's service is not paid for: no credits are left, a spending cap is reached, or billing is off."},
	gemini.NoSearch:     {Name: "model_no_search", Status: http.StatusBadGateway, Cause: "The plan of the key or project has no web search, or none is left today."},
	gemini.Budget:       {Name: "model_budget", Status: http.StatusTooManyRequests, Cause: "MAX_USD_PER_DAY is spent."},
	gemini.Malformed:    {Name: "model_malformed", Status: http.StatusBadGateway, Cause: "The model's answer does not fit its schema and could not be repaired."},
	gemini.Gone:         {Name: "model_gone", Status: http.StatusBadGateway, Cause: "The configured model does not exist, nor does its fallback."},
	gemini.Invalid:      {Name: "model_invalid", Status: http.StatusBadGateway, Cause: "The model's service finds the request wrong."},
	gemini.Emulated:     {Name: "model_emulated", Status: http.StatusBadGateway, Cause: "An emulated model answered a deployed service."},
	gemini.Unavailable:  {Name: "model_unavailable", Status: http.StatusBadGateway, Cause: "The model's service does not answer, or answers with an error of its own."},
	gemini.Unauthorized: {Name: "model_unauthorized", Status: http.StatusBadGateway, Cause: "The model's service refuses the key or the service account."},
}

// slowModel is the code of a model that has not answered while its caller waited.
var slowModel = web.Code{Name: "model_slow", Status: http.StatusServiceUnavailable, Cause: "No model has answered for CALLER_PATIENCE. What it answers later is kept for a while: ask again."}

// pausedWork is the code of a call while paid work is paused.
var pausedWork = web.Code{Name: "paid_work_paused", Status: http.StatusServiceUnavailable, Cause: "An owner has paused paid work."}

// modelProblems are the problems of every route that calls a model.
var modelProblems = slices.AppendSeq([]web.Code{web.TooManyCalls, slowModel, pausedWork}, maps.Values(modelCodes))

// models explains the errors of models for all parts of the site.
func models() web.Part { return web.Part{Explain: explainModel, Codes: modelProblems} }

// explainModel returns the problem for an error of a model call. Errors that only the
// operator can fix are logged in full and answered without details.
func explainModel(err error) (web.Problem, bool) {
	var fault *gemini.Error
	if !errors.As(err, &fault) {
		return web.Problem{}, false
	}
	if errors.Is(fault, admission.ErrForeign) {
		return web.CrossOrigin.Problem("%s", usererror.Text(admission.ErrForeign)), true
	}
	code := modelCodes[fault.Kind]
	switch fault.Reason {
	case gemini.SlowModel:
		code = slowModel
	case gemini.Paused:
		code = pausedWork
	}
	p := code.Problem("%s", usererror.Text(fault)).After(fault.RetryAfter)
	if hidden := fault.Error() != "gemini: "+fault.Public(); hidden {
		id := usererror.ID()
		slog.Info("model", "cause", fault, "error_id", id) // its agent has logged the error, which is counted once
		p.Detail += "; the log says more (error_id " + id + ")"
	}
	switch fault.Kind {
	case gemini.Gone, gemini.Invalid, gemini.Unauthorized, gemini.NotInPlan, gemini.Unpaid, gemini.NoSearch, gemini.Emulated:
		slog.Error("model", "error", fault)
		p.Detail = "the model cannot be reached as it is configured; the log says why"
	}
	return p, true
}
