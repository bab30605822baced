package pubsub

import (
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Limits of a publish request, which pstest does not know; the lengths are in bytes.
// https://cloud.google.com/pubsub/quotas#resource_limits and, for the request, MaxPublishRequestBytes
// of Google's client. https://github.com/snowplow/enrich/issues/485 has the answer to a long value.
const (
	maxRequest    = 10_000_000
	maxMessages   = 1000
	maxAttributes = 100 // of a message
	maxKey        = 256
	maxValue      = 1024
)

// check refuses what Pub/Sub refuses to publish.
func check(r *pubsubpb.PublishRequest) error {
	invalid := func(format string, args ...any) error {
		return status.Errorf(codes.InvalidArgument, format, args...)
	}
	if n := len(r.Messages); n < 1 || n > maxMessages {
		return invalid("The request has %d messages: want 1 to %d.", n, maxMessages)
	}
	if n := proto.Size(r); n > maxRequest {
		return invalid("The request has %d bytes, and %d at most are taken.", n, maxRequest)
	}
	for _, m := range r.Messages {
		if len(m.Data) == 0 && len(m.Attributes) == 0 {
			return invalid("A message must have data or an attribute.")
		}
		if n := len(m.Attributes); n > maxAttributes {
			return invalid("A message has %d attributes, and %d at most are taken.", n, maxAttributes)
		}
		for key, value := range m.Attributes {
			switch {
			case key == "" || len(key) > maxKey:
				return invalid("The attribute %.300q in the request has a key of %d characters, and 1 to %d are allowed.", key, len(key), maxKey)
			case len(value) > maxValue:
				return invalid("The attribute %q in the request has a value that is too long. The length is %d characters, but the maximum allowed is %d. Refer to https://cloud.google.com/pubsub/quotas for more information.", key, len(value), maxValue)
			}
		}
	}
	return nil
}
