package pubsub_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gcp "cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"example.com/whatis/emulators/pubsub"
)

const topic = "projects/p/topics/uploads"

func start(t *testing.T) (*pubsub.Server, *gcp.Client) {
	t.Helper()
	s, err := pubsub.Start(pubsub.Options{})
	if err != nil {
		t.Fatalf("Start = %v", err)
	}
	t.Cleanup(s.Close)
	c, err := gcp.NewClient(t.Context(), "p", option.WithEndpoint(s.Addr()), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		t.Fatalf("NewClient = %v", err)
	}
	t.Cleanup(func() { c.Close() })
	return s, c
}

// A message reaches clients and Subscribe alike, whoever published it.
func TestPublish(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	subscription := subscribe(t, c)
	var mu sync.Mutex
	var heard []string
	cancel := s.Subscribe(topic, func(m pubsub.Message) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, fmt.Sprintf("%s %s %v", m.ID, m.Data, m.Attributes))
	})

	inner, err := s.Publish(topic, []byte("inner"), map[string]string{"a": "1"})
	if err != nil {
		t.Fatalf("Publish = %v", err)
	}
	outer, err := c.Publisher(topic).Publish(t.Context(), &gcp.Message{Data: []byte("outer")}).Get(t.Context())
	if err != nil {
		t.Fatalf("client's Publish = %v", err)
	}
	want := []string{inner + " inner map[a:1]", outer + " outer map[]"}
	if !slices.Equal(heard, want) {
		t.Errorf("Subscribe heard %q, want %q", heard, want)
	}
	if got := receive(t, c, subscription, 2); !slices.Equal(got, want) {
		t.Errorf("the client received %q, want %q", got, want)
	}

	cancel()
	if _, err := s.Publish(topic, []byte("late"), nil); err != nil {
		t.Fatalf("Publish = %v", err)
	}
	if len(heard) != 2 {
		t.Errorf("after cancel Subscribe heard %q", heard[2:])
	}
}

func subscribe(t *testing.T, c *gcp.Client) string {
	t.Helper()
	if _, err := c.TopicAdminClient.CreateTopic(t.Context(), &pubsubpb.Topic{Name: topic}); err != nil {
		t.Fatalf("CreateTopic = %v", err)
	}
	sub, err := c.SubscriptionAdminClient.CreateSubscription(t.Context(), &pubsubpb.Subscription{
		Name: "projects/p/subscriptions/s", Topic: topic, AckDeadlineSeconds: 10,
	})
	if err != nil {
		t.Fatalf("CreateSubscription = %v", err)
	}
	return sub.Name
}

// receive takes n messages from a subscription, sorted.
func receive(t *testing.T, c *gcp.Client, subscription string, n int) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var mu sync.Mutex
	var got []string
	err := c.Subscriber(subscription).Receive(ctx, func(_ context.Context, m *gcp.Message) {
		m.Ack()
		mu.Lock()
		defer mu.Unlock()
		got = append(got, fmt.Sprintf("%s %s %v", m.ID, m.Data, m.Attributes))
		if len(got) == n {
			cancel()
		}
	})
	if err != nil {
		t.Fatalf("Receive = %v", err)
	}
	slices.Sort(got)
	return got
}

// Attributes are within Pub/Sub's limits.
func TestAttributes(t *testing.T) {
	t.Parallel()
	_, c := start(t)
	subscribe(t, c)
	many := map[string]string{}
	for i := range 100 {
		many[fmt.Sprint(i)] = ""
	}
	one := maps.Clone(many)
	one["one more"] = ""
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct {
		what       string
		attributes map[string]string
		want       codes.Code
	}{
		{"the most", many, codes.OK},
		{"one too many", one, codes.InvalidArgument},
		{"the longest key and value", map[string]string{long(256): long(1024)}, codes.OK},
		{"a key too long", map[string]string{long(257): ""}, codes.InvalidArgument},
		{"a value too long", map[string]string{"a": long(1025)}, codes.InvalidArgument},
		{"a value too long in bytes", map[string]string{"a": strings.Repeat("가", 342)}, codes.InvalidArgument},
	} {
		request := &pubsubpb.PublishRequest{Topic: topic, Messages: []*pubsubpb.PubsubMessage{{Data: []byte("a"), Attributes: test.attributes}}}
		if _, err := c.TopicAdminClient.Publish(t.Context(), request); status.Code(err) != test.want {
			t.Errorf("%s: Publish = %v, want %v", test.what, err, test.want)
		}
	}
}

func TestMissingTopic(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	if _, err := s.Publish(topic, nil, nil); status.Code(err) != codes.NotFound {
		t.Errorf("Publish to a missing topic = %v, want NotFound", err)
	}
	_, err := c.Publisher(topic).Publish(t.Context(), &gcp.Message{Data: []byte("x")}).Get(t.Context())
	if status.Code(err) != codes.NotFound {
		t.Errorf("client's Publish to a missing topic = %v, want NotFound", err)
	}
}

func TestCreateTopicTwice(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	for range 2 {
		if err := s.CreateTopic(topic); err != nil {
			t.Errorf("CreateTopic = %v", err)
		}
	}
}

func TestAddressTaken(t *testing.T) {
	t.Parallel()
	s, _ := start(t)
	if _, err := pubsub.Start(pubsub.Options{Addr: s.Addr()}); err == nil {
		t.Errorf("Start on the address of a running server = nil, want an error")
	}
	s.Close()
	again, err := pubsub.Start(pubsub.Options{Addr: s.Addr()})
	if err != nil {
		t.Fatalf("Start on the address of a closed server = %v", err)
	}
	again.Close()
	again.Close()
}
