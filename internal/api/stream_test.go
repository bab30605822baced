package api_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/api"
)

// event is one server-sent event.
type event struct {
	kind, id, data string
}

// events reads a stream until enough returns true or it ends.
func events(t *testing.T, body io.Reader, enough func(event) bool) (all []event) {
	t.Helper()
	var e event
	for lines := bufio.NewScanner(body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			e.kind = value
		case "id":
			e.id = value
		case "data":
			e.data = value
			if !json.Valid([]byte(value)) {
				t.Errorf("the data of %s are no JSON: %.200s", e.kind, value)
			}
		case "":
			if value != "" || e.kind == "" {
				continue
			}
			all = append(all, e)
			if enough != nil && enough(e) {
				return all
			}
			e = event{}
		}
	}
	return all
}

// streamed requests a stream and returns all of its events.
func (s *service) streamed(method, path, body string, headers ...string) []event {
	s.t.Helper()
	resp, text := s.ask(method, path, body, append(headers, "Accept", "text/event-stream")...)
	if resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		s.t.Fatalf("%s %s = %s, %.300s", method, path, resp.Status, text)
	}
	return events(s.t, strings.NewReader(text), nil)
}

func kinds(all []event) (kinds []string) {
	for _, e := range all {
		kinds = append(kinds, e.kind)
	}
	return slices.Compact(kinds)
}

func TestStream(t *testing.T) {
	t.Parallel()
	s := serve(t)
	all := s.streamed("POST", "/analyze", string(picture(t, 40)))
	if got, want := kinds(all), []string{"agent", "result", "end"}; !slices.Equal(got, want) {
		t.Fatalf("the events are %q, want %q", got, want)
	}
	first := read[map[string]any](t, all[0].data)
	if first["author"] == "" || first["kind"] != "started" || first["file"] != nil {
		t.Errorf("the first event is %v, want that an agent has started", first)
	}
	r := read[analyze.Result](t, all[len(all)-2].data)
	if r.ID == "" || r.Image == nil {
		t.Errorf("the result is %+v", r)
	}
	for i, e := range all[:len(all)-1] {
		if _, n, _ := strings.Cut(e.id, "-"); n != fmt.Sprint(i+1) {
			t.Errorf("event %d has the ID %q, want it to end with its number", i+1, e.id)
		}
		if strings.Contains(e.data, "/9j/") {
			t.Errorf("event %d holds the photo: %.200s", i+1, e.data)
		}
	}
	if again := s.streamed("POST", "/analyze", string(picture(t, 40))); !slices.Equal(kinds(again), []string{"result", "end"}) {
		t.Errorf("asked again: %q, want the result that is there", kinds(again))
	}
}

// Who follows a photo sees its lines and then its printed names while the model still writes, in
// one call, as who does not; a stream that breaks is asked for anew, and ends as one that does not.
func TestStreamOfAReading(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.in.Limits.MaxPixels = 1 << 20
	pace := emulated.Pace{FirstToken: 20 * time.Millisecond, PerSecond: 500}
	s.Gemini.SetPace(pace)
	photo := string(samples.All()[0].Bytes())
	type partial struct {
		Kind   string
		Author string
		Data   analyze.Glimpse
	}
	follow := func() (lines, name, end time.Duration, last analyze.Glimpse, r analyze.Result) {
		began := time.Now()
		resp, err := http.DefaultClient.Do(s.request("POST", "/analyze?fresh=true", photo, "Accept", "text/event-stream"))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		events(t, resp.Body, func(e event) bool {
			switch {
			case e.kind == "result":
				end, r = time.Since(began), read[analyze.Result](t, e.data)
			case e.kind == "agent" && strings.Contains(e.data, `"kind":"partial"`):
				last = read[partial](t, e.data).Data
				if lines == 0 {
					lines = time.Since(began)
				}
				if name == 0 && last.NameAsPrinted != "" {
					name = time.Since(began)
				}
			}
			return e.kind == "end"
		})
		return lines, name, end, last, r
	}
	lines, name, end, last, r := follow()
	if last.NameAsPrinted != r.Evidence.ProductName.Text || len(last.VisibleText) != len(r.VisibleText) || last.VisibleText[0].Box == nil {
		t.Errorf("the last that was seen is %+v, want the lines and the name of %+v", last, r)
	}
	calls := s.Gemini.Calls()
	writes := time.Duration(float64(calls[0].Usage.CandidateTokens) / pace.PerSecond * float64(time.Second))
	if lines == 0 || name <= lines || end-lines < writes*4/10 || end-name < writes*2/10 {
		t.Errorf("a line after %v, the name after %v, the end after %v; want them while the model writes for %v", lines, name, end, writes)
	}
	if len(calls) != 1 || calls[0].Method != "streamGenerateContent" || r.ModelCalls.Generate != 1 || r.TokenUsage.Output != calls[0].Usage.CandidateTokens {
		t.Errorf("%d calls, %+v; want one in a stream, counted once", len(calls), r.ModelCalls)
	}
	s.Gemini.ResetCalls()
	if _, plain := s.ask("POST", "/analyze?fresh=true", photo); read[analyze.Result](t, plain).ProductName != r.ProductName || s.Gemini.Calls()[0].Method != "generateContent" {
		t.Errorf("without events: %.300s by %s, want %q in one piece", plain, s.Gemini.Calls()[0].Method, r.ProductName)
	}
	s.Gemini.SetFaults(emulated.Fault{Type: emulated.Cut, Kind: answers.KindImage, Times: 1})
	lines, _, _, _, again := follow()
	if lines == 0 || again.ProductName != r.ProductName || again.ModelCalls.Generate != 1 {
		t.Errorf("after a stream that broke: %q with %+v, want %q with one answer", again.ProductName, again.ModelCalls, r.ProductName)
	}
}

