package firestore

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
)

// Options says where the server listens and what it keeps.
type Options struct {
	// Dir is the folder of the snapshot, made when it is not there. "" keeps
	// nothing. Two servers must not share one.
	Dir string
	// Addr is the host:port to listen on; "" means 127.0.0.1:0, a free port.
	Addr string
}

// A Server is a running emulator.
type Server struct {
	calls    *calls
	indexes  *indexes
	reads    *reads
	store    *store
	saver    *saver // nil without Options.Dir
	grpc     *grpc.Server
	listener net.Listener
	served   chan error
	shutOnce func() error // shut, run by the first Close
}

// Start loads the snapshot of opts.Dir, if there is one, and serves Firestore
// until Close. A damaged snapshot is an error that says what to do about it.
func Start(opts Options) (*Server, error) {
	s := &Server{calls: newCalls(), indexes: &indexes{}, reads: &reads{}, served: make(chan error, 1)}
	s.shutOnce = sync.OnceValue(s.shut)
	s.store = newStore(func() {})
	if opts.Dir != "" {
		if err := s.keep(opts.Dir); err != nil {
			return nil, fmt.Errorf("firestore: snapshot: %w", err)
		}
	}
	addr := opts.Addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	var err error
	if s.listener, err = net.Listen("tcp", addr); err != nil {
		return nil, errors.Join(fmt.Errorf("firestore: listen: %w", err), s.save())
	}
	s.grpc = grpc.NewServer(
		grpc.MaxRecvMsgSize(maxRequestSize),
		grpc.WaitForHandlers(true), // so that the last save has what they wrote
		grpc.UnaryInterceptor(s.calls.unary),
		grpc.StreamInterceptor(s.calls.stream),
	)
	pb.RegisterFirestoreServer(s.grpc, &service{store: s.store, indexes: s.indexes, reads: s.reads})
	go func() { s.served <- s.grpc.Serve(s.listener) }()
	return s, nil
}

// keep loads the snapshot in dir and has changes saved there from now on.
func (s *Server) keep(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := loadSnapshot(dir, s.store); err != nil {
		return err
	}
	s.saver = startSaver(func() error { return saveSnapshot(dir, s.store.documents()) })
	s.store.changed = s.saver.changed
	return nil
}

// Addr returns the host:port to put into FIRESTORE_EMULATOR_HOST.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Close cuts all connections and, with Options.Dir, saves the snapshot. Called
// again, it does nothing and returns the same.
func (s *Server) Close() error { return s.shutOnce() }

func (s *Server) shut() error {
	s.grpc.Stop()
	err := <-s.served
	if errors.Is(err, grpc.ErrServerStopped) { // before it had begun to serve
		err = nil
	}
	if err := errors.Join(err, s.save()); err != nil {
		return fmt.Errorf("firestore: close: %w", err)
	}
	return nil
}

// save ends the saver with a last save.
func (s *Server) save() error {
	if s.saver == nil {
		return nil
	}
	return s.saver.close()
}

// Reset forgets all documents and transactions, scheduled faults and counts.
func (s *Server) Reset() {
	s.store.reset()
	s.ClearFaults()
	s.ResetCalls()
}
