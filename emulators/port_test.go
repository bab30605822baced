package main

import (
	"net"
	"strings"
	"testing"
)

// A port is refused with 2 where it is taken, and where it is none.
func TestPort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if _, said, code := start(t, nil, "-once", "-port", port).end(); code != 2 || !strings.Contains(said, "port "+port+" is taken") {
		t.Errorf("-port %s, which is taken: exit code %d, %q", port, code, said)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"0", "65536", "web", "-1"} {
		if _, said, code := start(t, nil, "-once", "-port", bad).end(); code != 2 || !strings.Contains(said, "want a number") {
			t.Errorf("-port %s: exit code %d, %q", bad, code, said)
		}
	}
}
