package siege

import (
	"io"
	"net"
	"syscall"
	"testing"
	"time"
)

// distance is the delay of Firestore's responses in tests of a remote one, as in
// production.
const distance = 30 * time.Millisecond

// removeFirestore restarts process 0 with a remote Firestore.
func (s *siege) removeFirestore() {
	s.t.Helper()
	s.env = append(s.env, "FIRESTORE_EMULATOR_HOST="+far(s.t, s.Firestore.Addr()))
	s.signal(0, syscall.SIGKILL)
	s.restart(0)
	s.warm(1)
}

// far returns the address of a proxy to address that delays responses.
func far(t *testing.T, address string) string {
	t.Helper()
	l := listen(t)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go tunnel(near, address)
		}
	}()
	return l.Addr().String()
}

func tunnel(near net.Conn, address string) {
	defer near.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer server.Close()
	go func() { _, _ = io.Copy(server, near); server.Close() }()
	type chunk struct {
		due  time.Time
		data []byte
	}
	chunks := make(chan chunk, 10_000)
	go func() {
		defer close(chunks)
		for {
			data := make([]byte, 32<<10)
			n, err := server.Read(data)
			if err != nil {
				return
			}
			chunks <- chunk{time.Now().Add(distance), data[:n]}
		}
	}()
	for c := range chunks {
		time.Sleep(time.Until(c.due))
		if _, err := near.Write(c.data); err != nil {
			return
		}
	}
}
