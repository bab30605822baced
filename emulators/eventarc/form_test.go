package eventarc_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"testing"
	"time"

	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/storage"
)

// finalized is the event of an object whose name is hard to write in a header.
var finalized = storage.Event{
	Bucket:     "photos",
	Name:       "사진/초코 파이 100%?.jpg",
	Generation: "1795175036495498",
	Time:       time.Date(2026, 11, 20, 12, 0, 0, 500, time.UTC),
	Object:     json.RawMessage(`{"bucket":"photos","name":"사진/초코 파이 100%?.jpg","generation":"1795175036495498"}`),
}

var attributes = map[string]string{
	"notificationConfig": "projects/_/buckets/photos/notificationConfigs/1",
	"eventType":          "OBJECT_FINALIZE",
	"payloadFormat":      "JSON_API_V1",
	"bucketId":           "photos",
	"objectId":           "사진/초코 파이 100%?.jpg",
	"objectGeneration":   "1795175036495498",
	"eventTime":          "2026-11-20T12:00:00.0000005Z",
}

func TestPushForm(t *testing.T) {
	t.Parallel()
	var got push
	b := start(t, eventarc.Route{Topic: "uploads", Bucket: "photos", Endpoint: serve(t, func(_ http.ResponseWriter, r *http.Request) {
		got = parsePush(t, r)
	})})
	b.Finalized(finalized)
	wait(t, b)
	if !bytes.Equal(got.Message.Data, finalized.Object) || !maps.Equal(got.Message.Attributes, attributes) {
		t.Errorf("the push has %s with %v, want %s with %v", got.Message.Data, got.Message.Attributes, finalized.Object, attributes)
	}
	if got.Message.MessageID == "" || time.Since(got.Message.PublishTime).Abs() > time.Minute {
		t.Errorf("the push has messageId %q and publishTime %v", got.Message.MessageID, got.Message.PublishTime)
	}
	if got.Subscription != "projects/p/subscriptions/uploads-1" || got.DeliveryAttempt != 0 {
		t.Errorf("the push is of %q, attempt %d; want none without a dead letter policy", got.Subscription, got.DeliveryAttempt)
	}
}

func TestCloudEventForm(t *testing.T) {
	t.Parallel()
	var header http.Header
	var body []byte
	b := start(t, eventarc.Route{Topic: "uploads", Bucket: "photos", Form: eventarc.CloudEventForm,
		Endpoint: serve(t, func(_ http.ResponseWriter, r *http.Request) {
			header = r.Header
			body, _ = io.ReadAll(r.Body)
		})})
	b.Finalized(finalized)
	wait(t, b)
	for name, want := range map[string]string{
		"Content-Type":   "application/json",
		"ce-specversion": "1.0",
		"ce-type":        "google.cloud.storage.object.v1.finalized",
		"ce-source":      "//storage.googleapis.com/projects/_/buckets/photos",
		"ce-subject":     "objects/%EC%82%AC%EC%A7%84/%EC%B4%88%EC%BD%94%20%ED%8C%8C%EC%9D%B4%20100%25?.jpg",
		"ce-bucket":      "photos",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if header.Get("ce-id") == "" || header.Get("ce-time") == "" {
		t.Errorf("ce-id is %q, ce-time %q", header.Get("ce-id"), header.Get("ce-time"))
	}
	if !bytes.Equal(body, finalized.Object) {
		t.Errorf("the body is %s, want %s", body, finalized.Object)
	}
}
