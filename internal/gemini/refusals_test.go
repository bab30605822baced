package gemini

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const (
	exceeded = "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits."
	monitor  = " To monitor your current usage, head to: https://ai.dev/rate-limit. "
	helpOnly = `[{"@type":"type.googleapis.com/google.rpc.Help","links":[{"description":"Learn more about Gemini API quotas","url":"https://ai.google.dev/gemini-api/docs/rate-limits"}]}]`
	metrics  = "generativelanguage.googleapis.com/"
)

// Refusals of the service as people have reported them, the sources beside them: what each
// means is in its own sentence and in its QuotaFailure. Of a wait, how long it is.
func TestRefusalsAsReported(t *testing.T) {
	quota := func(id, value, retry string) string {
		if value != "" {
			value = `,"quotaValue":"` + value + `"`
		}
		return `[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"` + metrics + `generate_content_free_tier_requests","quotaId":"` + id + `","quotaDimensions":{"location":"global","model":"gemini-9"}` + value + `}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"` + retry + `"}]`
	}
	const perDay, perMinute = "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"
	limit := func(n string) string {
		return exceeded + monitor + `\n* Quota exceeded for metric: ` + metrics + `generate_content_free_tier_requests, limit: ` + n + `, model: gemini-9\nPlease retry in 5.2s.`
	}
	tests := []struct {
		name, source     string
		status           int
		message, details string
		search           bool
		kind             Kind
		says             string
	}{
		{"a minute, free", "Farrice/mes-knowledge-base", 429, limit("5"), quota(perMinute, "5", "358s"), false, Quota, "limit: 5"},
		{"a minute, a paid search", "api-examples#98", 429, limit("60"), quota(perMinute, "60", "358s"), true, Quota, "limit: 60"},
		{"a day, free", "void#557", 429, exceeded, quota(perDay, "25", "5s"), false, Quota, "returns at midnight in California"},
		{"a day, a search", "openclaw#66116", 429, limit("20"), quota(perDay, "20", "5s"), true, Quota, "returns at midnight in California"},
		{"a day, no value", "gemini-cli#1474", 429, exceeded, quota(perDay, "", "5s"), false, Quota, perDay},
		{"tokens a minute", "ask-page-extension#21", 429, strings.Replace(limit("16000"), "requests", "input_token_count", 1), quota("GenerateContentInputTokensPerModelPerMinute-FreeTier", "16000", "358s"), false, Quota, "limit: 16000"},
		{"an old throttle", "gemini-cli#2020", 429, "Resource has been exhausted (e.g. check quota).", "", false, Quota, "check quota"},
		{"the same, with the tool", "cookbook#411", 429, "Resource has been exhausted (e.g. check quota).", "", true, Quota, "check quota"},
		{"Vertex AI's shared quota", "gemini-cli#15498", 429, "Resource exhausted. Please try again later. Please refer to https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.", "", true, Quota, "try again later"},
		{"Vertex AI's quota of old", "introspection_self_prediction#66", 429, "Quota exceeded for aiplatform.googleapis.com/generate_content_requests_per_minute_per_project_per_base_model with base model: gemini-9. Please submit a quota increase request.", "", false, Quota, "quota increase"},
		{"the sentence alone", "discuss.ai.google.dev/112161", 429, exceeded, "", false, Quota, "check your plan"},

		{"no free quota", "continue#12744", 429, limit("0"), quota(perDay, "", "5s"), false, NotInPlan, "https://ai.studio/projects"},
		{"no free quota, a search", "litellm#33421", 429, limit("0"), quota(perMinute, "", "29s"), true, NotInPlan, "https://ai.studio/projects"},
		{"no paid quota", "PortraitGenerator", 429, exceeded + monitor + `\n* Quota exceeded for metric: ` + metrics + `generate_requests_per_model_per_day, limit: 0`, "", false, NotInPlan, "limit: 0"},
		{"a value of 0", "as the field is documented", 429, exceeded, quota(perDay, "0", "5s"), false, NotInPlan, "another model"},
		{"no free use in a country", "ai.google.dev/gemini-api/docs/troubleshooting", 400, "Gemini API free tier is not available in your country. Please enable billing on your project in Google AI Studio.", "", false, NotInPlan, "enable billing"},

		{"credits", "dyad#3626", 429, "Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing.", "", false, Unpaid, "https://ai.studio/projects"},
		{"credits, a search", "dyad#3626", 429, "Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing.", helpOnly, true, Unpaid, "https://ai.studio/projects"},
		{"credits, as documented", "ai.google.dev/gemini-api/docs/troubleshooting", 402, "Your Prepay credit balance is depleted.", "", false, Unpaid, "https://ai.studio/projects"},
		{"a project's cap", "reports of April to September 2026", 429, "Your project has exceeded its monthly spending cap. Please go to AI Studio at https://ai.studio/spend to manage your project spend cap. Learn more at https://ai.google.dev/gemini-api/docs/billing#project-spend-caps.", "", false, Unpaid, "https://ai.studio/spend"},
		{"a tier's cap", "reports of August 2026", 429, "Your billing account has exceeded its monthly spending cap. Please go to AI Studio at https://ai.studio/billing to manage your billing. Learn more at https://ai.google.dev/gemini-api/docs/billing#tier-spend-caps. ", "", true, Unpaid, "https://ai.studio/billing"},
		{"unpaid invoices", "reports of September 2026", 403, "Lightning dunning decision is deny for project: projects/123456789012", "", false, Unpaid, "dunning"},
		{"billing is off", "as ErrorInfo is documented", 403, "This API method requires billing to be enabled.", `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"BILLING_DISABLED","domain":"googleapis.com"}]`, false, Unpaid, "requires billing"},

		{"no free grounding", "rikkahub#1431", 429, exceeded + monitor, helpOnly, true, NoSearch, "without google_search"},
		{"the day's grounding of tier 3", "python-genai#1427", 429, exceeded, helpOnly, true, NoSearch, "without google_search"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			calls, body := 0, fmt.Sprintf(`{"error":{"code":%d,"message":"%s","status":"RESOURCE_EXHAUSTED","details":%s}}`, test.status, test.message, cmp.Or(test.details, "[]"))
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				calls++
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(test.status)
				io.WriteString(w, body)
			}))
			defer service.Close()
			q := question(judge)
			q.Search = test.search
			_, err := open(t, Config{BaseURL: service.URL}).Generate(WithAccount(t.Context(), &Account{Attempts: 2}), q)
			e := failure(t, "Generate", err)
			if e.Kind != test.kind || !strings.Contains(e.Error(), test.says) {
				t.Errorf("%s (%s) = %v, want %s, and %q", test.name, test.source, e, test.kind, test.says)
			}
			if strings.Contains(e.Public(), "http") || strings.Contains(e.Public(), "billing") {
				t.Errorf("callers read %q, want nothing of the service's own words", e.Public())
			}
			passes := test.kind == Quota
			if e.Retryable() != passes || !passes && (e.RetryAfter != 0 || calls != 1) {
				t.Errorf("%v may succeed later: %v, after %v, and was asked %d times", e, e.Retryable(), e.RetryAfter, calls)
			}
		})
	}
}
