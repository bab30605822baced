package api_test

import (
	"context"
	"encoding/json"
	"flag"
	"maps"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/forecast"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/session"
	"example.com/whatis/internal/spend"
)

// openAPI is the decoded document.
type openAPI struct {
	OpenAPI string
	Paths   map[string]map[string]struct {
		Parameters []struct{ Name, In string }
		Responses  map[string]struct {
			Codes []string `json:"x-problem-codes"`
		}
	}
	Components struct{ Schemas map[string]json.RawMessage }
}

var update = flag.Bool("update", false, "write the golden files anew")

func documented(t *testing.T) openAPI {
	t.Helper()
	return read[openAPI](t, photosAndSearch())
}

// photosAndSearch is the document of a service with those agents.
var photosAndSearch = sync.OnceValue(func() string {
	return document(api.Config{Skills: []agent.Skill{intake.Skill(nil), batch.Skill(nil), search.Skill(nil)}, Spend: spent})
})

// complete is the document with all agents.
var complete = sync.OnceValue(func() string {
	return document(api.Config{
		Skills:   []agent.Skill{intake.Skill(nil), batch.Skill(nil), search.Skill(nil), forecast.Skill(nil, nil), discover.Skill(nil)},
		Forecast: func(context.Context) (*forecast.Pipeline, error) { return nil, nil },
		Discover: func(context.Context) (*discover.Pipeline, error) { return nil, nil },
		Sessions: func(context.Context) (*session.Service, error) { return nil, nil },
		Spend:    spent,
	})
})

func spent(context.Context) (spend.Day, error) { return spend.Day{}, nil }

func document(c api.Config) string {
	w := httptest.NewRecorder()
	api.New(c).ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	return w.Body.String()
}

// A probe is a request with the documented path and status of its answer.
type probe struct {
	method, at, path, body string
	status                 int
	headers                []string
}

