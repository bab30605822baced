package app_test

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/firestore"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/app"
)

// With all parts there each check finds them well; with one of them broken its check says so, with
// a remedy, and no other does.
func TestExamine(t *testing.T) {
	w := emulate.Start(t)
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	for _, topic := range []string{"tasks", "long", "results", "failures"} {
		if err := w.PubSub.CreateTopic("projects/emulated/topics/" + topic); err != nil {
			t.Fatal(err)
		}
	}
	whole := []string{
		"GOOGLE_CLOUD_PROJECT=emulated", "TASKS_TOPIC=tasks", "LONG_TASKS_TOPIC=long", "RESULTS_TOPIC=results", "FAILURES_TOPIC=failures", "ACCESS=private", "EVENT_TIER=flex",
		"OPENWEATHER_API_KEY=emulated", "FORECAST_MODEL=emulated-forecast", "SPEECH_MODEL=emulated-speech", "SPEECH_LOCATION=", "GOOGLE_CLOUD_LOCATION=",
		"THINKING_MODEL=emulated-thinking", "STRUCTURED_MODEL=emulated-structured", "RELEVANCE_CHECK_MODEL=emulated-structured",
	}
	every := []string{"IMAGE_MODEL", "JUDGE_MODEL", "FORECAST_MODEL", "THINKING_MODEL", "STRUCTURED_MODEL, RELEVANCE_CHECK_MODEL", "JUDGE_MODEL with google_search", "EVENT_TIER flex", "EMBEDDING_MODEL", "SPEECH_MODEL"}
	for _, test := range []struct {
		name, line     string // line is added to the environment
		fault          gemini.Fault
		method         string // of Firestore, which answers code
		code           codes.Code
		state          string
		found          []string // the names of the findings that are not well
		detail, remedy string
	}{
		{name: "all well"},
		{name: "a model that is gone", line: "IMAGE_MODEL=gemini-0 EVENT_TIER=standard", state: app.Wrong, found: []string{"IMAGE_MODEL"}, detail: "gone", remedy: "name another model, or a location that has it"},
		{name: "one whose fallback answers", line: "EVENT_TIER=standard JUDGE_MODEL=gemini-0 WEB_SEARCH=false MODEL_FALLBACKS=gemini-0:emulated-judge", state: app.Wrong, found: []string{"JUDGE_MODEL"}, detail: "its fallback answered", remedy: "name another model"},
		{name: "a key that is refused", fault: gemini.Fault{Type: gemini.Forbidden}, state: app.Wrong, found: every, detail: "unauthorized", remedy: "https://aistudio.google.com/apikey"},
		{name: "no money", fault: gemini.Fault{Type: gemini.Unpaid}, state: app.Wrong, found: every, detail: "prepayment credits are depleted", remedy: "https://ai.studio/projects"},
		{name: "a model outside the plan", fault: gemini.Fault{Type: gemini.NotInPlan, Model: "emulated-judge"}, state: app.Wrong, found: []string{"JUDGE_MODEL", "JUDGE_MODEL with google_search"}, detail: "limit: 0", remedy: "enable billing"},
		{name: "a plan without search", fault: gemini.Fault{Type: gemini.NoSearch}, state: app.Wrong, found: []string{"JUDGE_MODEL with google_search"}, detail: "google_search", remedy: "WEB_SEARCH=false"},
		{name: "no search wanted", line: "WEB_SEARCH=false"},
		{name: "no capacity at flex", fault: gemini.Fault{Type: gemini.Unavailable, Tier: "flex"}, state: app.Wrong, found: []string{"EVENT_TIER flex"}, remedy: "EVENT_TIER=standard"},
		{name: "no embeddings", fault: gemini.Fault{Type: gemini.Gone, Model: "emulated-embedding"}, state: app.Wrong, found: []string{"EMBEDDING_MODEL"}, detail: "gone", remedy: "location"},
		{name: "no speech", fault: gemini.Fault{Type: gemini.Gone, Model: "emulated-speech"}, state: app.Wrong, found: []string{"SPEECH_MODEL"}, detail: "gone", remedy: "location"},
		{name: "text alone by choice", line: "SPEECH_MODEL=", state: app.Look, found: []string{"SPEECH_MODEL"}, detail: "text alone", remedy: "SPEECH_LOCATION=global"},
		{name: "a day that is quick to spend", fault: gemini.Fault{Type: gemini.DailyQuota, Model: "emulated-thinking"}, state: app.Wrong, found: []string{"THINKING_MODEL"}, detail: "midnight in California", remedy: "raise the quota"},
		{name: "an answer that is cut short is one", fault: gemini.Fault{Type: gemini.Truncated, Model: "emulated-thinking"}},
		{name: "no upload bucket", line: "UPLOAD_BUCKET=nowhere", state: app.Wrong, found: []string{"UPLOAD_BUCKET"}, detail: "nowhere", remedy: "output upload_bucket"},
		{name: "no results bucket", line: "RESULTS_BUCKET=nowhere", state: app.Wrong, found: []string{"RESULTS_BUCKET"}, detail: "nowhere", remedy: "output results_bucket"},
		{name: "a bucket of pictures", line: "PICTURE_BUCKETS=results,elsewhere", state: app.Wrong, found: []string{"PICTURE_BUCKETS elsewhere"}, detail: "elsewhere", remedy: "leave it out"},
		{name: "no database", method: "BatchGetDocuments", code: codes.NotFound, state: app.Wrong, found: []string{"FIRESTORE_DATABASE", "indexes of Firestore"}, remedy: ""},
		{name: "an index that is missing", method: "RunQuery", code: codes.FailedPrecondition, state: app.Wrong, found: []string{"indexes of Firestore"}, detail: "FailedPrecondition", remedy: "firestore.tf"},
		{name: "no topic of tasks", line: "TASKS_TOPIC=absent", state: app.Wrong, found: []string{"TASKS_TOPIC"}, detail: "absent", remedy: "topics list"},
		{name: "no topic of results", line: "RESULTS_TOPIC=absent", state: app.Wrong, found: []string{"RESULTS_TOPIC"}, detail: "absent", remedy: "topics list"},
		{name: "a topic that is not set", line: "FAILURES_TOPIC=", state: app.Look, found: []string{"FAILURES_TOPIC"}, detail: "nobody is told", remedy: "make it"},
		{name: "open", line: "ACCESS=open", state: app.Look, found: []string{"ACCESS"}, detail: "owner", remedy: "private"},
	} {
		t.Run(test.name, func(t *testing.T) {
			point(t, w, append(slices.Clone(whole), strings.Fields(test.line)...)...)
			if test.fault.Type != "" {
				w.Gemini.SetFaults(test.fault)
				defer w.Gemini.SetFaults()
			}
			if test.method != "" {
				w.Firestore.Fail(firestore.Fault{Method: test.method, Code: test.code, Times: 1000})
				defer w.Firestore.ClearFaults()
			}
			c, err := app.ReadConfig(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for f := range app.New(c).Examine(t.Context(), true, true) {
				if f.State == app.Well {
					continue
				}
				found = append(found, f.Name)
				if f.State != test.state || !strings.Contains(f.Detail, test.detail) || !strings.Contains(f.Remedy, test.remedy) || f.Remedy == "" {
					t.Errorf("%+v, want %s, %q, and the remedy %q", f, test.state, test.detail, test.remedy)
				}
			}
			if !slices.Equal(found, test.found) {
				t.Errorf("not well: %q, want %q", found, test.found)
			}
		})
	}
}

// What is looked at of the cloud costs nothing.
func TestExamineCloudAlone(t *testing.T) {
	w := emulate.Start(t)
	point(t, w, "GOOGLE_API_KEY=", "GEMINI_API_KEY=")
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for f := range app.New(c).Examine(t.Context(), false, true) {
		if f.USD != 0 || strings.Contains(f.Detail, "no key") {
			t.Errorf("%+v, want no call of a model", f)
		}
	}
	if calls := w.Gemini.Calls(); len(calls) > 0 {
		t.Errorf("%d calls of models", len(calls))
	}
}