func TestStreamOfSeveral(t *testing.T) {
	t.Parallel()
	s := serve(t)
	body, kind := form(t, [2]string{"front.jpg", string(picture(t, 40))}, [2]string{"notes.txt", "no photo"}, [2]string{`C:\b.jpg`, string(picture(t, 41))})
	results, last := map[string]analyze.Result{}, ""
	for _, e := range s.streamed("POST", "/analyze", body, "Content-Type", kind) {
		last = e.kind
		v := read[struct {
			File   string
			Result analyze.Result
		}](t, e.data)
		switch e.kind {
		case "agent":
			if v.File != "front.jpg" && v.File != "b.jpg" {
				t.Errorf("an event is of the file %q", v.File)
			}
		case "result":
			results[v.File] = v.Result
		}
	}
	if last != "end" || len(results) != 3 || results["notes.txt"].Error != analyze.AnalysisFailed || results["front.jpg"].ID == "" || results["b.jpg"].ID == "" {
		t.Errorf("the results are %v, and %s is the last event", results, last)
	}
}

// A failure before the first event has an HTTP status; a later one is an event.
func TestStreamOfAProblem(t *testing.T) {
	t.Parallel()
	s := serve(t)
	resp, body := s.ask("POST", "/analyze?lang=klingon!", string(picture(t, 40)), "Accept", "text/event-stream")
	if resp.StatusCode != 422 || read[map[string]any](t, body)["code"] != "bad_option" {
		t.Errorf("a wrong option = %s, %s; want 422 bad_option", resp.Status, body)
	}
	s.Gemini.SetFaults(emulated.Fault{Type: emulated.BlockedPrompt})
	all := s.streamed("POST", "/analyze", string(picture(t, 40)))
	if got := kinds(all); !slices.Equal(got, []string{"agent", "problem", "end"}) || !strings.Contains(all[len(all)-2].data, `"code":"model_blocked"`) {
		t.Errorf("a blocked photo = %v, want agent, problem model_blocked, end", all)
	}
	s.Gemini.SetFaults(emulated.Fault{Type: emulated.RateLimited, Delay: 90500 * time.Millisecond})
	all = s.streamed("POST", "/analyze", string(picture(t, 40)))
	if p := all[len(all)-2]; p.kind != "problem" || !strings.Contains(p.data, `"code":"model_quota","retry_after":91`) {
		t.Errorf("a quota for 90.5 s = %v, want a problem with retry_after 91", p)
	}
}

func TestStreamIsKeptAlive(t *testing.T) {
	t.Parallel()
	s := serve(t, func(c *api.Config) { c.Times.Comment = 5 * time.Millisecond })
	s.Gemini.SetFaults(emulated.Fault{Type: emulated.Latency, Delay: time.Second})
	_, body := s.ask("POST", "/analyze", string(picture(t, 40)), "Accept", "text/event-stream")
	if n := strings.Count(body, ": still here\n\n"); n < 3 {
		t.Errorf("%d comments in %q, want one every 5 ms of at least a second", n, body)
	}
}

// leave reads two events of a slow photo, and disconnects when `may` is closed.
func (s *service) leave(path string, may <-chan struct{}, body string) event {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	resp, err := http.DefaultClient.Do(s.request("POST", path, body, "Accept", "text/event-stream").WithContext(ctx))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	seen := 0
	all := events(s.t, resp.Body, func(event) bool { seen++; return seen == 2 })
	if len(all) != 2 {
		s.t.Fatalf("%d events, want 2", len(all))
	}
	<-may
	return all[1]
}

// hangs delays the next reading of a photo. The returned channel is closed when it has
// begun.
func (s *service) hangs(delay time.Duration) <-chan struct{} {
	asked := make(chan struct{})
	s.Gemini.Script(emulated.Answer{Kind: answers.KindImage, Fault: &emulated.Fault{Type: emulated.Latency, Delay: delay}, Match: func(*emulated.Request) bool {
		close(asked)
		return true
	}})
	return asked
}

