package web_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/whatis/internal/web"
)

// A client that returns with any Last-Event-ID gets events in their order, each once, and
// always the result. With the ID of the last of them it gets no event again.
func FuzzLastEventID(f *testing.F) {
	for _, seed := range []string{"", "a-2.b-1", "a-3", ".b-1", "a-99999999999999999999", "a--1", "b-1.a-1", "a-1\nevent: x", strings.Repeat("a-1.", 2000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, last string) {
		events, id := resumed(last)
		if !strings.HasSuffix("one two three ", strings.Join(events[0], "")) || !strings.HasSuffix("four ", strings.Join(events[1], "")) {
			t.Errorf("after %q: %q", last, events)
		}
		if events, _ := resumed(id); len(events[0])+len(events[1]) != 0 {
			t.Errorf("after %q, the last ID: %q", id, events)
		}
	})
}

// resumed streams two runs to a client that returns, and gives the events that it got, by
// run, and the last ID.
func resumed(last string) (events [2][]string, id string) {
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	r.Header[http.CanonicalHeaderKey(web.LastEventID)] = []string{last}
	p := web.NewProgress(web.NewStream(w, web.Times{}), r, 2)
	p.Event(0, "a", "step0", "one ")
	p.Event(1, "b", "step1", "four ")
	p.Event(0, "a", "step0", "two ")
	p.Event(0, "a", "step0", "three ")
	p.Result(1, "b", "result", "five")
	p.End(nil)
	kind := ""
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case field == "event":
			kind = value
		case field == "id":
			id = value
		case field == "data" && strings.HasPrefix(kind, "step"):
			run := int(kind[4] - '0')
			events[run] = append(events[run], strings.Trim(value, `"`))
		}
	}
	return events, id
}
