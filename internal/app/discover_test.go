package app_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/jobs/queue"
)

// A discovery goes from POST /discover over its tasks to its result, as it is deployed.
func TestDiscover(t *testing.T) {
	w := emulate.Start(t)
	web, err := site.Start(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	const tasks = "projects/emulated/topics/tasks"
	if err := w.PubSub.CreateTopic(tasks); err != nil {
		t.Fatal(err)
	}
	point(t, w, "TASKS_TOPIC=tasks", "LONG_TASKS_TOPIC=", "FETCH_ALLOW="+web.Allow(), "BRAVE_SEARCH_API_KEY="+web.Token(), "BRAVE_SEARCH_BASE_URL="+web.SearchURL(),
		"EMULATED_WEB=Kenya;Argentina", "THINKING_MODEL=emulated-thinking", "STRUCTURED_MODEL=emulated-structured", "RELEVANCE_CHECK_MODEL=emulated-relevance")
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(c)
	tray := make(chan queue.Delivery, 100)
	w.PubSub.Subscribe(tasks, func(m pubsub.Message) {
		tray <- queue.Delivery{Data: m.Data, Meta: queue.Meta{Published: m.PublishTime}}
	})
	ask := func(method, path, body string) *httptest.ResponseRecorder {
		got := httptest.NewRecorder()
		a.API().ServeHTTP(got, httptest.NewRequest(method, path, strings.NewReader(body)))
		return got
	}
	var run struct{ ID, Action string }
	begun := ask("POST", "/discover", `{"country":"Kenya","sector":"waste","limits":{"max_iterations":1,"max_searches":1,"max_pages":4}}`)
	if err := json.Unmarshal(begun.Body.Bytes(), &run); err != nil || begun.Code != 202 || begun.Header().Get("Location") != "/discover/"+run.ID {
		t.Fatalf("POST /discover = %d, %s", begun.Code, begun.Body)
	}
	if got := ask("GET", "/discover/"+run.ID+"/result", ""); got.Code != 409 || !strings.Contains(got.Body.String(), "discovery_unfinished") {
		t.Errorf("the result of a run that goes on = %d, %s", got.Code, got.Body)
	}
	for run.Action == "" {
		if err := a.Tasks().Dispatch(t.Context(), <-tray); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(ask("GET", "/discover/"+run.ID, "").Body.Bytes(), &run); err != nil {
			t.Fatal(err)
		}
	}
	var result struct {
		Items []struct {
			Key string `json:"duplicate_key"`
		}
	}
	if err := json.Unmarshal(ask("GET", "/discover/"+run.ID+"/result", "").Body.Bytes(), &result); err != nil || len(result.Items) == 0 {
		t.Fatalf("no record was found: %v", err)
	}
	key := result.Items[0].Key
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/discover", "", 200, run.ID},
		{"GET", "/discover/" + run.ID + "/result", "", 200, `"emulated_web"`},
		{"GET", "/discover/" + run.ID + "/result?format=csv", "", 200, "status,name,url"},
		{"POST", "/discover/" + run.ID + "/marks", `{"duplicate_key":"` + key + `","verdict":"wrong","by":"Ana"}`, 200, `"verdict": "wrong"`},
		{"POST", "/discover/" + run.ID + "/marks", `{"duplicate_key":"` + key + `","verdict":"maybe"}`, 400, "right or wrong"},
		{"POST", "/discover/" + run.ID + "/marks", `{"duplicate_key":"none","verdict":"right"}`, 404, "record_not_found"},
		{"POST", "/discover/" + run.ID + "/marks", `{"key":"x"}`, 400, "duplicate_key"},
		{"POST", "/discover/20200101-000000-00000000/marks", `{"duplicate_key":"x","verdict":"right"}`, 404, "discovery_not_found"},
		{"POST", "/discover", `{"country":"KE","sector":"afolu","since":"` + run.ID + `"}`, 400, "another place or sector"},
		{"DELETE", "/discover/" + run.ID, "", 202, run.ID},
		{"GET", "/discover/20200101-000000-00000000", "", 404, "discovery_not_found"},
		{"POST", "/discover", `{"country":"KR"}`, 400, "afolu"},
		{"POST", "/discover", `{"region":"Córdoba","sector":"waste"}`, 409, "AR-X"},
		{"GET", "/openapi.json", "", 200, "/discover/{id}"},
	} {
		if got := ask(test.method, test.path, test.body); got.Code != test.status || !strings.Contains(got.Body.String(), test.want) {
			t.Errorf("%s %s %s = %d, %.300s; want %d with %q", test.method, test.path, test.body, got.Code, got.Body, test.status, test.want)
		}
	}
}
