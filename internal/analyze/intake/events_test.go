package intake_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"example.com/whatis/internal/analyze/intake"
)

func TestEvents(t *testing.T) {
	const resource = `{"bucket":"uploads","name":"a.jpg","generation":"1700000000000001","metadata":{"lang":"en"}}`
	const numeric = `{"bucket":"uploads","name":"a.jpg","generation":1700000000000001}`
	message := func(attributes, data string) string {
		encoded, _ := json.Marshal([]byte(data))
		return `{"message":{"attributes":` + attributes + `,"data":` + string(encoded) + `}}`
	}
	parse := map[string]func([]byte) (intake.Object, error){
		"resource": intake.FromResource,
		"message": func(data []byte) (intake.Object, error) {
			d, err := intake.FromMessage("//pubsub.googleapis.com/projects/p/topics/uploads", data)
			return d.Object, err
		},
	}
	const read, unread, none = "read", "unread", "about no new object"
	tests := []struct{ form, in, want string }{
		{"resource", resource, read},
		{"resource", numeric, read},
		{"resource", `{"bucket":"uploads","name":"a.jpg"}`, unread},
		{"resource", `{"bucket":"uploads","generation":"1"}`, unread},
		{"resource", `{"name":"a.jpg","generation":"1"}`, unread},
		{"resource", `{"bucket":"uploads","name":"a.jpg","generation":"1e3"}`, unread},
		{"resource", `{"bucket":"uploads","name":"a.jpg","generation":-1}`, unread},
		{"resource", ``, unread},
		{"message", message(`{"eventType":"OBJECT_FINALIZE"}`, resource), read},
		{"message", message(`{}`, resource), read},
		{"message", message(`{"eventType":"OBJECT_DELETE"}`, resource), none},
		{"message", message(`{"eventType":"OBJECT_DELETE","payloadFormat":"NONE"}`, ""), none},
		{"message", message(`{"eventType":"OBJECT_FINALIZE","payloadFormat":"NONE","bucketId":"uploads","objectId":"a.jpg","objectGeneration":"1"}`, ""), unread},
		{"message", `{"message":{}}`, unread},
		{"message", message(`{"eventType":"OBJECT_FINALIZE"}`, "not json"), unread},
		{"message", `{"message":{"data":"%"}}`, unread},
		{"message", `[]`, unread},
	}
	for _, test := range tests {
		o, err := parse[test.form]([]byte(test.in))
		got := read
		if errors.Is(err, intake.ErrNoObject) {
			got = none
		} else if err != nil {
			got = unread
		}
		if got != test.want {
			t.Errorf("%s %s is %s (%v), want %s", test.form, test.in, got, err, test.want)
		}
		if err == nil && (o.URI() != "gs://uploads/a.jpg" || o.Generation != 1700000000000001) {
			t.Errorf("%s %s = %+v, want gs://uploads/a.jpg of 1700000000000001", test.form, test.in, o)
		}
	}
}

// An attribute marks a replay. A dead letter's attributes give the time of the first
// publication, and are trusted only on a dead-letter topic's path.
func TestEventAttributes(t *testing.T) {
	const dead = `"CloudPubSubDeadLetterSourceSubscription":"projects/p/subscriptions/s","CloudPubSubDeadLetterSourceTopicPublishTime":"2026-11-20T08:00:00.5Z"`
	tests := []struct {
		topic, attributes string
		published         string
		replay            bool
	}{
		{"uploads", `{}`, "", false},
		{"uploads", `{"eventType":"OBJECT_FINALIZE","replay":"true"}`, "", true},
		{"uploads", `{"replay":"yes"}`, "", false},
		{"uploads", `{` + dead + `}`, "", false},
		{"uploads-dead-letter", `{}`, "", false},
		{"uploads-dead-letter", `{` + dead + `}`, "2026-11-20T08:00:00.5Z", false},
		{"uploads-dead-letter;00-0123-45-01", `{` + dead + `,"replay":"true"}`, "2026-11-20T08:00:00.5Z", true},
	}
	for _, test := range tests {
		data := `{"message":{"attributes":` + test.attributes + `,"data":"eyJidWNrZXQiOiJiIiwibmFtZSI6Im4iLCJnZW5lcmF0aW9uIjoxLCJzaXplIjoiNyJ9"}}`
		got, err := intake.FromMessage("//pubsub.googleapis.com/projects/p/topics/"+test.topic, []byte(data))
		want, _ := time.Parse(time.RFC3339Nano, test.published)
		if err != nil || !got.Published.Equal(want) || got.Replay != test.replay || got.Size != 7 {
			t.Errorf("FromMessage on %s with %s = %+v, %v; want published %q, replay %v, 7 bytes", test.topic, test.attributes, got, err, test.published, test.replay)
		}
	}
}
