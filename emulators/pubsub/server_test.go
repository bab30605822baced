package pubsub_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gcp "cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

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

func TestMissingTopic(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	if _, err := s.Publish(topic, []byte("x"), nil); status.Code(err) != codes.NotFound {
		t.Errorf("Publish to a missing topic = %v, want NotFound", err)
	}
	_, err := c.Publisher(topic).Publish(t.Context(), &gcp.Message{Data: []byte("x")}).Get(t.Context())
	if status.Code(err) != codes.NotFound {
		t.Errorf("client's Publish to a missing topic = %v, want NotFound", err)
	}
}

// What the service refuses to publish is refused: pstest takes all of it.
func TestPublishLimits(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	if err := s.CreateTopic(topic); err != nil {
		t.Fatal(err)
	}
	attributes := func(n, key, value int) map[string]string {
		all := map[string]string{}
		for i := range n {
			all[fmt.Sprintf("%0*d", key, i)] = strings.Repeat("v", value)
		}
		return all
	}
	one := []*pubsubpb.PubsubMessage{{Data: []byte("x")}}
	sized := func(n int) []*pubsubpb.PubsubMessage { // a request of n bytes
		m := &pubsubpb.PubsubMessage{Data: make([]byte, n)}
		m.Data = m.Data[:n-(proto.Size(&pubsubpb.PublishRequest{Topic: topic, Messages: []*pubsubpb.PubsubMessage{m}})-n)]
		return []*pubsubpb.PubsubMessage{m}
	}
	for _, test := range []struct {
		name     string
		messages []*pubsubpb.PubsubMessage
		want     codes.Code
	}{
		{"1,000 messages", slices.Repeat(one, 1000), codes.OK},
		{"1,001 messages", slices.Repeat(one, 1001), codes.InvalidArgument},
		{"no message", nil, codes.InvalidArgument},
		{"an empty message", []*pubsubpb.PubsubMessage{{}}, codes.InvalidArgument},
		{"an attribute alone", []*pubsubpb.PubsubMessage{{Attributes: attributes(1, 1, 0)}}, codes.OK},
		{"10 MB", sized(10_000_000), codes.OK},
		{"10 MB and a byte", sized(10_000_001), codes.InvalidArgument},
		{"12 MB", sized(12_000_000), codes.InvalidArgument},
		{"attributes at their limits", []*pubsubpb.PubsubMessage{{Attributes: attributes(100, 256, 1024)}}, codes.OK},
		{"101 attributes", []*pubsubpb.PubsubMessage{{Attributes: attributes(101, 3, 1)}}, codes.InvalidArgument},
		{"a key of 257 bytes", []*pubsubpb.PubsubMessage{{Attributes: attributes(1, 257, 1)}}, codes.InvalidArgument},
		{"an empty key", []*pubsubpb.PubsubMessage{{Attributes: map[string]string{"": "x"}}}, codes.InvalidArgument},
		{"a value of 1,025 bytes", []*pubsubpb.PubsubMessage{{Attributes: attributes(1, 1, 1025)}}, codes.InvalidArgument},
		{"a value of 342 letters of 3 bytes", []*pubsubpb.PubsubMessage{{Attributes: map[string]string{"a": strings.Repeat("가", 342)}}}, codes.InvalidArgument},
	} {
		_, err := c.TopicAdminClient.Publish(t.Context(), &pubsubpb.PublishRequest{Topic: topic, Messages: test.messages})
		if status.Code(err) != test.want {
			t.Errorf("Publish of %s = %.200v, want %s", test.name, err, test.want)
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
