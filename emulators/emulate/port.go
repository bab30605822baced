package emulate

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// The kernel uses ports from 32768 on for listeners without a fixed port and for outgoing
// connections. A port that must still be free a moment later has to be below.
const (
	firstPort = 12_000
	ports     = 20_000
)

// FreePort returns a free port of 127.0.0.1, for a program that takes its port as an
// argument.
func FreePort(tb testing.TB) string {
	tb.Helper()
	for range 100 {
		port := strconv.Itoa(firstPort + rand.N(ports))
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			l.Close()
			return port
		}
	}
	tb.Fatal("emulate: no free port in 100 tries")
	return ""
}
