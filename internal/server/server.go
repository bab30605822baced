// Package server serves the functions framework behind a gate that has what the
// framework lacks: time-outs, a bound on bodies, and a drain.
//
//	client → gate (PORT) → framework (a loopback port) → the function
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
)

// Cloud Run ends HTTP/1 bodies at 32 MiB.
const maxBody = 32 << 20

// Options are the time-outs of the gate. Zero means the default.
type Options struct {
	Header time.Duration // for a request's header to come in; 10 s
	Body   time.Duration // for its header and body; 60 s
	Answer time.Duration // from its header to the end of its answer; 570 s
	Idle   time.Duration // between requests; 620 s, longer than the load balancer's 600

	// Cloud Run gives an instance that is to stop ten seconds.
	Drain    time.Duration // for requests to finish; 8 s
	HandBack time.Duration // for those that did not, to be given up in order; 1 s
}

func (o Options) withDefaults() Options {
	o.Header = cmp.Or(o.Header, 10*time.Second)
	o.Body = cmp.Or(o.Body, 60*time.Second)
	o.Answer = cmp.Or(o.Answer, 570*time.Second)
	o.Idle = cmp.Or(o.Idle, 620*time.Second)
	o.Drain = cmp.Or(o.Drain, 8*time.Second)
	o.HandBack = cmp.Or(o.HandBack, time.Second)
	return o
}

// Run is Options{}.Run.
func Run(ctx context.Context, addr string) error { return Options{}.Run(ctx, addr) }

// Run serves the function that FUNCTION_TARGET names at addr, host:port,
// until ctx ends. Requests under way then have Drain to finish, after which the
// contexts that they have from Bound end, and HandBack to answer.
func (o Options) Run(ctx context.Context, addr string) error {
	o = o.withDefaults()
	framework, failed, err := startFramework(ctx)
	if err != nil {
		return fmt.Errorf("server: functions framework: %w", err)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	giveUp := work()
	defer giveUp()
	gate := &http.Server{
		Handler:           handler(framework, o),
		ReadHeaderTimeout: o.Header,
		ReadTimeout:       o.Body,
		WriteTimeout:      o.Answer,
		IdleTimeout:       o.Idle,
	}
	go func() { failed <- gate.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("server: %w", err)
	case <-ctx.Done():
		return o.stop(gate, giveUp)
	}
}

// stop lets requests finish, then gives up those that have not.
func (o Options) stop(gate *http.Server, giveUp context.CancelFunc) error {
	patience, done := context.WithTimeout(context.Background(), o.Drain)
	defer done()
	if gate.Shutdown(patience) == nil {
		return nil
	}
	slog.Warn("requests are given up", "after", o.Drain)
	giveUp()
	last, done := context.WithTimeout(context.Background(), o.HandBack)
	defer done()
	if err := gate.Shutdown(last); err != nil {
		return errors.Join(err, gate.Close())
	}
	return nil
}

// startFramework starts the framework on a free loopback port and returns its
// URL once it listens, and the channel on which it fails if it does.
func startFramework(ctx context.Context) (*url.URL, chan error, error) {
	port, err := freePort()
	if err != nil {
		return nil, nil, err
	}
	failed := make(chan error, 2) // the framework's and the gate's
	go func() { failed <- funcframework.StartHostPort("127.0.0.1", port) }()
	address := net.JoinHostPort("127.0.0.1", port)
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			return &url.URL{Scheme: "http", Host: address}, failed, c.Close()
		}
		select {
		case err := <-failed:
			return nil, nil, err
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}
