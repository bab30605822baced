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

// A subscriber collects the messages of a topic.
type subscriber struct {
	mu       sync.Mutex
	messages []emulated.Message
}

func (s *subscriber) take() []emulated.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.messages
	s.messages = nil
	return taken
}

// subscribe returns a topic and its messages.
func subscribe(t *testing.T, id string) (*queue.Topic, *subscriber) {
	t.Helper()
	w := emulate.Start(t, emulate.PubSub)
	name := "projects/emulated/topics/" + id
	if err := w.PubSub.CreateTopic(name); err != nil {
		t.Fatal(err)
	}
	s := &subscriber{}
	w.PubSub.Subscribe(name, func(m emulated.Message) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.messages = append(s.messages, m)
	})
	return queue.NewTopic(w.PubSubClient(t).TopicAdminClient, name), s
}

func publishingHarness(t *testing.T) (*harness, *subscriber) {
	t.Helper()
	events, results := subscribe(t, "results")
	return newHarness(t, func(s *setup) { s.intake.Events = events }), results
}

// Every finished result is published with the attributes for filters, and without
// Google's citations and search suggestions.
func TestResultsAreAnnounced(t *testing.T) {
	t.Parallel()
	d, results := publishingHarness(t)
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
	messages := results.take()
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

// A photo whose address is longer than an attribute may be is announced too: its result names it.
func TestLongNameIsAnnounced(t *testing.T) {
	t.Parallel()
	d, results := publishingHarness(t)
	name := strings.Repeat("x", 1019)
	d.deliver(d.upload(name, picture(t), nil))
	messages := results.take()
	if len(messages) != 1 || !strings.Contains(string(messages[0].Data), `"uri":"gs://uploads/`+name+`"`) || messages[0].Attributes["outcome"] == "" {
		t.Fatalf("announced: %.300q, want the result", messages)
	}
}
