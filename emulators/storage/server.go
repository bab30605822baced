// Package storage is Cloud Storage on a local address: fake-gcs-server behind
// a front that makes it behave where it does not.
//
//	client ─ HTTP ─→ faults → conditions → fake-gcs-server → memory or a directory
//	                                             └→ Events (every finalized object)
//
// What the front adds: preconditions on reads, deletes, updates and copies
// (fake-gcs-server knows those of uploads only), one change at a time, the
// notification of each finalized object with its whole resource, the limits of
// names and metadata, and faults on request. It serves the JSON API, with its root or without (as Google's client for
// Node has it), and the reads of the XML API, under whatever host name it is reached
// by. What it lacks of the two it answers with 501 and the method's name.
//
// Known differences from Cloud Storage: metageneration is always 1, of a bucket's
// settings only versioning and the default hold are kept, updating
// metadata in a directory changes the generation, a directory cannot hold both
// "a" and "a/b", and XML uploads, signed or not, give no notification.
package storage

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"

	"github.com/fsouza/fake-gcs-server/fakestorage"
)

// Options say where the server listens and what it holds.
type Options struct {
	Addr    string      // host:port; empty means a free port of 127.0.0.1
	Dir     string      // where objects are kept, by bucket and name; empty keeps them in memory
	Buckets []string    // made at the start unless they exist
	Events  func(Event) // called for every finalized object, before the writer has its answer; may be nil
}

// Server is a running emulator. Its methods are safe for concurrent use.
type Server struct {
	addr   string
	dir    string
	events func(Event)
	fake   backend
	api    http.Handler // fake's
	http   *http.Server
	done   chan struct{} // closed when http no longer accepts

	change  sync.Mutex // held while one request changes objects
	uploads uploads    // guarded by change
	faults  faults
}

// backend is what a Server uses of a fakestorage.Server. A field of that type would have each
// package that names a Server compile a thousand generic functions again, those of the metrics
// of the client that fakestorage offers.
type backend interface {
	CreateBucketWithOpts(fakestorage.CreateBucketOpts)
	GetObjectStreaming(bucket, name string) (fakestorage.StreamingObject, error)
	ListObjectsWithOptionsPaginated(bucket string, o fakestorage.ListOptions) (fakestorage.ListResponse, error)
	HTTPHandler() http.Handler
	Stop()
}

// Start listens and serves until Close.
func Start(o Options) (*Server, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	s := &Server{addr: listener.Addr().String(), dir: o.Dir, events: o.Events, done: make(chan struct{}), uploads: uploads{}}
	s.fake, err = fakestorage.NewServerWithOptions(fakestorage.Options{
		StorageRoot: o.Dir,
		NoListener:  true,
		Scheme:      "http",
		ExternalURL: "http://" + s.addr,
		PublicHost:  s.addr,
	})
	if err != nil {
		listener.Close()
		return nil, fmt.Errorf("storage: %w", err)
	}
	for _, bucket := range o.Buckets {
		if err := s.CreateBucket(bucket); err != nil {
			listener.Close()
			return nil, err
		}
	}
	s.api = s.fake.HTTPHandler()
	s.http = &http.Server{Handler: s}
	go func() {
		defer close(s.done)
		s.http.Serve(listener)
	}()
	return s, nil
}

// Addr returns the server's host:port.
func (s *Server) Addr() string { return s.addr }

// URL returns the server's base URL, http://host:port, as STORAGE_EMULATOR_HOST
// wants it: the Go client replaces any path there, other clients append theirs.
func (s *Server) URL() string { return "http://" + s.addr }

// Endpoint returns the JSON API's root, http://host:port/storage/v1/, as
// option.WithEndpoint and gcloud's CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE want
// it. Uploads and XML reads are found from its host.
func (s *Server) Endpoint() string { return s.URL() + "/storage/v1/" }

// CreateBucket makes a bucket unless it exists.
func (s *Server) CreateBucket(name string) (err error) {
	defer func() {
		if r := recover(); r != nil { // CreateBucketWithOpts has no other way to refuse
			err = fmt.Errorf("storage: create bucket %q: %v", name, r)
		}
	}()
	if name == "" {
		return errors.New("storage: create bucket: the name is empty")
	}
	s.fake.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: name})
	return nil
}

// Close stops the server and cuts the requests in flight.
func (s *Server) Close() {
	s.http.Close()
	<-s.done
	s.fake.Stop()
}
