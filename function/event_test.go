package function_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/pubsub"
)

// serveUpload serves Upload where nothing costs anything: there is no bucket, and events
// are of folders or of nothing.
func serveUpload(t *testing.T) (url string) {
	t.Helper()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	for name, value := range map[string]string{"GOOGLE_CLOUD_PROJECT": "p", "UPLOAD_BUCKET": "uploads", "RESULTS_BUCKET": "results", "K_SERVICE": "",
		"GOOGLE_API_KEY": "emulated", "STORAGE_EMULATOR_HOST": "http://127.0.0.1:1", "FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"} {
		t.Setenv(name, value)
	}
	return serve(t, "Upload") + "/projects/p/topics/uploads"
}

func post(t *testing.T, client *http.Client, url string, header http.Header, body string) (status int, answer string, err error) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header = header
	resp, err := client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// folder is a message about an object that is no photo: {"bucket":"uploads","name":"a/","generation":"1"}.
const folder = `{"message":{"messageId":"1","data":"eyJidWNrZXQiOiJ1cGxvYWRzIiwibmFtZSI6ImEvIiwiZ2VuZXJhdGlvbiI6IjEifQ=="},"subscription":"s"}`

// What is known to be about no photo is acknowledged; what cannot be read is refused, and
// says what is wanted.
func TestEvents(t *testing.T) {
	url := serveUpload(t)
	binary := func(name, value string) http.Header {
		h := http.Header{"Ce-Id": {"1"}, "Ce-Specversion": {"1.0"}, "Ce-Source": {"//storage.googleapis.com/projects/_/buckets/uploads"}, "Ce-Type": {"google.cloud.storage.object.v1.finalized"}, "Content-Type": {"application/json"}}
		h.Set(name, value)
		return h
	}
	object := `{"bucket":"uploads","name":"a/","generation":"1"}`
	for _, tt := range []struct {
		name   string
		header http.Header
		body   string
		status int
		says   string
	}{
		{"a pushed message", nil, folder, 200, ""},
		{"a message of nothing", nil, `{"message":{}}`, 400, "has no data"},
		{"a notification without payload", nil, `{"message":{"attributes":{"eventType":"OBJECT_FINALIZE","payloadFormat":"NONE","bucketId":"uploads","objectId":"a.jpg","objectGeneration":"1"}}}`, 400, "JSON_API_V1"},
		{"a notification of a deletion, without payload", nil, `{"message":{"attributes":{"eventType":"OBJECT_DELETE","payloadFormat":"NONE"}}}`, 200, ""},
		{"a background event of Cloud Storage", nil, `{"context":{"eventId":"1","eventType":"google.storage.object.finalize","resource":{"service":"storage.googleapis.com","name":"projects/_/buckets/uploads/objects/a"}},"data":` + object + `}`, 400, "--gen2"},
		{"a background event of Pub/Sub", nil, `{"context":{"eventId":"1","eventType":"google.pubsub.topic.publish"},"data":{"@type":"type.googleapis.com/google.pubsub.v1.PubsubMessage","data":"e30="}}`, 400, "--gen2"},
		{"the object alone", nil, object, 400, "as Pub/Sub pushes it"},
		{"data that is no base64", nil, `{"message":{"data":"?"}}`, 400, "base64"},
		{"no message", nil, `{}`, 400, "as Pub/Sub pushes it"},
		{"no JSON", nil, `photo`, 400, "as Pub/Sub pushes it"},
		{"nothing", nil, ``, 400, "as Pub/Sub pushes it"},
		{"more than a message can have", nil, `{"message":{"data":"` + strings.Repeat("A", 17<<20), 400, "too large"},
		{"a CloudEvent", binary("Ce-Subject", "objects/a/"), object, 200, ""},
		{"a CloudEvent of a deleted object", binary("Ce-Type", "google.cloud.storage.object.v1.deleted"), object, 200, ""},
		{"a CloudEvent of another kind", binary("Ce-Type", "google.cloud.audit.log.v1.written"), object, 400, "google.cloud.audit.log.v1.written"},
		{"a CloudEvent in protobuf", binary("Content-Type", "application/protobuf"), "\n\x01x\x12\x07uploads", 400, "application/protobuf"},
		{"a CloudEvent in one piece of protobuf", http.Header{"Content-Type": {"application/cloudevents+protobuf"}}, "\n\x011\x12\x01s", 400, "CloudEvent"},
		{"a CloudEvent without a source", binary("Ce-Source", ""), object, 400, "source"},
		{"a CloudEvent in one piece", http.Header{"Content-Type": {"application/cloudevents+json"}},
			`{"specversion":"1.0","id":"1","source":"s","type":"google.cloud.storage.object.v1.finalized","data":` + object + `}`, 200, ""},
		{"half a CloudEvent", http.Header{"Content-Type": {"application/cloudevents+json"}}, `{"specversion":"1.0",`, 400, "CloudEvent"},
	} {
		status, answer, err := post(t, http.DefaultClient, url, tt.header, tt.body)
		if err != nil || status != tt.status || !strings.Contains(answer, tt.says) {
			t.Errorf("%s is answered %d %q, %v; want %d with %q", tt.name, status, answer, err, tt.status, tt.says)
		}
	}
}

