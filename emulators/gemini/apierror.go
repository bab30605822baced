package gemini

import (
	"cmp"
	"fmt"
	"net/http"
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
			"metadata": map[string]string{"service": "generativelanguage.googleapis.com"}}}}
	errInternal = apiError{Code: http.StatusInternalServerError, Status: "INTERNAL",
		Message: "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"}
	errUnavailable = apiError{Code: http.StatusServiceUnavailable, Status: "UNAVAILABLE",
		Message: "The model is overloaded. Please try again later."}
)

func notFound(message string) apiError {
	return apiError{Code: http.StatusNotFound, Status: "NOT_FOUND", Message: message}
}

func badRequest(message string) apiError {
	return apiError{Code: http.StatusBadRequest, Status: "INVALID_ARGUMENT", Message: message}
}

// gone is the answer for a model that is shut down.
func gone(model string) apiError {
	return notFound(fmt.Sprintf("models/%s is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.", model))
}

func rateLimited(model string, delay time.Duration) apiError {
	return exhausted(model, "GenerateRequestsPerMinutePerProjectPerModel", "60", delay)
}

func dailyQuota(model string, delay time.Duration) apiError {
	return exhausted(model, "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "250", cmp.Or(delay, 27*time.Second))
}

// exhausted is a 429 with the details of the service: which quota, and when to
// come back. A delay of 0 leaves RetryInfo out.
func exhausted(model, quotaID, limit string, delay time.Duration) apiError {
	details := []map[string]any{{
		"@type": "type.googleapis.com/google.rpc.QuotaFailure",
		"violations": []map[string]any{{
			"quotaMetric":     "generativelanguage.googleapis.com/generate_requests",
			"quotaId":         quotaID,
			"quotaDimensions": map[string]string{"location": "global", "model": model},
			"quotaValue":      limit,
		}},
	}}
	if delay > 0 {
		details = append(details, map[string]any{
			"@type":      "type.googleapis.com/google.rpc.RetryInfo",
			"retryDelay": fmt.Sprintf("%gs", delay.Seconds()),
		})
	}
	return apiError{Code: http.StatusTooManyRequests, Status: "RESOURCE_EXHAUSTED", Details: details,
		Message: "You exceeded your current quota, please check your plan and billing details."}
}
