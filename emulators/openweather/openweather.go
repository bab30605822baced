// Package openweather emulates OpenWeather over HTTP, for tests and for runs without
// an account.
//
//	request → key → quota → fault? → place → weather made of place and time → answer
//
// It answers /data/2.5/weather, /data/2.5/forecast and /geo/1.0/direct, reverse and
// zip as the service does, including its errors and peculiarities: cod is sometimes a
// number and sometimes a text, an unknown unit means standard, an unknown language
// English. A request that the service would refuse is refused. The weather is computed:
// the same place at the same moment always has the same weather.
// Every answer names the server "openweather-emulator".
//
// Tests control it with SetFaults and read Calls. Other processes do the same under
// /_emulator/.
package openweather

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// ServerName is the header Server of every answer.
const ServerName = "openweather-emulator"

// Options configure an emulator. The zero value works.
type Options struct {
	// Addr is the address to listen on; "" means a free port on 127.0.0.1.
	Addr string
	// APIKey, when set, is the only appid that is accepted. When empty any appid is
	// accepted, but it is required.
	APIKey string
	// PerMinute is how many calls a key has in a minute; 0 is 60, as of the free plan.
	PerMinute int
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Server is a running emulator. Its methods may be called concurrently.
type Server struct {
	o    Options
	url  string
	http *http.Server
	done sync.WaitGroup
	stop chan struct{} // closed with the server

	mu     sync.Mutex
	calls  []Call
	faults []Fault
	fixed  map[string][]byte      // answers by path
	spent  map[string][]time.Time // the calls of the last minute by key
}

// A Call is one request for weather data or places.
type Call struct {
	Path   string     `json:"path"`
	Query  url.Values `json:"query"` // without the key
	Status int        `json:"status"`
	Time   time.Time  `json:"time"`
}

// Start listens and serves until Close.
func Start(o Options) (*Server, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.PerMinute == 0 {
		o.PerMinute = 60
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	listener, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("openweather: start: %w", err)
	}
	s := &Server{o: o, url: "http://" + listener.Addr().String(), stop: make(chan struct{}), spent: map[string][]time.Time{}}
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	s.done.Go(func() { _ = s.http.Serve(listener) })
	return s, nil
}

// URL returns the base address: the value for OPENWEATHER_BASE_URL.
func (s *Server) URL() string { return s.url }

// Close stops listening and ends calls in flight. Closing again does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	select {
	case <-s.stop:
	default:
		close(s.stop)
	}
	s.mu.Unlock()
	err := s.http.Close()
	s.done.Wait()
	if err != nil {
		return fmt.Errorf("openweather: close: %w", err)
	}
	return nil
}

// Calls returns the calls logged so far, in order.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

// ResetCalls empties the log and gives every key its quota back.
func (s *Server) ResetCalls() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.spent = nil, map[string][]time.Time{}
}

// Try are places for examples, one of them in another script.
var Try = []string{"Seattle", "서울", "Springfield"}

// SetAnswer makes a path answer with this body, whatever is asked of it, such as an answer
// that the service once gave; nil makes it compute its answers again.
func (s *Server) SetAnswer(path string, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fixed == nil {
		s.fixed = map[string][]byte{}
	}
	s.fixed[path] = body
}

func (s *Server) answerOf(path string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fixed[path]
}
