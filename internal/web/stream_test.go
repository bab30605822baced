package web_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/web"
)

// A client that does not read is disconnected once the connection's buffers are full.
func TestStuckClientIsCut(t *testing.T) {
	cut := make(chan time.Duration, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := web.NewStream(w, web.Times{Write: 50 * time.Millisecond})
		defer s.KeepAlive()()
		for begin := time.Now(); time.Since(begin) < time.Minute; {
			s.Send("agent", "a-1", strings.Repeat("x", 1<<20))
			if s.Broken() {
				<-r.Context().Done() // the server notices that the client is gone
				cut <- time.Since(begin)
				return
			}
		}
	}))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	select {
	case took := <-cut:
		if took > 30*time.Second {
			t.Errorf("the client was cut after %s, want soon after 50 ms", took)
		}
	case <-time.After(time.Minute):
		t.Error("a client that reads nothing is not cut")
	}
}

// ran returns the stream of two runs for a client with that Last-Event-ID.
func ran(last string) string {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/", nil)
	r.Header.Set(web.LastEventID, last)
	p := web.NewProgress(web.NewStream(w, web.Times{}), r, 2)
	p.Event(0, "a", "step", 1)
	p.Event(0, "ignored", "step", 2)
	p.Event(1, "b", "step", 3)
	p.Result(0, "a", "result", 4)
	p.End(nil)
	return w.Body.String()
}

func TestProgress(t *testing.T) {
	tests := []struct{ last, want string }{
		{"", "step a-1. 1|step a-2. 2|step a-2.b-1 3|result a-3.b-1 4|end a-3.b-1 {}"},
		{"a-1.", "step a-2. 2|step a-2.b-1 3|result a-3.b-1 4|end a-3.b-1 {}"},
		{"a-2.b-1", "result a-3.b-1 4|end a-3.b-1 {}"},
		{"a-3.b-1", "result a-3.b-1 4|end a-3.b-1 {}"},                                           // a result is always sent
		{"x-9.b-1", "step a-1. 1|step a-2. 2|result a-3.b-1 4|end a-3.b-1 {}"},                   // another run in the first place
		{"a-b-c.....", "step a-1. 1|step a-2. 2|step a-2.b-1 3|result a-3.b-1 4|end a-3.b-1 {}"}, // an invalid ID
	}
	for _, test := range tests {
		var got []string
		for event := range strings.SplitSeq(strings.TrimSpace(ran(test.last)), "\n\n") {
			got = append(got, strings.NewReplacer("event: ", "", "\nid: ", " ", "\ndata: ", " ").Replace(event))
		}
		if all := strings.Join(got, "|"); all != test.want {
			t.Errorf("behind %q:\n%s, want\n%s", test.last, all, test.want)
		}
	}
}

// A stream begins with its first event, sends keep-alive comments, and ends with the
// problem if there is one.
func TestStream(t *testing.T) {
	w := httptest.NewRecorder()
	p := web.NewProgress(web.NewStream(w, web.Times{Comment: time.Millisecond}), httptest.NewRequest("POST", "/", nil), 1)
	if p.Begun() || w.Body.Len() > 0 {
		t.Error("a stream begins before there is anything to send")
	}
	stop := p.KeepAlive()
	for !p.Begun() { // the comment
		time.Sleep(time.Millisecond)
	}
	stop()
	why := web.Busy.Problem("full").After(time.Second)
	p.End(&why)
	body := w.Body.String()
	if w.Header().Get("Content-Type") != "text/event-stream; charset=utf-8" || !strings.HasPrefix(body, ": still here\n\n") ||
		!strings.Contains(body, `"code":"busy","retry_after":1}`) || !strings.HasSuffix(body, "event: end\nid: \ndata: {}\n\n") {
		t.Errorf("the stream is %v\n%s", w.Header(), body)
	}
	if p.Send("x", "1", func() {}); !p.Broken() {
		t.Error("an event that has no JSON leaves the stream whole")
	}
}

// Work continues for a while after its client has left, but not beyond its own deadline.
func TestLinger(t *testing.T) {
	left, leave := context.WithCancel(t.Context())
	ctx, cancel := web.Linger(left, time.Minute)
	defer cancel()
	leave()
	time.Sleep(5 * time.Millisecond) // for an end that must not come
	if ctx.Err() != nil {
		t.Error("work ends with its client")
	}
	left, leave = context.WithCancel(t.Context())
	ctx, cancel = web.Linger(left, time.Millisecond)
	defer cancel()
	leave()
	<-ctx.Done()
	late, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	ctx, cancel = web.Linger(late, time.Hour)
	defer cancel()
	<-ctx.Done()
	web.Host(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		hosted, cancel := web.WorkContext(r.Context())
		defer cancel()
		want, _ := late.Deadline()
		for name, ctx := range map[string]context.Context{"lingering": ctx, "hosted": hosted} {
			if deadline, ok := ctx.Deadline(); !ok || !deadline.Equal(want) {
				t.Errorf("%s work has the deadline %v, %v; want that of its request, %v", name, deadline, ok, want)
			}
		}
	}), web.Times{}).ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(late, "GET", "/", nil))
}
