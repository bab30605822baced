package queue_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/pubsub"
	"example.com/whatis/internal/jobs/queue"
)

func TestPublish(t *testing.T) {
	w := emulate.Start(t, emulate.PubSub)
	const name = "projects/emulated/topics/results"
	if err := w.PubSub.CreateTopic(name); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got []string
	w.PubSub.Subscribe(name, func(m emulated.Message) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, fmt.Sprintf("%s %s", m.Data, m.Attributes["n"]))
	})
	results := queue.NewTopic(w.PubSubClient(t).TopicAdminClient, name)
	err := results.Publish(t.Context(),
		queue.Message{Data: map[string]int{"a": 1}, Attributes: map[string]string{"n": "one"}},
		queue.Message{Data: []string{"b"}, Attributes: map[string]string{"n": "two"}})
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(got)
	if want := []string{`["b"] two`, `{"a":1} one`}; !slices.Equal(got, want) {
		t.Errorf("published %q, want %q", got, want)
	}
}

func TestPublishFails(t *testing.T) {
	w := emulate.Start(t, emulate.PubSub)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := queue.NewTopic(w.PubSubClient(t).TopicAdminClient, "projects/emulated/topics/missing").Publish(ctx, queue.Message{Data: 1}); err == nil {
		t.Error("Publish to a topic that does not exist = nil, want an error")
	}
	if err := queue.NewTopic(w.PubSubClient(t).TopicAdminClient, "projects/emulated/topics/missing").Publish(ctx, queue.Message{Data: math.NaN()}); err == nil {
		t.Error("Publish of NaN = nil, want an error")
	}
}

// Messages beyond a request's limits go in several requests, each message once.
func TestPublishMany(t *testing.T) {
	w := emulate.Start(t, emulate.PubSub)
	const name = "projects/emulated/topics/many"
	if err := w.PubSub.CreateTopic(name); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	w.PubSub.Subscribe(name, func(m emulated.Message) { got[m.Attributes["n"]]++ })
	large := strings.Repeat("x", 4_000_000)
	var messages []queue.Message
	for n := range 2500 {
		m := queue.Message{Data: n, Attributes: map[string]string{"n": strconv.Itoa(n)}}
		if n < 4 {
			m.Data = large
		}
		messages = append(messages, m)
	}
	if err := queue.NewTopic(w.PubSubClient(t).TopicAdminClient, name).Publish(t.Context(), messages...); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(messages) || got["0"] != 1 || got["2499"] != 1 {
		t.Errorf("%d of %d messages were published", len(got), len(messages))
	}
	if err := queue.NewTopic(w.PubSubClient(t).TopicAdminClient, name).Publish(t.Context()); err != nil {
		t.Errorf("Publish of nothing = %v, want nil", err)
	}
}

// Pub/Sub counts attributes as part of a request, and refuses a request with one that is too long.
func TestPublishAttributes(t *testing.T) {
	w := emulate.Start(t, emulate.PubSub)
	const name = "projects/emulated/topics/attributes"
	if err := w.PubSub.CreateTopic(name); err != nil {
		t.Fatal(err)
	}
	published := 0
	w.PubSub.Subscribe(name, func(m emulated.Message) {
		if published++; len(m.Attributes) != 1 || len(m.Attributes["kept"]) != 1024 {
			t.Errorf("published with %d attributes, want the one of 1,024 bytes", len(m.Attributes))
		}
	})
	m := queue.Message{Data: strings.Repeat("x", 8_990), Attributes: map[string]string{"kept": strings.Repeat("k", 1024), "object": strings.Repeat("o", 1025)}}
	if err := queue.NewTopic(w.PubSubClient(t).TopicAdminClient, name).Publish(t.Context(), slices.Repeat([]queue.Message{m}, 1000)...); err != nil || published != 1000 {
		t.Errorf("%d of 1000 messages are published, %v", published, err)
	}
	if len(m.Attributes) != 2 {
		t.Errorf("the caller's attributes are changed: %d", len(m.Attributes))
	}
}
