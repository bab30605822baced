package eventarc

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// Route is one push subscription. The defaults are those of Pub/Sub.
// https://cloud.google.com/pubsub/docs/reference/rest/v1/projects.subscriptions
type Route struct {
	Topic    string // ID of the topic, made if missing
	Bucket   string // whose finalized objects are published to Topic; may be empty
	Endpoint string // URL that is posted to; see Endpoint, the function
	Form     Form

	AckDeadline   time.Duration // how long an answer may take; 0 means 10 s
	MinBackoff    time.Duration // wait before the second delivery, doubled for each later one; 0 means 10 s
	MaxBackoff    time.Duration // at most this; 0 means 600 s
	MaxDeliveries int           // after so many the message is a dead letter; 0 means never
	DeadLetter    string        // URL that dead letters are pushed to, always in PushForm; may be empty
	Concurrency   int           // deliveries at once; 0 means 100

	Duplicates int           // further deliveries of each message, whose answers are ignored
	Reorder    time.Duration // each delivery waits a random time below this, so that messages overtake
}

// Endpoint returns the URL under base that a push subscription should post to.
// functions-framework reads the topic out of the path's last four segments
// (internal/events/pubsub, ExtractTopicFromRequestPath) to name the source of
// the CloudEvent it makes, and package function does the same.
func Endpoint(base, project, topic string) string {
	return base + "/projects/" + project + "/topics/" + topic
}

// complete sets the defaults and refuses what makes no sense.
func (r *Route) complete() error {
	if r.Topic == "" {
		return errors.New("no Topic")
	}
	if !isURL(r.Endpoint) {
		return fmt.Errorf("Endpoint %q is no URL", r.Endpoint)
	}
	if r.DeadLetter != "" && !isURL(r.DeadLetter) {
		return fmt.Errorf("DeadLetter %q is no URL", r.DeadLetter)
	}
	if r.AckDeadline < 0 || r.MinBackoff < 0 || r.MaxBackoff < 0 || r.Reorder < 0 {
		return errors.New("a duration is negative")
	}
	if r.MaxDeliveries < 0 || r.Concurrency < 0 || r.Duplicates < 0 {
		return errors.New("a count is negative")
	}
	if r.DeadLetter != "" && r.MaxDeliveries == 0 {
		return errors.New("DeadLetter needs MaxDeliveries")
	}
	r.AckDeadline = cmp.Or(r.AckDeadline, 10*time.Second)
	r.MinBackoff = cmp.Or(r.MinBackoff, 10*time.Second)
	r.MaxBackoff = cmp.Or(r.MaxBackoff, 600*time.Second)
	r.Concurrency = cmp.Or(r.Concurrency, 100)
	if r.MaxBackoff < r.MinBackoff {
		return fmt.Errorf("MaxBackoff %v is below MinBackoff %v", r.MaxBackoff, r.MinBackoff)
	}
	return nil
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != ""
}

// backoff returns the wait after delivery n, counted from 1, was not acknowledged.
func (r *Route) backoff(n int) time.Duration {
	wait := r.MinBackoff
	for ; n > 1 && wait < r.MaxBackoff; n-- {
		wait *= 2
	}
	return min(wait, r.MaxBackoff)
}

func (r *Route) deadLetterTopic() string { return r.Topic + "-dead-letter" }
