package gemini

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // for pacific, in images without time zone files

	"google.golang.org/genai"
)

// The service says with one status, 429, that a call must wait, that the plan has none of the
// model, that nobody pays, and that the plan has no google_search. Only its sentence and its
// google.rpc.QuotaFailure tell them apart. TestRefusalsAsReported names reports of
// each.
var (
	unpaidSentence   = regexp.MustCompile(`(?i)prepay(ment)? credit|spending cap|dunning`)
	noPlanSentence   = regexp.MustCompile(`limit: 0(\D|$)|free tier is not available`)
	exceededSentence = "You exceeded your current quota"
)

// unpaid reports that credits are used up, a spending cap is reached, or billing is off.
func unpaid(status genai.APIError) bool {
	return status.Code == http.StatusPaymentRequired || hasReason(status.Details, "BILLING_DISABLED") || unpaidSentence.MatchString(status.Message)
}

// outsidePlan reports that the limit of the plan is 0. A QuotaFailure without a value is no
// proof: it is also written of a quota that is spent.
func outsidePlan(status genai.APIError) bool {
	return noPlanSentence.MatchString(status.Message) ||
		slices.ContainsFunc(violations(status.Details), func(v map[string]any) bool { return v["quotaValue"] == "0" })
}

// toolExhausted reports that a search was refused for google_search, not for the model: every
// present refusal for a quota of the model names it.
func toolExhausted(status genai.APIError) bool {
	return strings.HasPrefix(status.Message, exceededSentence) && len(violations(status.Details)) == 0 && !strings.Contains(status.Message, "limit: ")
}

// refuse makes e a refusal that only a person ends. todo says how; the service's own words follow.
func (e *Error) refuse(kind Kind, todo string) {
	e.Kind, e.RetryAfter = kind, 0
	e.Err = foreign(fmt.Sprintf("%s; the service says: %v", todo, e.Err))
}

// violations returns those of each google.rpc.QuotaFailure.
func violations(details []map[string]any) (all []map[string]any) {
	for _, d := range details {
		list, _ := d["violations"].([]any)
		for _, v := range list {
			if violation, ok := v.(map[string]any); ok {
				all = append(all, violation)
			}
		}
	}
	return all
}

// dailyQuota returns the name of the daily quota that a google.rpc.QuotaFailure reports as
// exhausted, such as GenerateRequestsPerDayPerProjectPerModel-FreeTier.
func dailyQuota(details []map[string]any) (name string, ok bool) {
	for _, v := range violations(details) {
		id, _ := v["quotaId"].(string)
		if strings.Contains(strings.ToLower(id), "perday") {
			return id, true
		}
	}
	return "", false
}

// explainDaily sets in e when a daily quota resets. The service's message and RetryInfo
// name some seconds, after which it would refuse again.
func (e *Error) explainDaily(quota string, now time.Time) {
	returns := quotaReset(now)
	e.PerDay, e.RetryAfter = true, returns.Sub(now)
	e.Err = fmt.Errorf("the daily quota %s is spent; it returns at midnight in California, %s; "+
		"to go on before, raise it or name another model", quota, returns.UTC().Format("2006-01-02 15:04 UTC"))
}

// quotaReset returns when daily quotas reset: "Requests per day (RPD) quotas reset at
// midnight Pacific time" (ai.google.dev/gemini-api/docs/rate-limits); the daily quotas of
// Google Cloud do so too.
func quotaReset(now time.Time) time.Time {
	now = now.In(pacific)
	return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, pacific)
}

// pacific is available on every machine, because time/tzdata is linked in (450 kB).
var pacific = func() *time.Location {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		panic(err) // only without time/tzdata
	}
	return zone
}()
