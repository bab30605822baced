package intake

import (
	"encoding/json"
	"errors"
	"testing"
)

// What is read of an event names one generation of an object; anything else is ErrNoObject.
// An object's resource is read the same alone and in a message.
func FuzzFromMessage(f *testing.F) {
	f.Add("//pubsub.googleapis.com/projects/p/topics/uploads", `{"message":{"attributes":{"eventType":"OBJECT_FINALIZE","replay":"true"},"data":"eyJidWNrZXQiOiJ1cGxvYWRzIiwibmFtZSI6ImEuanBnIiwiZ2VuZXJhdGlvbiI6IjE3In0="}}`)
	f.Add("//pubsub.googleapis.com/projects/p/topics/uploads-dead-letter;trace=x", `{"message":{"attributes":{"CloudPubSubDeadLetterSourceSubscription":"s","CloudPubSubDeadLetterSourceTopicPublishTime":"2026-01-01T00:00:00Z"},"data":"e30="}}`)
	f.Add("", `{"bucket":"uploads","name":"../a","generation":17.0,"size":-1,"metadata":{"lang":"ko"}}`)
	f.Add("", `{"message":{"data":"!"}}`)
	f.Add("", `{"message":{"attributes":{"eventType":"OBJECT_DELETE"}}}`)
	f.Fuzz(func(t *testing.T, source, data string) {
		d, err := FromMessage(source, []byte(data))
		checkObject(t, d.Object, err)
		o, err := FromResource([]byte(data))
		checkObject(t, o, err)
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

func checkObject(t *testing.T, o Object, err error) {
	t.Helper()
	switch {
	case err != nil && !errors.Is(err, ErrNoObject):
		t.Errorf("%v, want ErrNoObject", err)
	case err == nil && (o.Bucket == "" || o.Name == "" || o.Generation <= 0):
		t.Errorf("an event about %+v", o)
	}
}
