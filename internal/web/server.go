package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
)

// A Server serves one function of this process with the functions framework, and adds
// the drain that the framework lacks.
//
//	client → framework (PORT) → function → Limits.Guard → handler
//
// The zero value is ready to Run.
type Server struct {
	// Cloud Run gives an instance that is to stop ten seconds.
	Drain    time.Duration // for requests to finish; 8 s
	HandBack time.Duration // for those that did not, to be given up in order; 1 s

	mu       sync.Mutex
	http     *http.Server    // the framework's; nil before the first request
	draining context.Context // ends when requests are given up; nil before Run
}

// Run serves the function that FUNCTION_TARGET names at host:port until ctx ends.
// Requests under way then have Drain to finish, after which the contexts that they
// have from WithDrain end, and HandBack to answer. New connections are refused.
func (s *Server) Run(ctx context.Context, host, port string) error {
	giveUp := s.newDrainContext()
	defer giveUp()
	failed := make(chan error, 1)
	go func() { failed <- funcframework.StartHostPort(host, port) }()
	select {
	case err := <-failed:
		return fmt.Errorf("server: %w", err)
	case <-ctx.Done():
		return s.stop(giveUp)
	}
}

func (s *Server) newDrainContext() context.CancelFunc {
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.http, s.draining = nil, ctx
	return cancel
}

// WithDrain is the context of a request, ended as well when requests are given up.
// The connection stays open meanwhile, so that the function can hand its work back
// and answer, and Run waits for it.
//
// The framework keeps its server to itself; net/http puts it into the context of
// every request.
func (s *Server) WithDrain(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if server, ok := ctx.Value(http.ServerContextKey).(*http.Server); ok {
		s.http = server
	}
	if s.draining == nil {
		return ctx, cancel
	}
	stop := context.AfterFunc(s.draining, cancel)
	return ctx, func() { stop(); cancel() }
}

// stop lets requests finish, then gives up those that have not. Without a request
// so far there is nothing to wait for.
func (s *Server) stop(giveUp context.CancelFunc) error {
	s.mu.Lock()
	server := s.http
	s.mu.Unlock()
	if server == nil {
		return nil
	}
	drain := cmp.Or(s.Drain, 8*time.Second)
	if shutdown(server, drain) == nil {
		return nil
	}
	slog.Warn("requests are given up", "after", drain)
	giveUp()
	if err := shutdown(server, cmp.Or(s.HandBack, time.Second)); err != nil {
		return errors.Join(fmt.Errorf("server: %w", err), server.Close())
	}
	return nil
}

// shutdown waits for the requests under way, for at most d.
func shutdown(s *http.Server, d time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	return s.Shutdown(ctx)
}
