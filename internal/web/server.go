package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
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
	// Cloud Run stops an instance ten seconds after its SIGTERM.
	Drain    time.Duration // for requests to finish; 8 s
	HandBack time.Duration // for the remaining requests to return their work and answer; 1 s

	mu       sync.Mutex
	http     *http.Server    // the framework's; nil before the first request
	draining context.Context // ends when remaining requests must return their work; nil before Run
	active   atomic.Int64    // requests between WithDrain and the end of their context
}

// Run serves the function that FUNCTION_TARGET names at host:port until ctx ends. Then it
// refuses new connections and gives requests under way Drain to finish; after that it ends
// the contexts from WithDrain, and gives them HandBack to answer.
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

// Join is Run for the requests of a server that somebody else has started, and that keeps
// listening: only its owner may close it. It returns at once. When ctx has ended, and the
// requests under way have finished or had their time, end is called.
func (s *Server) Join(ctx context.Context, end func()) {
	giveUp := s.newDrainContext()
	context.AfterFunc(ctx, func() {
		defer giveUp()
		if drain := cmp.Or(s.Drain, 8*time.Second); !s.idle(drain) {
			slog.Warn("requests are given up", "after", drain)
			giveUp()
			s.idle(cmp.Or(s.HandBack, time.Second))
		}
		end()
	})
}

// idle waits at most d until no request is under way, and the last answer has been sent.
func (s *Server) idle(d time.Duration) bool {
	const sent = 50 * time.Millisecond
	for end := time.Now().Add(d); time.Now().Before(end); {
		none := s.active.Load() == 0
		time.Sleep(sent)
		if none && s.active.Load() == 0 {
			return true
		}
	}
	return false
}

// WithDrain returns the context of a request, which also ends when Drain is over. The
// connection stays open, so that the function can return its work to the queue and answer;
// Run waits for it.
//
// The framework does not export its server; net/http stores it in the context of every
// request.
func (s *Server) WithDrain(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancel(ctx)
	s.active.Add(1)
	cancel := sync.OnceFunc(func() { s.active.Add(-1); end() })
	s.mu.Lock()
	defer s.mu.Unlock()
	if server, ok := ctx.Value(http.ServerContextKey).(*http.Server); ok {
		s.http = server
	}
	if s.draining == nil {
		return ctx, cancel
	}
	stop := context.AfterFunc(s.draining, end)
	return ctx, func() { stop(); cancel() }
}

// stop waits for requests to finish, then calls giveUp for the rest. If there was no
// request yet, there is nothing to wait for.
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

// shutdown waits at most d for the requests under way.
func shutdown(s *http.Server, d time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	return s.Shutdown(ctx)
}
