package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/whatis/internal/server"
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

// trickle writes a byte to c every few milliseconds until that is no longer
// possible or ten seconds have passed, and returns how long it could.
func trickle(c net.Conn) time.Duration {
	begin := time.Now()
	for time.Since(begin) < 10*time.Second {
		if _, err := c.Write([]byte("x")); err != nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return time.Since(begin)
}

// Slow clients are cut. The bounds above are generous: a slow machine cuts late.
func TestSlowClientsAreCut(t *testing.T) {
	url, _ := startWith(t, server.Options{Header: 200 * time.Millisecond, Body: 400 * time.Millisecond, Answer: 600 * time.Millisecond})
	tests := []struct {
		name, sends string
		least       time.Duration
	}{
		{"header", "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ", 200 * time.Millisecond},
		{"body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n", 400 * time.Millisecond},
		{"chunk", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n", 400 * time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := trickle(dial(t, url, test.sends)); got < test.least || got > 8*time.Second {
				t.Errorf("a client that trickles its %s could do so for %v, want about %v", test.name, got, test.least)
			}
		})
	}
	t.Run("answer", func(t *testing.T) {
		t.Parallel()
		dial(t, url, "GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
		select {
		case <-stuck:
		case <-time.After(8 * time.Second):
			t.Error("the function goes on to write to a client that does not read")
		}
	})
}

// A function that is slower than the body's time-out is not disturbed by it.
func TestBodyTimeoutEndsWithTheBody(t *testing.T) {
	const inTime = time.Second // for a body that is sent at once
	url, _ := startWith(t, server.Options{Body: inTime})
	for _, body := range []string{"", "four"} {
		resp, err := http.Post(url+"/slow?for="+(inTime*3/2).String(), "text/plain", strings.NewReader(body))
		<-entered
		if err != nil {
			t.Fatalf("POST of %q: %v", body, err)
		}
		answer, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if want := fmt.Sprintf("%d bytes", len(body)); !strings.Contains(string(answer), want) || strings.Contains(string(answer), "canceled") {
			t.Errorf("POST of %q to a slow function = %s, %q; want %q", body, resp.Status, answer, want)
		}
	}
}

// The body of a request that is refused is not read, and the client has the
// refusal at once, even if it sends nothing.
func TestRefusedBodiesAreNotRead(t *testing.T) {
	url, _ := startWith(t, server.Options{})
	for _, expect := range []string{"", "Expect: 100-continue\r\n"} {
		c := dial(t, url, "POST /refuse HTTP/1.1\r\nHost: a\r\n"+expect+"Content-Length: 1000000\r\n\r\n")
		_ = c.SetReadDeadline(time.Now().Add(8 * time.Second))
		in := bufio.NewReader(c)
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("with %q: %v", expect, err)
		}
		answer, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(answer), `"detail":"full"`) || !resp.Close {
			t.Errorf("with %q: %s, %q, close %v; want 503, full, and the connection closed", expect, resp.Status, answer, resp.Close)
		}
		if _, err := in.ReadByte(); err != io.EOF {
			t.Errorf("with %q: after the answer comes %v, want EOF", expect, err)
		}
	}
}

// What the function does not read stays with the client, all but what the
// connections hold.
func TestTheHopDoesNotBuffer(t *testing.T) {
	url, _ := startWith(t, server.Options{})
	c := dial(t, url, fmt.Sprintf("POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", 30<<20))
	<-entered
	defer func() { release <- true }()
	_ = c.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
	n, err := c.Write(make([]byte, 30<<20))
	if err == nil || n > 20<<20 {
		t.Errorf("a client could write %d MiB that nobody reads, want no more than a connection holds", n>>20)
	}
}
