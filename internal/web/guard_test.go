package web_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/web"
)

// dial connects to the server at url and sends text.
func dial(t *testing.T, url, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

// trickle connects to the server at url, sends text, and then a byte every few milliseconds
// until that fails or ten seconds have passed. It returns how long it could send.
func trickle(t *testing.T, url, text string) time.Duration {
	t.Helper()
	begin := time.Now() // the server may start its clock at any time after this
	for c := dial(t, url, text); time.Since(begin) < 10*time.Second; {
		if _, err := c.Write([]byte("x")); err != nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return time.Since(begin)
}

// Slow clients are disconnected. The upper limits are generous, for slow machines.
func TestSlowClientsAreCut(t *testing.T) {
	s := start(t, web.Limits{Body: 400 * time.Millisecond, Answer: 600 * time.Millisecond})
	tests := []struct {
		name, sends string
		least       time.Duration
	}{
		{"body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n", 400 * time.Millisecond},
		{"chunk", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n", 400 * time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := trickle(t, s.url, test.sends); got < test.least || got > 8*time.Second {
				t.Errorf("a client that trickles its %s could do so for %v, want about %v", test.name, got, test.least)
			}
		})
	}
	t.Run("answer", func(t *testing.T) {
		t.Parallel()
		dial(t, s.url, "GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
		select {
		case <-s.stuck:
		case <-time.After(8 * time.Second):
			t.Error("the function goes on to write to a client that does not read")
		}
	})
}

// A handler that takes longer than the body's time-out is not interrupted by it.
func TestBodyTimeoutEndsWithTheBody(t *testing.T) {
	const timeout = 2 * time.Second // for a body that is sent at once
	s := start(t, web.Limits{Body: timeout})
	for _, body := range []string{"", "four"} {
		resp, err := http.Post(s.url+"/late", "text/plain", strings.NewReader(body))
		if err != nil {
			t.Fatalf("POST of %q: %v", body, err)
		}
		answer, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if want := fmt.Sprintf("%d bytes, <nil>", len(body)); string(answer) != want {
			t.Errorf("POST of %q to a slow function = %s, %q; want %q", body, resp.Status, answer, want)
		}
	}
}

// The body of a refused request is not read, and the client gets the response at once, even
// if it sends nothing.
func TestRefusedBodiesAreNotRead(t *testing.T) {
	s := start(t, web.Limits{})
	for _, expect := range []string{"", "Expect: 100-continue\r\n"} {
		c := dial(t, s.url, "POST /refuse HTTP/1.1\r\nHost: a\r\n"+expect+"Content-Length: 1000000\r\n\r\n")
		_ = c.SetReadDeadline(time.Now().Add(8 * time.Second))
		in := bufio.NewReader(c)
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("with %q: %v", expect, err)
		}
		answer, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(answer), "full") || !resp.Close {
			t.Errorf("with %q: %s, %q, close %v; want 503, full, and the connection closed", expect, resp.Status, answer, resp.Close)
		}
		if _, err := in.ReadByte(); err != io.EOF {
			t.Errorf("with %q: after the answer comes %v, want EOF", expect, err)
		}
	}
}

// A body that the handler does not read stays with the client, except for what the
// connection buffers.
func TestUnreadBodiesStay(t *testing.T) {
	s := start(t, web.Limits{})
	c := dial(t, s.url, fmt.Sprintf("POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", 30<<20))
	<-s.entered
	defer close(s.release)
	_ = c.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
	n, err := c.Write(make([]byte, 30<<20))
	if err == nil || n > 20<<20 {
		t.Errorf("a client could write %d MiB that nobody reads, want no more than a connection holds", n>>20)
	}
}

// A handler's panic becomes a problem or, if the response has begun, cuts it off.
func TestPanics(t *testing.T) {
	s := start(t, web.Limits{})
	if got := <-s.get("/panic"); !strings.HasPrefix(got, "500 {") || !strings.Contains(got, `"code":"internal"`) || strings.Contains(got, "a panic") {
		t.Errorf("GET /panic = %q, want a problem that does not tell the panic", got)
	}
	resp, err := http.Get(s.url + "/panic-late")
	if err != nil {
		return // disconnected before anything was sent
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("GET /panic-late ends in order, with %q; want it cut", body[max(0, len(body)-80):])
	}
}
