package function_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	gcs "cloud.google.com/go/storage"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/eventarc"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/function"
)

// serve runs a function of this process.
func serve(t testing.TB, target string) string {
	t.Helper()
	t.Setenv("FUNCTION_TARGET", target)
	port := emulate.FreePort(t)
	address := "127.0.0.1:" + port
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- function.Serve(ctx, "127.0.0.1", port) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("%s: %v", target, err)
		}
	})
	for len(done) == 0 {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
			return "http://" + address
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%s ends at its start", target)
	return ""
}

// The entry points, as the framework serves them and as events reach them.
func TestFunctions(t *testing.T) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	w := emulate.Start(t)
	for _, line := range append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "LEARN_FROM_SEARCH=true",
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding", "K_SERVICE=") {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
	}
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	objects, err := gcs.NewClient(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { objects.Close() })
	sample := samples.All()[0]

	t.Run("Upload", func(t *testing.T) {
		stacks := modelStacks(t)
		url := serve(t, "Upload")
		for topic, form := range map[string]eventarc.Form{"uploads": eventarc.PushForm, "events": eventarc.CloudEventForm} {
			err := w.Events.Add(eventarc.Route{
				Topic: topic, Bucket: "uploads", Endpoint: eventarc.Endpoint(url, w.Project, topic), Form: form,
				AckDeadline: 10 * time.Second, MinBackoff: 10 * time.Millisecond,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		// A passing fault: the delivery is refused and comes again.
		w.Gemini.SetFaults(emulated.Fault{Type: emulated.Unavailable, Times: 1})
		for _, name := range []string{"a.jpg", "b.jpg"} {
			put(t, objects, "uploads", name, sample.Bytes())
		}
		for _, other := range []string{"OBJECT_DELETE", "OBJECT_METADATA_UPDATE"} {
			if err := w.Events.Publish("uploads", []byte("{}"), map[string]string{"eventType": other}); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := w.Events.Wait(ctx); err != nil {
			t.Fatalf("the events do not settle: %v, %+v", err, w.Events.Stats())
		}
		if all := stacks(); len(all) > 0 {
			checkFrames(t, "Upload", all[0], 18)
		} else {
			t.Error("no model was called")
		}
		if s := w.Events.Stats(); s.Acked != 6 || s.Retried < 1 {
			t.Errorf("events: %+v, want 6 acknowledged, 1 of them at the second try at least", s)
		}
		for _, name := range []string{"a.jpg", "b.jpg"} {
			if got := get(t, objects, name+".json"); got["product_name"] != sample.Truth.Name || got["source"] != "image" {
				t.Errorf("%s: result = %v, want %q from the image", name, got, sample.Truth.Name)
			}
		}
	})

	t.Run("API", func(t *testing.T) {
		url := serve(t, "API")
		resp, err := http.Post(url+"/analyze", "image/jpeg", bytes.NewReader(sample.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusOK || !bytes.Contains(body, []byte(sample.Truth.Name)) {
			t.Errorf("POST /analyze = %s, %s; want %q", resp.Status, body, sample.Truth.Name)
		}
		rebound, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/results", nil)
		if err != nil {
			t.Fatal(err)
		}
		rebound.Host = "rebound.example"
		if resp, err = http.DefaultClient.Do(rebound); err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("GET /results of the host %s = %s, want 421", rebound.Host, resp.Status)
		}
	})
}

func put(t *testing.T, c *gcs.Client, bucket, name string, data []byte) {
	t.Helper()
	w := c.Bucket(bucket).Object(name).NewWriter(t.Context())
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, c *gcs.Client, name string) map[string]any {
	t.Helper()
	r, err := c.Bucket("results").Object(name).NewReader(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer r.Close()
	var fields map[string]any
	if err := json.NewDecoder(r).Decode(&fields); err != nil {
		t.Fatal(err)
	}
	return fields
}
