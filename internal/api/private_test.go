package api_test

import (
	"strings"
	"testing"

	gcp "cloud.google.com/go/firestore"

	"example.com/whatis/internal/analyze"
)

// failed uploads a file that cannot be analysed and has its result listed.
func (s *service) failed(name string) {
	s.t.Helper()
	s.uploaded(name, []byte("no photo"))
}

// Failed results are listed with their code.
func TestFailedResults(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.uploaded("good.jpg", picture(t, 40))
	s.failed("a.txt")
	s.failed("batches/b.jpg")
	_, body := s.ask("GET", "/results?error=analysis_failed", "")
	var files []string
	for _, l := range read[listing](t, body).Results {
		files = append(files, l.File)
	}
	if got, want := strings.Join(files, " "), "gs://uploads/batches/b.jpg gs://uploads/a.txt"; got != want {
		t.Errorf("listed as %s: %s, want %s", analyze.AnalysisFailed, got, want)
	}
}

// Private responses are not cached, and a photo is removed with its result.
func TestPrivate(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.uploaded("a.jpg", picture(t, 40))
	_, body := s.ask("GET", "/results", "")
	id := read[listing](t, body).Results[0].ID
	for _, path := range []string{"/results", "/results/" + id, "/batches", "/results/none", "/nothing", "/"} {
		if resp, _ := s.ask("GET", path, ""); resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("GET %s: Cache-Control %q, want no-store", path, resp.Header.Get("Cache-Control"))
		}
	}
	if resp, _ := s.ask("POST", "/analyze", string(picture(t, 41))); resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("POST /analyze: Cache-Control %q, want no-store", resp.Header.Get("Cache-Control"))
	}
	photo := "/results/" + id + "/photo"
	resp, _ := s.ask("GET", photo, "")
	tag := resp.Header.Get("ETag")
	if resp, _ := s.ask("GET", photo, "", "If-None-Match", tag); tag == "" || resp.StatusCode != 304 {
		t.Errorf("GET photo with If-None-Match %q = %s, want 304 while its result is there", tag, resp.Status)
	}
	if _, err := s.FirestoreClient(t).Collection("work").Doc(id).Delete(t.Context(), gcp.Exists); err != nil {
		t.Fatal(err)
	}
	for _, header := range [][]string{nil, {"If-None-Match", tag}} {
		if resp, body := s.ask("GET", photo, "", header...); resp.StatusCode != 404 || !strings.Contains(body, "result_not_found") {
			t.Errorf("GET photo with %q, its result gone = %s, %s; want 404 result_not_found", header, resp.Status, body)
		}
	}
}

// Errors of the page are problem documents, too.
func TestPageProblems(t *testing.T) {
	t.Parallel()
	s := serve(t)
	tests := []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "/page/nothing", "", 404, "not_found"},
		{"POST", "/page/app.js", "", 405, "method_not_allowed"},
		{"POST", "/page/suggestions", strings.Repeat("x", 300<<10), 400, "bad_body"},
	}
	for _, test := range tests {
		resp, body := s.ask(test.method, test.path, test.body, "Content-Type", "application/x-www-form-urlencoded")
		if resp.StatusCode != test.status {
			t.Errorf("%s %s = %s, %s; want %d", test.method, test.path, resp.Status, body, test.status)
			continue
		}
		fields := read[map[string]any](t, body)
		if fields["code"] != test.code {
			t.Errorf("%s %s = %v, want %s", test.method, test.path, fields, test.code)
		}
		checkProblem(t, test.path, resp, fields)
	}
}
