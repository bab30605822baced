package firestore

import (
	"context"
	"maps"
	"path"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A Fault makes coming calls of one RPC fail.
type Fault struct {
	Method  string     // RPC name such as "Commit"; "" means every RPC
	Code    codes.Code // what the calls answer; OK means Unavailable
	Times   int        // how many calls are hit; below 1 means 1
	Applied bool       // the call does its work first and only the answer is lost
}

// calls counts RPCs and holds the faults that wait for them.
type calls struct {
	mu     sync.Mutex
	counts map[string]int
	faults []Fault
}

func newCalls() *calls { return &calls{counts: map[string]int{}} }

// Fail schedules f behind the faults already scheduled; a call meets the first
// one that is for it.
func (s *Server) Fail(f Fault) {
	if f.Code == codes.OK {
		f.Code = codes.Unavailable
	}
	f.Times = max(f.Times, 1)
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	s.calls.faults = append(s.calls.faults, f)
}

// ClearFaults drops the scheduled faults that no call has met yet.
func (s *Server) ClearFaults() {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	s.calls.faults = nil
}

// Calls counts the calls since Start, Reset or ResetCalls by RPC name, such
// as "Commit", failed ones included.
func (s *Server) Calls() map[string]int {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	return maps.Clone(s.calls.counts)
}

// ResetCalls sets every count of Calls and of Reads to zero.
func (s *Server) ResetCalls() {
	s.reads.reset()
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	clear(s.calls.counts)
}

// arrive counts a call and takes the fault that is for it; without one,
// Times is 0.
func (c *calls) arrive(fullMethod string) Fault {
	method := path.Base(fullMethod)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[method]++
	for i := range c.faults {
		f := &c.faults[i]
		if f.Times > 0 && (f.Method == "" || f.Method == method) {
			met := *f
			f.Times--
			return met
		}
	}
	return Fault{}
}

// around runs call unless f keeps it from running, and returns the error the
// client gets.
func (f Fault) around(call func() error) error {
	if f.Times == 0 {
		return call()
	}
	if f.Applied {
		if err := call(); err != nil {
			return err
		}
	}
	return status.Error(f.Code, "injected fault")
}

func (c *calls) unary(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (answer any, err error) {
	err = c.arrive(info.FullMethod).around(func() error {
		answer, err = handler(ctx, request)
		return err
	})
	return answer, err
}

func (c *calls) stream(service any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	return c.arrive(info.FullMethod).around(func() error { return handler(service, stream) })
}
