// Package pubsub is Cloud Pub/Sub on a local address: the topics, pull
// subscriptions and schemas of Google's pstest, and a way to see every message
// as it is published, which is what a push needs and pstest lacks.
//
//	client ─ gRPC ─→ Server ─→ pstest ─→ pull subscriptions
//	                    └────→ Subscribe (eventarc pushes from here)
//
// Nothing is kept on disk; pstest forgets nothing while it runs.
package pubsub

import (
	"context"
	"fmt"
	"maps"
	"net"
	"sync"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"cloud.google.com/go/pubsub/v2/pstest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Options say where the server listens.
type Options struct {
	Addr string // host:port; empty means a free port of 127.0.0.1
}

// Server is a running emulator. Its methods are safe for concurrent use.
type Server struct {
	addr  string
	grpc  *grpc.Server
	fake  *pstest.Server
	close sync.Once

	mu   sync.RWMutex
	subs map[string]map[int]func(Message) // by topic, then by order of arrival
	next int
}

// Message is one published message. Data and Attributes are shared with every
// other subscriber and must not be changed.
type Message struct {
	ID          string
	Data        []byte
	Attributes  map[string]string
	PublishTime time.Time
}

// Start listens and serves until Close.
func Start(o Options) (*Server, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("pubsub: %w", err)
	}
	s := &Server{
		addr: listener.Addr().String(),
		grpc: grpc.NewServer(grpc.MaxRecvMsgSize(2 * maxRequest)),
		fake: pstest.NewServerWithAddress("127.0.0.1:0"),
		subs: map[string]map[int]func(Message){},
	}
	pubsubpb.RegisterPublisherServer(s.grpc, publisher{&s.fake.GServer, s})
	pubsubpb.RegisterSubscriberServer(s.grpc, &s.fake.GServer)
	pubsubpb.RegisterSchemaServiceServer(s.grpc, &s.fake.GServer)
	go s.grpc.Serve(listener)
	return s, nil
}

// Addr returns the server's host:port, as PUBSUB_EMULATOR_HOST wants it.
func (s *Server) Addr() string { return s.addr }

// CreateTopic makes the topic projects/P/topics/T unless it exists.
func (s *Server) CreateTopic(topic string) error {
	_, err := s.fake.GServer.CreateTopic(context.Background(), &pubsubpb.Topic{Name: topic})
	if err != nil && status.Code(err) != codes.AlreadyExists {
		return fmt.Errorf("pubsub: create %s: %w", topic, err)
	}
	return nil
}

// CreateSubscription makes the pull subscription projects/P/subscriptions/S of an
// existing topic unless it exists.
func (s *Server) CreateSubscription(subscription, topic string) error {
	_, err := s.fake.GServer.CreateSubscription(context.Background(), &pubsubpb.Subscription{Name: subscription, Topic: topic, AckDeadlineSeconds: 60})
	if err != nil && status.Code(err) != codes.AlreadyExists {
		return fmt.Errorf("pubsub: create %s: %w", subscription, err)
	}
	return nil
}

// Publish sends a message to an existing topic, projects/P/topics/T, just as a
// client would, and returns the message's ID.
func (s *Server) Publish(topic string, data []byte, attributes map[string]string) (string, error) {
	response, err := publisher{&s.fake.GServer, s}.Publish(context.Background(), &pubsubpb.PublishRequest{
		Topic:    topic,
		Messages: []*pubsubpb.PubsubMessage{{Data: data, Attributes: maps.Clone(attributes)}},
	})
	if err != nil {
		return "", fmt.Errorf("pubsub: publish to %s: %w", topic, err)
	}
	return response.MessageIds[0], nil
}

// Subscribe calls deliver with every later message of an existing topic,
// whoever published it, before the publisher has its answer; so deliver must
// return at once. The function returned ends the subscription.
func (s *Server) Subscribe(topic string, deliver func(Message)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.subs[topic] == nil {
		s.subs[topic] = map[int]func(Message){}
	}
	id := s.next
	s.next++
	s.subs[topic][id] = deliver
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subs[topic], id)
	}
}

// Close stops the server, cuts its streams and waits for their goroutines.
func (s *Server) Close() {
	s.close.Do(func() {
		s.grpc.Stop()
		s.fake.Close()
		s.fake.Wait()
	})
}

// publisher is pstest's publisher with an ear on Publish.
type publisher struct {
	pubsubpb.PublisherServer
	server *Server
}

func (p publisher) Publish(ctx context.Context, r *pubsubpb.PublishRequest) (*pubsubpb.PublishResponse, error) {
	if err := check(r); err != nil {
		return nil, err
	}
	response, err := p.PublisherServer.Publish(ctx, r)
	if err != nil {
		return nil, err
	}
	p.server.mu.RLock()
	defer p.server.mu.RUnlock()
	for i, m := range r.Messages {
		for _, deliver := range p.server.subs[r.Topic] {
			deliver(Message{response.MessageIds[i], m.Data, m.Attributes, m.PublishTime.AsTime()})
		}
	}
	return response, nil
}
