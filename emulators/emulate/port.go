package emulate

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// The kernel hands out ports from 32768 on to whoever asks for any, and to every
// connection that goes out. A port that is to be free a moment later lies below.
const (
	firstPort = 12_000
	ports     = 20_000
)

// FreePort returns a port of 127.0.0.1 on which nobody listens, for a program that
// wants to be told which one is its own.
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
