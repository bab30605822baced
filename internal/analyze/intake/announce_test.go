package intake_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/pubsub"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/jobs/queue"
)

// told collects the messages of the topic results.
type told struct {
	mu       sync.Mutex
	messages []emulated.Message
}

func (t *told) take() []emulated.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := t.messages
	t.messages = nil
	return taken
}

// hear returns a topic and its messages.
func hear(t *testing.T, id string) (*queue.Topic, *told) {
	t.Helper()
	w := emulate.Start(t, emulate.PubSub)
	name := "projects/emulated/topics/" + id
	if err := w.PubSub.CreateTopic(name); err != nil {
		t.Fatal(err)
	}
	heard := &told{}
	w.PubSub.Subscribe(name, func(m emulated.Message) {
		heard.mu.Lock()
		defer heard.mu.Unlock()
		heard.messages = append(heard.messages, m)
	})
	return queue.NewTopic(w.PubSubClient(t).TopicAdminClient, name), heard
}

func tellingHarness(t *testing.T) (*harness, *told) {
	t.Helper()
	events, heard := hear(t, "results")
	return newHarness(t, func(s *setup) { s.intake.Events = events }), heard
}

// Every finished result is published with the attributes for filters, and without
// Google's citations and search suggestions.
func TestResultsAreAnnounced(t *testing.T) {
	t.Parallel()
	d, heard := tellingHarness(t)
	d.stock()
	d.Gemini.Script(unclear()...)
	first := d.upload("a.jpg", picture(t), nil)
	d.deliver(first)
	mine, _ := d.result("a.jpg")
	broken := d.upload("b.txt", []byte("no photo"), nil)
	d.deliver(broken)
	inBatch := first
	inBatch.Batch = "b1"
	o, err := d.Item(t.Context(), inBatch)
	if err != nil || o.Index.Text("source") != "google_search" {
		t.Fatalf("Item = %+v, %v, want what the upload had", o, err)
	}
	asked := d.ask(intake.Photo{Data: shade(t, 200)})
	messages := heard.take()
	want := []map[string]string{
		{"id": mine.ID, "source": "google_search", "object": "gs://uploads/a.jpg", "outcome": "product"},
		{"source": "", "object": "gs://uploads/b.txt", "outcome": "failed"},
		{"source": "google_search", "object": "gs://uploads/a.jpg", "outcome": "product"},
		{"id": asked.ID, "source": string(asked.Source), "object": "", "generation": "0", "outcome": "product"},
	}
	if len(messages) != len(want) {
		t.Fatalf("%d messages, want %d: %q", len(messages), len(want), messages)
	}
	for i, m := range messages {
		for key, value := range want[i] {
			if m.Attributes[key] != value {
				t.Errorf("message %d has %s %q, want %q", i, key, m.Attributes[key], value)
			}
		}
		var r struct{ ID string }
		if err := json.Unmarshal(m.Data, &r); err != nil || r.ID != m.Attributes["id"] || r.ID == "" {
			t.Errorf("message %d = %s, %v, want the result of its id %s", i, m.Data, err, m.Attributes["id"])
		}
		if strings.Contains(string(m.Data), "shop.example") || strings.Contains(string(m.Data), "search_suggestions") {
			t.Errorf("message %d = %s, want it without what Google found", i, m.Data)
		}
	}
	if messages[0].Attributes["id"] == messages[2].Attributes["id"] {
		t.Error("an upload and a batch have one id, want two")
	}
}
