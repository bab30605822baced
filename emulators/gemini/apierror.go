package gemini

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// apiError is an error as Google's services write it: google.rpc.Status with
// typed details.
type apiError struct {
	Code    int              `json:"code"`
	Message string           `json:"message"`
	Status  string           `json:"status"`
	Details []map[string]any `json:"details,omitempty"`
}

var (
	errNoKey = apiError{Code: http.StatusForbidden, Status: "PERMISSION_DENIED",
		Message: "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."}
	errBadKey = apiError{Code: http.StatusBadRequest, Status: "INVALID_ARGUMENT",
		Message: "API key not valid. Please pass a valid API key.",
		Details: []map[string]any{{
			"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com",
			"metadata": map[string]string{"service": "generativelanguage.googleapis.com"}}, {
			"@type": "type.googleapis.com/google.rpc.LocalizedMessage", "locale": "en-US",
			"message": "API key not valid. Please pass a valid API key."}}}
	// errInvalidArgument is the service's bare 400, which names no field: of a corrupt file,
	// and of a schema that it does not serve.
	errInvalidArgument = badRequest("Request contains an invalid argument.")
	errInternal        = apiError{Code: http.StatusInternalServerError, Status: "INTERNAL",
		Message: "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"}
	errForbidden = apiError{Code: http.StatusForbidden, Status: "PERMISSION_DENIED",
		Message: "Permission denied: the caller does not have permission."}
	errCancelled   = apiError{Code: 499, Status: "CANCELLED", Message: "The operation was cancelled."}
	errUnavailable = apiError{Code: http.StatusServiceUnavailable, Status: "UNAVAILABLE",
		Message: "The model is overloaded. Please try again later."}
)

func (e apiError) Error() string { return e.Message }

// refusal returns the service's answer to a request refused with err.
func refusal(err error) apiError {
	var e apiError
	if errors.As(err, &e) {
		return e
	}
	return badRequest(err.Error())
}

// failures are the names of the codes that a Failure may have.
var failures = map[int]string{
	http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusNotFound: "NOT_FOUND", http.StatusTooManyRequests: "RESOURCE_EXHAUSTED",
	http.StatusInternalServerError: "INTERNAL", http.StatusServiceUnavailable: "UNAVAILABLE", http.StatusGatewayTimeout: "DEADLINE_EXCEEDED",
}

// Failure returns the error of a Responder or Embedder that is answered with that HTTP
// status: 400, 404, 429, 500, 503 or 504; any other is 500.
func Failure(code int, message string) error {
	if failures[code] == "" {
		code = http.StatusInternalServerError
	}
	return apiError{Code: code, Status: failures[code], Message: message}
}

func notFound(message string) apiError {
	return apiError{Code: http.StatusNotFound, Status: "NOT_FOUND", Message: message}
}

func badRequest(message string) apiError {
	return apiError{Code: http.StatusBadRequest, Status: "INVALID_ARGUMENT", Message: message}
}

// badField returns a refusal that names the field as the service does, in the
// message and in a google.rpc.BadRequest.
func badField(path, message string) apiError {
	e := badRequest(message)
	e.Details = []map[string]any{{
		"@type":           "type.googleapis.com/google.rpc.BadRequest",
		"fieldViolations": []map[string]string{{"field": path, "description": message}},
	}}
	return e
}

func unknownName(path, name string) apiError {
	at := ""
	if path != "" {
		at = fmt.Sprintf(" at '%s'", path)
	}
	return badField(path, fmt.Sprintf("Invalid JSON payload received. Unknown name %q%s: Cannot find field.", name, at))
}

func invalidValue(path, wanted string, v any) apiError {
	got, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was JSON a moment ago
	}
	if len(got) > 100 {
		got = append(got[:wholeRunes(string(got), 100)], "…"...)
	}
	return badField(path, fmt.Sprintf("Invalid value at '%s' (%s), %s", path, wanted, got))
}

// join returns the path of a field below another.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// gone returns the answer for a model that is shut down, never was, or is not made
// for the method.
func gone(to route) apiError {
	if to.vertex {
		return notFound(fmt.Sprintf("Publisher Model `publishers/google/models/%s` was not found or your project does not have access to it, or it is not supported for %s. Please ensure you are using a valid model version.", to.model, to.method))
	}
	return notFound(fmt.Sprintf("models/%s is not found for API version v1beta, or is not supported for %s. Call ListModels to see the list of available models and their supported methods.", to.model, to.method))
}

func rateLimited(model string, delay time.Duration) apiError {
	return exhausted(model, "GenerateRequestsPerMinutePerProjectPerModel", "60", delay)
}

func dailyQuota(model string, delay time.Duration) apiError {
	return exhausted(model, "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "250", cmp.Or(delay, 27*time.Second))
}

// notInPlan is the answer to a key without quota for the model: proto3 writes no quotaValue
// of 0, and the RetryInfo is of no use (github.com/continuedev/continue/issues/12744).
func notInPlan(model string) apiError {
	e := exhausted(model, "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "0", 5*time.Second)
	delete(e.Details[1]["violations"].([]map[string]any)[0], "quotaValue")
	return e
}

var (
	errUnpaid = apiError{Code: http.StatusTooManyRequests, Status: "RESOURCE_EXHAUSTED",
		Message: "Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing."}
	// errNoSearch is the answer to a free key that sends google_search to Gemini 3, and to a paid
	// one without a search left today: it names no quota
	// (github.com/rikkahub/rikkahub/issues/1431, github.com/googleapis/python-genai/issues/1427).
	errNoSearch = apiError{Code: http.StatusTooManyRequests, Status: "RESOURCE_EXHAUSTED", Details: quotaHelp, Message: quotaMessage}
)

const quotaMessage = "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits. To monitor your current usage, head to: https://ai.dev/rate-limit. "

var quotaHelp = []map[string]any{{
	"@type": "type.googleapis.com/google.rpc.Help",
	"links": []map[string]any{{"description": "Learn more about Gemini API quotas", "url": "https://ai.google.dev/gemini-api/docs/rate-limits"}},
}}

// exhausted returns a 429 with the details of the service: which quota, and when to
// come back. A delay of 0 leaves RetryInfo out.
func exhausted(model, quotaID, limit string, delay time.Duration) apiError {
	metric := "generativelanguage.googleapis.com/generate_requests"
	if strings.HasSuffix(quotaID, "-FreeTier") {
		metric = "generativelanguage.googleapis.com/generate_content_free_tier_requests"
	}
	message := fmt.Sprintf("%s\n* Quota exceeded for metric: %s, limit: %s, model: %s", quotaMessage, metric, limit, model)
	details := append(slices.Clone(quotaHelp), map[string]any{
		"@type": "type.googleapis.com/google.rpc.QuotaFailure",
		"violations": []map[string]any{{
			"quotaMetric":     metric,
			"quotaId":         quotaID,
			"quotaDimensions": map[string]string{"location": "global", "model": model},
			"quotaValue":      limit,
		}},
	})
	if delay > 0 {
		message += fmt.Sprintf("\nPlease retry in %gs.", delay.Seconds())
		details = append(details, map[string]any{
			"@type":      "type.googleapis.com/google.rpc.RetryInfo",
			"retryDelay": fmt.Sprintf("%gs", delay.Seconds()),
		})
	}
	return apiError{Code: http.StatusTooManyRequests, Status: "RESOURCE_EXHAUSTED", Details: details, Message: message}
}