// probes returns requests for every route and every status that can be produced here.
func (s *service) probes() []probe {
	s.t.Helper()
	s.upload("a.jpg", picture(s.t, 40))
	s.upload("b.jpg", []byte("no photo"))
	_, body := s.ask("POST", "/batches", `{"prefix":"gs://uploads/","sample":2,"random":true,"seed":7}`)
	b := "/batches/" + read[batch.Status](s.t, body).ID
	s.work()
	s.uploaded("c.jpg", picture(s.t, 43))
	_, body = s.ask("GET", "/results", "")
	r := "/results/" + read[listing](s.t, body).Results[0].ID
	jpg, kind := string(picture(s.t, 44)), []string{"Content-Type", "application/json"}
	return []probe{
		{"GET", "/spend", "/spend", "", 200, nil},
		{"POST", "/spend/pause", "/spend/pause", "", 200, nil},
		{"DELETE", "/spend/pause", "/spend/pause", "", 200, nil},
		{"POST", "/analyze", "/analyze", jpg, 200, nil},
		{"POST", "/analyze", "/analyze", jpg, 200, []string{"Accept", "text/event-stream"}},
		{"POST", "/analyze", "/analyze?as=one", `[{"uri":"gs://uploads/a.jpg"},{"uri":"gs://uploads/c.jpg"}]`, 200, kind},
		{"POST", "/analyze/photos", "/analyze/photos", `[{"uri":"gs://uploads/a.jpg"},{"uri":"gs://uploads/b.jpg"}]`, 200, kind},
		{"POST", "/analyze/photos", "/analyze/photos", `[{"uri":"gs://uploads/a.jpg"}]`, 200, kind},
		{"POST", "/analyze/photos", "/analyze/photos?as=one", `[{"uri":"gs://uploads/a.jpg"},{"uri":"gs://uploads/c.jpg"}]`, 200, kind},
		{"POST", "/analyze/photos", "/analyze/photos", `[{"uri":"gs://uploads/a.jpg"}]`, 200, append([]string{"Accept", "text/event-stream"}, kind...)},
		{"POST", "/analyze/photos", "/analyze/photos", "[]", 400, kind},
		{"POST", "/analyze", "/analyze", "", 400, nil},
		{"POST", "/analyze", "/analyze", "{}", 400, kind},
		{"POST", "/analyze", "/analyze", jpg, 403, []string{"Sec-Fetch-Site", "cross-site"}},
		{"POST", "/analyze", "/analyze", `{"uri":"gs://other/a.jpg"}`, 403, kind},
		{"POST", "/analyze", "/analyze", `{"uri":"gs://uploads/z.jpg"}`, 404, kind},
		{"POST", "/analyze", "/analyze", string(picture(s.t, 400)), 413, nil},
		{"POST", "/analyze", "/analyze", "this is text", 415, nil},
		{"POST", "/analyze", "/analyze?lang=!", jpg, 422, nil},
		{"GET", "/results", "/results", "", 200, nil},
		{"GET", "/results", "/results?limit=0", "", 422, nil},
		{"GET", "/results/{id}", r, "", 200, nil},
		{"GET", "/results/{id}", "/results/0", "", 404, nil},
		{"GET", "/results/{id}/photo", r + "/photo", "", 200, nil},
		{"GET", "/results/{id}/photo", r + "/photo", "", 304, []string{"If-None-Match", `"` + r[len("/results/"):] + `-320"`}},
		{"GET", "/results/{id}/photo", "/results/0/photo", "", 404, nil},
		{"GET", "/results/{id}/photo", r + "/photo?width=1", "", 422, nil},
		{"POST", "/batches", "/batches", `{"prefix":"gs://uploads/"}`, 202, nil},
		{"POST", "/batches", "/batches", `{"prefix":"gs://uploads/","dry_run":true}`, 200, nil},
		{"POST", "/batches", "/batches", "", 400, nil},
		{"POST", "/batches", "/batches", "{}", 403, []string{"Sec-Fetch-Site", "cross-site"}},
		{"POST", "/batches", "/batches", `{"prefix":"gs://other/"}`, 403, nil},
		{"POST", "/batches", "/batches", `{"prefix":"` + strings.Repeat("a", 1e5), 413, nil},
		{"POST", "/batches", "/batches", `{"prefix":"gs://uploads/nothing"}`, 422, nil},
		{"GET", "/batches", "/batches", "", 200, nil},
		{"GET", "/batches/{id}", b, "", 200, nil},
		{"GET", "/batches/{id}", "/batches/0", "", 404, nil},
		{"DELETE", "/batches/{id}", b, "", 202, nil},
		{"DELETE", "/batches/{id}", b, "", 403, []string{"Sec-Fetch-Site", "cross-site"}},
		{"DELETE", "/batches/{id}", "/batches/0", "", 404, nil},
		{"GET", "/batches/{id}/result", b + "/result", "", 200, nil},
		{"GET", "/batches/{id}/result", b + "/result?format=csv", "", 200, nil},
		{"GET", "/batches/{id}/result", "/batches/0/result", "", 404, nil},
		{"GET", "/batches/{id}/result", b + "/result?format=pdf", "", 422, nil},
		{"GET", "/batches/{id}/events", b + "/events", "", 200, nil},
		{"GET", "/batches/{id}/events", "/batches/0/events", "", 404, nil},
		{"GET", "/batches/{id}/events", b + "/events", "", 400, []string{"Last-Event-ID", "x"}},
		{"GET", "/skills", "/skills", "", 200, nil},
		{"POST", "/skills/analyze", "/skills/analyze", `{"uri":"gs://uploads/a.jpg"}`, 200, nil},
		{"POST", "/skills/analyze", "/skills/analyze", `{"uri":"gs://uploads/a.jpg"}`, 200, []string{"Accept", "text/event-stream"}},
		{"POST", "/skills/analyze", "/skills/analyze", `{"uri":7}`, 422, nil},
		{"POST", "/skills/analyze", "/skills/analyze", `{"uri":"gs://other/a.jpg"}`, 403, nil},
		{"POST", "/skills/analyze", "/skills/analyze", `{"uri":"gs://uploads/z.jpg"}`, 404, nil},
		{"POST", "/skills/analyze", "/skills/analyze", `{"image":"dGV4dA=="}`, 415, nil},
		{"POST", "/skills/analyze_batch", "/skills/analyze_batch", `{"prefix":"gs://uploads/"}`, 202, nil},
		{"POST", "/skills/analyze_batch", "/skills/analyze_batch", `{"prefix":"gs://uploads/","dry_run":true}`, 422, nil},
		{"GET", "/skills/analyze_batch/{id}", "/skills/analyze_batch" + b[len("/batches"):], "", 200, nil},
		{"GET", "/skills/analyze_batch/{id}", "/skills/analyze_batch/0", "", 404, nil},
		{"DELETE", "/skills/analyze_batch/{id}", "/skills/analyze_batch" + b[len("/batches"):], "", 202, nil},
		{"GET", "/openapi.json", "/openapi.json", "", 200, nil},
		{"GET", "/caller", "/caller", "", 200, nil},
		{"GET", "/health", "/health", "", 200, nil},
		{"GET", "/", "/", "", 200, nil},
		{"GET", "/", "/", "", 200, []string{"Accept", "text/html"}},
	}
}

