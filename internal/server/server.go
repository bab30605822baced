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
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
)

// Time-outs and bounds of the gate. Cloud Run ends HTTP/1 bodies at 32 MiB and
// gives a stopping instance ten seconds.
const (
	headerTimeout = 10 * time.Second
	bodyTimeout   = 60 * time.Second
	writeTimeout  = 570 * time.Second
	idleTimeout   = 620 * time.Second // longer than the load balancer's 600 s
	maxBody       = 32 << 20
	drain         = 8 * time.Second // for requests to finish
	handBack      = 1 * time.Second // for those that did not, to be given up in order
)

// Run serves the function that FUNCTION_TARGET names at port, 8080 if empty,
// until ctx ends. Requests under way then have eight seconds to finish, after
// which their contexts are cancelled.
func Run(ctx context.Context, port string) error {
	framework, failed, err := startFramework(ctx)
	if err != nil {
		return fmt.Errorf("server: functions framework: %w", err)
	}
	listener, err := net.Listen("tcp", ":"+cmp.Or(port, "8080"))
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	gate := &http.Server{
		Handler:           handler(framework),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	go func() { failed <- gate.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("server: %w", err)
	case <-ctx.Done():
		return stop(gate, cancel)
	}
}

// stop lets requests finish, then gives up those that have not.
func stop(gate *http.Server, cancel context.CancelFunc) error {
	patience, done := context.WithTimeout(context.Background(), drain)
	defer done()
	if gate.Shutdown(patience) == nil {
		return nil
	}
	slog.Warn("requests are given up", "after", drain)
	cancel()
	last, done := context.WithTimeout(context.Background(), handBack)
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

// handler passes requests with a bounded body on to the framework.
func handler(framework *url.URL) http.Handler {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(framework)
			r.Out.Host = r.In.Host
			r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
		},
		FlushInterval: -1, // event streams
		ErrorHandler:  refuse,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 256, IdleConnTimeout: idleTimeout, DisableCompression: true},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > maxBody {
			refuse(w, r, &http.MaxBytesError{Limit: maxBody})
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		proxy.ServeHTTP(w, r)
	})
}

// refuse answers a request that did not get through.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		http.Error(w, fmt.Sprintf("the body is larger than %d MiB", tooLarge.Limit>>20), http.StatusRequestEntityTooLarge)
		return
	}
	slog.WarnContext(r.Context(), "request not served", "error", err)
	http.Error(w, "the request could not be served: try again", http.StatusServiceUnavailable)
}
