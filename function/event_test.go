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

// What is no event is refused and says what is wanted; an event of nothing is
// acknowledged, as it would be of no use however often it came.
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
		{"a message of nothing", nil, `{"message":{}}`, 200, ""},
		{"data that is no base64", nil, `{"message":{"data":"?"}}`, 200, ""},
		{"no message", nil, `{}`, 400, "as Pub/Sub pushes it"},
		{"no JSON", nil, `photo`, 400, "as Pub/Sub pushes it"},
		{"nothing", nil, ``, 400, "as Pub/Sub pushes it"},
		{"more than a message can have", nil, `{"message":{"data":"` + strings.Repeat("A", 17<<20), 400, "too large"},
		{"a CloudEvent", binary("Ce-Subject", "objects/a/"), object, 200, ""},
		{"a CloudEvent of another kind", binary("Ce-Type", "com.example.other"), object, 200, ""},
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