// A client that lost its connection gets the events it missed, of the same run.
func TestStreamIsResumed(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/analyze", "/analyze?fresh=true"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(c *api.Config) { c.Times.Linger = time.Minute })
			asked := s.hangs(6 * time.Second) // enough time for the client to return
			last := s.leave(path, asked, string(picture(t, 40)))
			all := s.streamed("POST", path, string(picture(t, 40)), "Last-Event-ID", last.id)
			run, _, _ := strings.Cut(last.id, "-")
			for i, e := range all[:len(all)-1] {
				if want := fmt.Sprintf("%s-%d", run, i+3); e.id != want {
					t.Errorf("event %d after the first two has the ID %q, want %q", i+1, e.id, want)
				}
			}
			if got := kinds(all); !slices.Equal(got, []string{"agent", "result", "end"}) {
				t.Errorf("resumed: %q, want agent, result, end", got)
			}
			// A run that has ended is not paid for again, whichever request was first.
			all = s.streamed("POST", path, string(picture(t, 40)), "Last-Event-ID", last.id)
			if len(all) != 2 || !strings.Contains(all[0].data, `"cached":true`) {
				t.Errorf("resumed after the end: %v, want the result that is there", all)
			}
		})
	}
}

// A client that returns to a fresh run which has ended without it gets a new one, not the result
// from before it.
func TestFreshStreamThatEnded(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/analyze", "/skills/analyze"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(c *api.Config) { c.Times.Linger = 20 * time.Millisecond })
			photo, query := string(picture(t, 40)), "?fresh=true"
			if path != "/analyze" {
				photo, query = fmt.Sprintf(`{"image":%q,"fresh":true}`, base64.StdEncoding.EncodeToString([]byte(photo))), ""
			}
			s.streamed("POST", "/analyze", string(picture(t, 40)))
			before := len(s.Gemini.Calls())
			last := s.leave(path+query, s.hangs(time.Hour), photo)
			for end := time.Now().Add(time.Minute); len(s.Gemini.Calls()) == before; time.Sleep(time.Millisecond) { // a call is recorded when it ends
				if time.Now().After(end) {
					t.Fatal("the call goes on that nobody waits for")
				}
			}
			for i, want := range []string{"agent, result, end", "result, end", "result, end"} {
				all := s.streamed("POST", path+query, photo, "Last-Event-ID", last.id)
				if got := strings.Join(kinds(all), ", "); got != want || strings.Contains(all[len(all)-2].data, `"cached":true`) != (i > 0) {
					t.Errorf("resumed %d times: %s, %s; want %s, and a new result, which the next gets", i+1, got, all[len(all)-2].data, want)
				}
				if i > 0 {
					last = all[0] // which names the run as before
				}
			}
		})
	}
}

// If no client returns, the run ends.
func TestStreamThatIsLeft(t *testing.T) {
	t.Parallel()
	s := serve(t, func(c *api.Config) { c.Times.Linger = 20 * time.Millisecond })
	last := s.leave("/analyze", s.hangs(time.Hour), string(picture(t, 40)))
	for end := time.Now().Add(time.Minute); len(s.Gemini.Calls()) == 0; time.Sleep(time.Millisecond) { // a call is recorded when it ends
		if time.Now().After(end) {
			t.Fatal("the call goes on that nobody waits for")
		}
	}
	all := s.streamed("POST", "/analyze", string(picture(t, 40)), "Last-Event-ID", last.id)
	run, _, _ := strings.Cut(last.id, "-")
	if !strings.HasSuffix(all[0].id, "-1") || strings.HasPrefix(all[0].id, run) {
		t.Errorf("the first event after %s is %s, want the first of another run", last.id, all[0].id)
	}
}

// Answers over 1 kB are compressed on every way into the API, streams and pictures are not.
func TestCompressedAnswers(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.upload("a.jpg", picture(t, 40))
	for _, test := range []struct{ method, path, body, kind, accept, want string }{
		{"POST", "/analyze", `{"uri":"gs://uploads/a.jpg"}`, "application/json", "", "gzip"},
		{"GET", "/results", "", "", "", "gzip"},
		{"GET", "/openapi.json", "", "", "", "gzip"},
		{"GET", "/skills", "", "", "", "gzip"},
		{"GET", "/", "", "", "text/html", "gzip"},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "application/json", "application/json, text/event-stream", ""}, // which MCP answers as a stream
		{"GET", "/", "", "", "", ""},
		{"GET", "/health", "", "", "", ""},
		{"POST", "/analyze", `{"uri":"gs://uploads/a.jpg"}`, "application/json", "text/event-stream", ""},
	} {
		resp, body := s.ask(test.method, test.path, test.body, "Content-Type", test.kind, "Accept", test.accept, "Accept-Encoding", "gzip")
		if got := resp.Header.Get("Content-Encoding"); resp.StatusCode != 200 || got != test.want || !slices.Contains(resp.Header.Values("Vary"), "Accept-Encoding") {
			t.Errorf("%s %s for %q: %s, encoded as %q, Vary %q, %d bytes; want %q", test.method, test.path, test.accept, resp.Status, got, resp.Header.Values("Vary"), len(body), test.want)
		}
	}
}
