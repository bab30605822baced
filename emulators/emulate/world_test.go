package emulate_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	gcppubsub "cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/eventarc"
)

const hardName = "사진/초코 파이 100%/a+b?c=d&e#f/%2F..jpg"

// An upload by the real client is pushed, and a real Pub/Sub client sees the
// same notification.
func TestUploadIsPushed(t *testing.T) {
	t.Parallel()
	w := emulate.Start(t, emulate.Storage, emulate.PubSub)
	pushed := make(chan []byte, 1)
	endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		pushed <- body
	}))
	t.Cleanup(endpoint.Close)
	if err := w.Events.Add(eventarc.Route{Topic: "uploads", Bucket: "photos", Endpoint: endpoint.URL, Form: eventarc.CloudEventForm}); err != nil {
		t.Fatal(err)
	}
	subscriber := subscribe(t, w, "uploads")

	upload(t, w, hardName)
	if err := w.Events.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	resource := <-pushed
	var o struct {
		Bucket, Name, Generation, Metageneration, ContentType, Size, MD5Hash string
		TimeCreated, Updated                                                 time.Time
		Metadata                                                             map[string]string
	}
	if err := json.Unmarshal(resource, &o); err != nil {
		t.Fatalf("the push is %s: %v", resource, err)
	}
	if o.Bucket != "photos" || o.Name != hardName || o.ContentType != "image/jpeg" || o.Size != "3" ||
		o.Metageneration != "1" || o.MD5Hash != "kAFQmDzST7DWlj99KOF/cg==" || o.Metadata["country"] != "KR" ||
		o.TimeCreated.IsZero() || o.Updated.IsZero() {
		t.Errorf("the pushed resource is %s", resource)
	}
	m := receive(t, subscriber)
	if string(m.Data) != string(resource) || m.Attributes["objectId"] != hardName || m.Attributes["objectGeneration"] != o.Generation {
		t.Errorf("the client received %s with %v, want %s", m.Data, m.Attributes, resource)
	}
}

func upload(t *testing.T, w *emulate.World, name string) {
	t.Helper()
	if err := w.Storage.CreateBucket("photos"); err != nil {
		t.Fatal(err)
	}
	o := emulate.StorageClient(t, w).Bucket("photos").Object(name).NewWriter(t.Context())
	o.ContentType = "image/jpeg"
	o.Metadata = map[string]string{"country": "KR"}
	if _, err := o.Write([]byte("abc")); err != nil {
		t.Fatalf("upload %q: %v", name, err)
	}
	if err := o.Close(); err != nil {
		t.Fatalf("upload %q: %v", name, err)
	}
}

func subscribe(t *testing.T, w *emulate.World, topic string) *gcppubsub.Subscriber {
	t.Helper()
	c := w.PubSubClient(t)
	s, err := c.SubscriptionAdminClient.CreateSubscription(t.Context(), &pubsubpb.Subscription{
		Name:               "projects/" + w.Project + "/subscriptions/test",
		Topic:              "projects/" + w.Project + "/topics/" + topic,
		AckDeadlineSeconds: 10,
	})
	if err != nil {
		t.Fatalf("CreateSubscription = %v", err)
	}
	return c.Subscriber(s.Name)
}

func receive(t *testing.T, s *gcppubsub.Subscriber) *gcppubsub.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got := make(chan *gcppubsub.Message, 1)
	err := s.Receive(ctx, func(_ context.Context, m *gcppubsub.Message) {
		m.Ack()
		got <- m
		cancel()
	})
	if err != nil || len(got) == 0 {
		t.Fatalf("Receive = %v after %d messages", err, len(got))
	}
	return <-got
}

func TestFirestoreClient(t *testing.T) {
	t.Parallel()
	doc := emulate.Start(t, emulate.Firestore).FirestoreClient(t).Doc("work/1")
	if _, err := doc.Create(t.Context(), map[string]any{"owner": "me"}); err != nil {
		t.Fatalf("Create = %v", err)
	}
	got, err := doc.Get(t.Context())
	if err != nil || got.Data()["owner"] != "me" {
		t.Errorf("Get = %v, %v; want the document", got.Data(), err)
	}
}

func TestEnv(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		services []emulate.Service
		want     []string
	}{
		{[]emulate.Service{emulate.Storage}, []string{"GOOGLE_CLOUD_PROJECT", "STORAGE_EMULATOR_HOST"}},
		{nil, []string{"GOOGLE_CLOUD_PROJECT", "FIRESTORE_EMULATOR_HOST", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY", "STORAGE_EMULATOR_HOST", "PUBSUB_EMULATOR_HOST", "OPENWEATHER_BASE_URL", "OPENWEATHER_API_KEY"}},
	} {
		var got []string
		for _, line := range emulate.Start(t, tt.services...).Env() {
			name, value, _ := strings.Cut(line, "=")
			if value == "" {
				t.Errorf("Env() has %q", line)
			}
			got = append(got, name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Start(t, %v).Env() names %v, want %v", tt.services, got, tt.want)
		}
	}
}

// BenchmarkStart is the time to start a whole world.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		emulate.Start(b)
	}
}

// TestMain takes away the variables that would lead Google's clients elsewhere.
func TestMain(m *testing.M) { emulate.Run(m) }
