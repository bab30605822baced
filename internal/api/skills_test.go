package api_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/jobs"
)

type told struct {
	Words string `json:"words"`
	Times int    `json:"times,omitempty"`
}

// echo returns a skill without an agent.
func echo() agent.Skill {
	return agent.NewSkill(agent.Card{ID: "echo", Name: "Echo", Description: "Says what it is told."},
		func(_ context.Context, in told, emit func(*agent.Event)) (told, error) {
			if in.Words == "" {
				return told{}, errors.New("echo: the secret is out")
			}
			for i := range in.Times {
				emit(&agent.Event{Author: "echo", Kind: agent.ToolResult, Time: time.UnixMicro(36).UTC(), Data: i + 1})
			}
			if in.Times > 9 {
				return told{}, errors.New("echo: out of breath")
			}
			return in, nil
		})
}

// echoed is the n-th event of echo.
func echoed(n int) string {
	return fmt.Sprintf(`{"author":"echo","kind":"tool_result","time":"1970-01-01T00:00:00.000036Z","data":%d}`, n)
}

// Any skill has its route, its problems, its stream and its place in the documents,
// without a line of its own here.
func TestAnySkill(t *testing.T) {
	memory := admission.New(admission.Config{Requests: 1 << 20, Work: 1, Queue: 1, Patience: time.Second})
	a := api.New(api.Config{Skills: []agent.Skill{echo()}, Memory: memory})
	stream := "text/event-stream"
	tests := []struct {
		method, path, body, accept, last string
		status                           int
		want                             string
	}{
		{"POST", "/skills/echo", `{"words":"a<b"}`, "", "", 200, "{\n  \"words\": \"a<b\"\n}\n"},
		{"POST", "/skills/echo", `{"words":"a","times":2}`, stream, "", 200,
			"event: agent\nid: 10-1\ndata: " + echoed(1) + "\n\nevent: agent\nid: 10-2\ndata: " + echoed(2) + "\n\nevent: result\nid: 10-3\ndata: {\"words\":\"a\",\"times\":2}\n\nevent: end\nid: 10-3\ndata: {}\n\n"},
		{"POST", "/skills/echo", `{"words":"a","times":2}`, stream, "10-1", 200,
			"event: agent\nid: 10-2\ndata: " + echoed(2) + "\n\nevent: result\nid: 10-3\n"},
		{"POST", "/skills/echo", `{"words":"a","times":10}`, stream, "10-9", 200, "event: agent\nid: 10-10\ndata: " + echoed(10) + "\n\nevent: problem\nid: 10-10\ndata: {\"type\":\"about:blank\""},
		{"POST", "/skills/echo", `{"word":"a"}`, stream, "", 422, `"code":"bad_input"`},
		{"POST", "/skills/echo", `{"word":"a"}`, "", "", 422, `unexpected additional properties [\"word\"]: send {words, times?}`},
		{"POST", "/skills/echo", `{`, "", "", 422, "it is no JSON"},
		{"POST", "/skills/echo", `{"words":""}`, "", "", 500, "the log says what"},
		{"POST", "/skills/echo", `{"words":"` + strings.Repeat("x", 32<<20), "", "", 413, "too_many_bytes"},
		{"GET", "/skills/echo", "", "", "", 405, "/skills/echo takes POST"},
		{"POST", "/skills/other", "", "", "", 404, "not_found"},
		{"GET", "/skills", "", "", "", 200, `"description": "Says what it is told."`},
		{"GET", "/openapi.json", "", "", "", 200, `"/skills/echo"`},
	}
	for _, test := range tests {
		r := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
		r.Header.Set("Accept", test.accept)
		r.Header.Set("Last-Event-ID", test.last)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s %s %.40q, %q behind %q = %d, %.600s; want %d with %s", test.method, test.path, test.body, test.accept, test.last, w.Code, w.Body, test.status, test.want)
		}
	}
	if leave, ok := memory.TryAcquire(1 << 20); !ok {
		t.Error("a skill does not release its memory")
	} else {
		leave()
	}
}

// The skill for photos answers like POST /analyze, and shares its cache.
func TestAnalyzeSkill(t *testing.T) {
	t.Parallel()
	s := serve(t)
	image := base64.StdEncoding.EncodeToString(picture(t, 40))
	tests := []struct {
		body   string
		status int
		want   string
	}{
		{`{"image":"` + image + `","lang":"en"}`, 200, `"lang": "en"`},
		{`{"image":"` + image + `","lang":"en"}`, 200, `"cached": true`},
		{`{"image":"` + image + `","uri":"gs://uploads/a.jpg"}`, 422, "send one of them"},
		{`{}`, 422, "it has neither image nor uri"},
		{`{"image":"` + image + `","policy":"lax"}`, 422, "wrong input: policy: lax does not equal any of: [seed strict]: send {image?, uri?, "},
		{`{"image":"` + image + `","country":"Korea"}`, 422, "bad_option"},
		{`{"image":"` + image[:len(image)/8*4] + `"}`, 422, "truncated"},
		{`{"image":"?"}`, 422, "image is no base64"},
	}
	for _, test := range tests {
		if resp, body := s.ask("POST", "/skills/analyze", test.body); resp.StatusCode != test.status || !strings.Contains(body, test.want) {
			t.Errorf("POST %.80s = %s, %s; want %d with %s", test.body, resp.Status, body, test.status, test.want)
		}
	}
}

// The skill for batches is started, followed by its ID, and cancelled.
func TestBatchSkill(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.upload("a.jpg", picture(t, 40))
	start := func() string {
		resp, body := s.ask("POST", "/skills/analyze_batch", `{"prefix":"gs://uploads/"}`)
		run := read[agent.Status](t, body)
		if resp.StatusCode != 202 || run.State != jobs.Working || resp.Header.Get("Location") != "/skills/analyze_batch/"+run.ID {
			t.Fatalf("start = %s, %s", resp.Status, body)
		}
		return resp.Header.Get("Location")
	}
	want := func(path string, state jobs.State) {
		t.Helper()
		_, body := s.ask("GET", path, "")
		run := read[agent.Status](t, body)
		if run.State != state || read[batch.Status](t, string(run.Output)).ID != run.ID {
			t.Errorf("GET %s = %s, want it %s", path, body, state)
		}
	}
	done := start()
	want(done, jobs.Working)
	s.work()
	want(done, jobs.Done)
	cancelled := start()
	if resp, body := s.ask("DELETE", cancelled, ""); resp.StatusCode != 202 {
		t.Errorf("DELETE = %s, %s", resp.Status, body)
	}
	s.work()
	want(cancelled, jobs.Canceled)
	if resp, body := s.ask("GET", "/skills/analyze_batch/none", ""); resp.StatusCode != 404 || !strings.Contains(body, "batch_not_found") {
		t.Errorf("GET of no run = %s, %s", resp.Status, body)
	}
}