// Every documented route can be asked, and each status that can be produced here is answered.
func TestAnswersAreAsDocumented(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	t.Parallel()
	s := searching(t)
	asked := map[string]bool{}
	for _, p := range slices.Concat(s.probes(), s.searchProbes(), s.reviewProbes()) {
		asked[p.method+" "+p.at] = true
		if resp, body := s.ask(p.method, p.path, p.body, p.headers...); resp.StatusCode != p.status {
			t.Errorf("%s %s with %.40q = %s, %s; want %d", p.method, p.path, p.body, resp.Status, body, p.status)
		}
	}
	for path, methods := range documented(t).Paths {
		for method := range methods {
			if at := strings.ToUpper(method) + " " + path; !asked[at] {
				t.Errorf("%s is documented and was not asked", at)
			}
		}
	}
}

// A result has one of three shapes, in all answers that have it.
func TestShapesOfResults(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for i, outcome := range []string{analyze.OutcomeProduct, analyze.OutcomeNoProduct, analyze.OutcomeFailed} {
		photo := string(picture(t, 40+i))
		switch outcome {
		case analyze.OutcomeNoProduct:
			s.Gemini.Script(emulated.Answer{Kind: answers.KindImage, JSON: analyze.Analysis{NotProduct: true, Description: "a cat", KnownProduct: analyze.No, Side: analyze.SideLoose}})
		case analyze.OutcomeFailed:
			photo = "no photo"
		}
		name := outcome + ".jpg"
		s.upload(name, []byte(photo))
		_, list := s.ask("POST", "/analyze/photos", `[{"uri":"gs://uploads/`+name+`"}]`, "Content-Type", "application/json")
		r := read[[]struct{ Result struct{ ID, Outcome string } }](t, list)
		if len(r) != 1 || r[0].Result.Outcome != outcome {
			t.Fatalf("%s is answered %s", outcome, list)
		}
		s.ask("POST", "/analyze", photo)
		s.ask("POST", "/analyze", photo, "Accept", "text/event-stream")
		s.ask("POST", "/skills/analyze", `{"uri":"gs://uploads/`+name+`"}`)
		s.ask("GET", "/results/"+r[0].Result.ID, "")
	}
	_, body := s.ask("POST", "/batches", `{"prefix":"gs://uploads/"}`)
	s.work()
	b := "/batches/" + read[batch.Status](t, body).ID
	if _, body := s.ask("GET", b+"/result", ""); strings.Count(body, `"outcome":`) < 3 {
		t.Errorf("the batch has the results %s, want three", body)
	}
	s.ask("GET", b+"/events", "")
	s.ask("GET", "/results", "")
}

// The document must not change by accident. -update rewrites the file.
func TestGolden(t *testing.T) {
	t.Parallel()
	const golden = "testdata/openapi.json"
	document := complete()
	if *update {
		if err := os.WriteFile(golden, []byte(document), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, before := strings.Split(document, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(got), len(before)) {
		if got[i] != before[i] {
			t.Fatalf("the document differs from %s, first in line %d: if programs can live with that, run the test with -update. It is\n%s\nwant\n%s", golden, i+1, strings.Join(got[i:min(i+3, len(got))], "\n"), strings.Join(before[i:min(i+3, len(before))], "\n"))
		}
	}
	if len(got) != len(before) {
		t.Errorf("the document has %d lines, %s has %d: run the test with -update", len(got), golden, len(before))
	}
}

// Path parameters are the same in the document and in the mux.
func TestDocument(t *testing.T) {
	t.Parallel()
	d := documented(t)
	if d.OpenAPI != "3.1.1" || len(d.Paths) != 42 {
		t.Errorf("OpenAPI %s of %d paths, want 3.1.1 and 42", d.OpenAPI, len(d.Paths))
	}
	for path, methods := range d.Paths {
		for method, o := range methods {
			var named []string
			for _, p := range o.Parameters {
				named = append(named, p.In+" "+p.Name)
			}
			if strings.Contains(path, "{id}") != slices.Contains(named, "path id") {
				t.Errorf("%s %s has the parameters %q", method, path, named)
			}
		}
	}
}

// enumOf returns the codes in the document.
func enumOf(t *testing.T, d openAPI) []string {
	t.Helper()
	return slices.Sorted(slices.Values(read[struct{ Enum []string }](t, string(d.Components.Schemas["ProblemCode"])).Enum))
}

// Every code in the document belongs to a route, except those of requests that reach none.
func TestEveryCodeHasARoute(t *testing.T) {
	t.Parallel()
	d := documented(t)
	ofRoutes := map[string]bool{"not_found": true, "method_not_allowed": true, "unidentified": true, "identity_keys_unreachable": true, "misdirected_request": true, "request_header_fields_too_large": true, "slow_body": true}
	for _, methods := range d.Paths {
		for _, o := range methods {
			for _, answer := range o.Responses {
				for _, code := range answer.Codes {
					ofRoutes[code] = true
				}
			}
		}
	}
	if got, want := slices.Sorted(maps.Keys(ofRoutes)), enumOf(t, d); !slices.Equal(got, want) {
		t.Errorf("codes of routes: %q\ncodes of the document: %q", got, want)
	}
}