// A dead letter that cannot be read is kept as a failure of its object, and then acknowledged:
// it has cost its deliveries, and no more of them come.
func TestUnreadDeadLetter(t *testing.T) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	w := emulate.Start(t)
	for _, line := range append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "FAILURES_TOPIC=failures", "K_SERVICE=") {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
	}
	failures := "projects/" + w.Project + "/topics/failures"
	if err := w.PubSub.CreateTopic(failures); err != nil {
		t.Fatal(err)
	}
	kept := make(chan pubsub.Message, 10)
	w.PubSub.Subscribe(failures, func(m pubsub.Message) { kept <- m })
	url := serve(t, "Upload")
	err := w.Events.Add(eventarc.Route{
		Topic: "uploads", Endpoint: eventarc.Endpoint(url, w.Project, "uploads"), Form: eventarc.PushForm,
		DeadLetter: eventarc.Endpoint(url, w.Project, "uploads-dead-letter"),
		MinBackoff: time.Millisecond, MaxBackoff: time.Millisecond, MaxDeliveries: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	notification := map[string]string{"eventType": "OBJECT_FINALIZE", "payloadFormat": "NONE", "bucketId": "uploads", "objectId": "a.jpg", "objectGeneration": "7"}
	if err := w.Events.Publish("uploads", nil, notification); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := w.Events.Wait(ctx); err != nil {
		t.Fatalf("the event does not settle: %v, %+v", err, w.Events.Stats())
	}
	if s := w.Events.Stats(); s.DeadLettered != 1 || s.Delivered != 4 || s.Acked != 1 {
		t.Errorf("events: %+v, want 3 deliveries of the message, and one of the dead letter, which is acknowledged", s)
	}
	if len(kept) != 1 {
		t.Fatalf("%d failures, want 1", len(kept))
	}
	m := <-kept
	if m.Attributes["object"] != "gs://uploads/a.jpg" || m.Attributes["generation"] != "7" || m.Attributes["id"] == "" || !strings.Contains(string(m.Data), "JSON_API_V1") {
		t.Errorf("the failure is %s of %v, want one of gs://uploads/a.jpg that says what is wanted", m.Data, m.Attributes)
	}
}

// However many events come at once, and whoever leaves before the answer, each other one
// is answered.
func TestEventsAtOnce(t *testing.T) {
	url := serveUpload(t)
	patient := &http.Client{Timeout: 20 * time.Second}
	// Connections of their own: a client that leaves may close one that another has just got.
	hasty := &http.Client{Timeout: time.Millisecond, Transport: new(http.Transport)}
	var group errgroup.Group
	group.SetLimit(50)
	for i := range 3000 {
		group.Go(func() error {
			if i%10 == 0 {
				_, _, err := post(t, hasty, url, nil, folder)
				if errors.Is(err, context.DeadlineExceeded) {
					return nil
				}
				return err
			}
			_, _, err := post(t, patient, url, nil, folder)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Errorf("an event has no answer: %v", err)
	}
}
