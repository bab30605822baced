package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"google.golang.org/genai"
)

// longestMessage is how much of an external error text is kept, in bytes.
const longestMessage = 400

// reasonTimeout is the Reason of a try without an answer in time.
const reasonTimeout = "timeout"

// explain converts an error of the SDK, of a kind of job, to an *Error. It keeps only the message, shortened
// and without keys, because the SDK's errors quote whole bodies.
func (c *Client) explain(ctx context.Context, model, job string, err error) *Error {
	e := &Error{Kind: Unavailable, Model: model}
	var status genai.APIError
	switch {
	case ctx.Err() != nil:
		e.Err = ctx.Err()
	case errors.As(err, &status):
		c.explainStatus(e, job, status)
	case errors.Is(err, context.DeadlineExceeded):
		e.Reason = reasonTimeout
		e.Err = fmt.Errorf("no answer within %v", c.timeout(TierOf(ctx)))
	case unreadable(err):
		e.Reason = "unreadable"
		e.Err = errors.New("the body of the answer is not what the API promises")
	default: // including failure to get a token for Vertex AI
		e.Reason = "connection"
		e.Err = foreign(c.clean(err.Error()))
	}
	return e
}

func (c *Client) explainStatus(e *Error, job string, status genai.APIError) {
	e.Reason, e.status = c.clean(status.Status), status.Code
	e.Err = foreign(fmt.Sprintf("%d: %s", status.Code, c.clean(status.Message)))
	e.RetryAfter = retryDelay(status.Details)
	switch code := status.Code; {
	case unpaid(status):
		e.refuse(Unpaid, "the service is not paid for: see https://ai.studio/projects")
	case outsidePlan(status):
		e.refuse(NotInPlan, "the plan of the key or project has none of this model: enable billing at https://ai.studio/projects, or name another model")
	case code == http.StatusTooManyRequests && job == jobSearch && toolExhausted(status):
		e.refuse(NoSearch, "the plan has no web search, or none is left of it today; the model answers without google_search: enable billing at https://ai.studio/projects, or set WEB_SEARCH=false")
	case code == http.StatusTooManyRequests:
		e.Kind = Quota
		if quota, ok := dailyQuota(status.Details); ok {
			e.explainDaily(c.clean(quota), time.Now())
		}
	case !c.vertex && (code == http.StatusUnauthorized || hasReason(status.Details, "API_KEY_INVALID")):
		e.refuse(Unauthorized, keyAdvice)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		e.Kind = Unauthorized
	case code == http.StatusNotFound:
		e.Kind = Gone
		if lacks := LacksModel(e.Model, c.locationOf(kind(job))); c.vertex && lacks != "" {
			e.Err = foreign(fmt.Sprintf("%v; %s: change %s, or the model", e.Err, lacks, kind(job).locationSetting()))
		}
	case code == http.StatusBadRequest && badImage(status.Message):
		e.Kind = BadImage
	case code >= 300 && code < 500 && code != http.StatusRequestTimeout && code != statusCancelled:
		e.Kind = Invalid
	}
}

// keyAdvice stands before the service's sentence on a key that it refuses, which asks for an OAuth
// token where another key is what is needed (github.com/Kilo-Org/kilocode/pull/12162,
// github.com/NousResearch/hermes-agent/pull/114315; ai.google.dev/gemini-api/docs/api-key).
const keyAdvice = "the Gemini API refuses the key: since September 2026 it takes auth keys (AQ.…) and no standard ones (AIza…); make one at https://aistudio.google.com/apikey and set it as GOOGLE_API_KEY, which counts before GEMINI_API_KEY"

// statusCancelled is the status of a call that the service has cancelled itself (code
// CANCELLED): as a time-out it passes.
const statusCancelled = 499

// errUnreadable replaces a panic of the SDK.
var errUnreadable = errors.New("unreadable")

// recoverPanic, when deferred, turns a panic of the SDK into an error. The SDK panics on
// bodies with values of unexpected types, such as {"candidates":"none"}.
func recoverPanic(err *error) {
	if recover() != nil {
		*err = errUnreadable
	}
}

func unreadable(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.Is(err, errUnreadable) || errors.As(err, &syntax) || errors.As(err, &kind)
}

// clean removes keys from a message and shortens it.
func (c *Client) clean(message string) string {
	message = c.redact(message)
	if len(message) > longestMessage {
		message = strings.ToValidUTF8(message[:longestMessage], "") + "…"
	}
	return message
}

// retryDelay returns the delay in a google.rpc.RetryInfo, 0 if there is none.
func retryDelay(details []map[string]any) time.Duration {
	for _, d := range details {
		if s, ok := d["retryDelay"].(string); ok {
			if wait, err := time.ParseDuration(s); err == nil && wait > 0 {
				return wait
			}
		}
	}
	return 0
}

// badImage reports whether message is that of the service's 400 for a picture that it
// cannot read, on either backend.
func badImage(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "process input image") || strings.Contains(message, "image is not valid")
}

// hasReason reports whether a google.rpc.ErrorInfo in details gives that reason.
func hasReason(details []map[string]any, reason string) bool {
	return slices.ContainsFunc(details, func(d map[string]any) bool { return d["reason"] == reason })
}
