package intake

import (
	"encoding/json"
	"errors"
	"testing"

	"example.com/whatis/internal/jobs/queue"
)

// What is read of an event names one generation of an object; anything else is an error, which
// is ErrNoObject only if the event says what else happened. An object's resource is read the same alone and in a message.
func FuzzFromMessage(f *testing.F) {
	f.Add("//pubsub.googleapis.com/projects/p/topics/uploads", `{"message":{"attributes":{"eventType":"OBJECT_FINALIZE","replay":"true"},"data":"eyJidWNrZXQiOiJ1cGxvYWRzIiwibmFtZSI6ImEuanBnIiwiZ2VuZXJhdGlvbiI6IjE3In0="}}`)
	f.Add("//pubsub.googleapis.com/projects/p/topics/uploads-dead-letter;trace=x", `{"message":{"attributes":{"CloudPubSubDeadLetterSourceSubscription":"s","CloudPubSubDeadLetterSourceTopicPublishTime":"2026-01-01T00:00:00Z"},"data":"e30="}}`)
	f.Add("", `{"bucket":"uploads","name":"../a","generation":17.0,"size":-1,"metadata":{"lang":"ko"}}`)
	f.Add("", `{"message":{"data":"!"}}`)
	f.Add("", `{"message":{"attributes":{"eventType":"OBJECT_DELETE"}}}`)
	f.Fuzz(func(t *testing.T, source, data string) {
		d, err := FromMessage(source, []byte(data))
		m, _ := queue.FromEvent(source, []byte(data)) // no attributes of what is no message
		checkObject(t, d.Object, err, m.Attributes["eventType"] != "")
		o, err := FromResource([]byte(data))
		checkObject(t, o, err, false)
		if err != nil {
			return
		}
		message, err := json.Marshal(map[string]any{"message": map[string]any{"data": []byte(data)}})
		if err != nil {
			t.Fatal(err)
		}
		if d, err := FromMessage(source, message); err != nil || d.ObjectRef != o.ObjectRef || d.Size != o.Size || d.Replay {
			t.Errorf("FromResource(%q) = %+v, and in a message %+v, %v", data, o, d, err)
		}
	})
}

func checkObject(t *testing.T, o Object, err error, typed bool) {
	t.Helper()
	switch {
	case errors.Is(err, ErrNoObject) && !typed:
		t.Errorf("%v, of an event without a type", err)
	case err == nil && (o.Bucket == "" || o.Name == "" || o.Generation <= 0):
		t.Errorf("an event about %+v", o)
	}
}
