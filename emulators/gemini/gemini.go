// Package gemini emulates the Gemini models over HTTP, on the paths of the
// Gemini API and of Vertex AI, for tests and for runs without an account.
//
//	request → key → taken? → fault? → script? → the responder that knows it → answer
//	                                            else an instance of its schema
//
// The emulator is strict: a request that the service would refuse is answered
// 400, one for a model that is not there, or not made for the method, 404. It is
// read as Google's own message (messages.go) with the few fields that these do
// not have yet (newerfields.go), and then judged by what is documented of models
// (models.go), requests (rules.go, embedrules.go), turns (turnrules.go), functions
// (functionrules.go), settings (settingrules.go) and schemas (schemarules.go), and
// the size of schemas by reported limits (schemabudget.go). Anything else is accepted.
// Messages are the services' own where they are known; documented_test.go has tables
// of requests and their answers.
//
// The emulated model does not cheat. Its answers come from a Responder, which gets the
// bytes of the photos and the text of a request, never a file name or metadata. A
// request that no responder knows gets an empty instance of its schema.
// Every answer names the model version "emulated", unless its Responder names another.
//
// Tests control it with Script (answers in order) and SetFaults (errors), and read
// Calls. Other processes do the same under /_emulator/.
package gemini

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// ModelVersion is the modelVersion of every answer that no script overrides.
const ModelVersion = "emulated"

// Options configure an emulator. The zero value works.
type Options struct {
	// Addr is the address to listen on; "" means a free port on 127.0.0.1.
	Addr string
	// Latency is the delay of every answer of a model.
	Latency time.Duration
	// Pace is how fast answers are written.
	Pace Pace
	// APIKey, when set, is the only key the Gemini API paths accept. When empty
	// any key does that could be one: letters, digits, dots, - and _.
	APIKey string
	// SchemaBudget is the largest sum of a schema's list bounds: see SetSchemaBudget.
	SchemaBudget int
	// Responders answer requests; the first that knows a request answers it.
	Responders []Responder
	// Embed makes vectors. Without it all vectors are equal.
	Embed Embedder
	// Speak makes speech. Without it the audio is silence of about the same length.
	Speak Speaker
}

// A Pace is how fast a model writes. The zero Pace writes at once.
type Pace struct {
	FirstToken time.Duration // from the request to the first token
	PerSecond  float64       // tokens; 0 writes all others at once
}

// after returns how long it takes to write a text.
func (p Pace) after(text string) time.Duration {
	if p.PerSecond <= 0 {
		return 0
	}
	return time.Duration(float64(textTokens(text)) / p.PerSecond * float64(time.Second))
}

// Server is a running emulator. Its methods may be called concurrently.
type Server struct {
	latency    time.Duration
	pace       atomic.Pointer[Pace]
	apiKey     string
	responders []Responder
	embed      Embedder
	speak      Speaker

	url     string
	http    *http.Server
	open    context.Context // done when the emulator closes
	closing context.CancelFunc
	gate    gate
	answers atomic.Int64

	schemaBudget atomic.Int64

	log    callLog
	script script
	faults faultList
}

// Start listens and serves until Close.
func Start(o Options) (*Server, error) {
	if o.Latency < 0 {
		return nil, fmt.Errorf("gemini: start: Latency %v is negative", o.Latency)
	}
	addr := o.Addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("gemini: start: %w", err)
	}
	open, closing := context.WithCancel(context.Background())
	s := &Server{
		latency: o.Latency, apiKey: o.APIKey, responders: o.Responders, embed: o.Embed, speak: o.Speak,
		url: "http://" + listener.Addr().String(), open: open, closing: closing,
	}
	s.SetSchemaBudget(o.SchemaBudget)
	s.SetPace(o.Pace)
	if s.embed == nil {
		s.embed = firstAxis
	}
	if s.speak == nil {
		s.speak = silence
	}
	s.serve(listener)
	return s, nil
}

// SetPace sets how fast answers are written from now on.
func (s *Server) SetPace(p Pace) { s.pace.Store(&p) }

func (s *Server) serve(listener net.Listener) {
	s.http = &http.Server{
		Handler:           s.routes(),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return context.WithValue(s.open, lastingKey{}, s.open) },
	}
	s.gate.inside.Go(func() { s.http.Serve(listener) })
}

// URL returns the base address, such as http://127.0.0.1:40123: the value for
// GOOGLE_GEMINI_BASE_URL and GOOGLE_VERTEX_BASE_URL.
func (s *Server) URL() string { return s.url }

// Close stops listening, ends calls in flight and waits for them. Closing again
// does nothing.
func (s *Server) Close() error {
	s.closing()
	err := s.http.Close()
	s.gate.shut()
	if err != nil {
		return fmt.Errorf("gemini: close: %w", err)
	}
	return nil
}

// gate counts the calls in progress and refuses new ones once it is shut.
type gate struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.inside.Add(1)
	}
	return !g.closed
}

func (g *gate) leave() { g.inside.Done() }

// shut refuses new calls and returns when all calls in progress have ended.
func (g *gate) shut() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.inside.Wait()
}
