package queue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/internal/jobs/queue"
)

type order struct {
	Name  string `json:"name"`
	Times int    `json:"times"`
}

// echo returns a dispatcher that notes the arguments of its handlers.
func echo(got *[]string, err error) *queue.Dispatcher {
	d := queue.NewDispatcher()
	for _, kind := range []string{"say", "shout"} {
		d.Handle("echo", kind, func(_ context.Context, p queue.Payload, m queue.Meta) error {
			var o order
			if err := p.Decode(&o); err != nil {
				return err
			}
			*got = append(*got, fmt.Sprint(kind, " ", o.Name, " ", o.Times, " dead ", m.Dead))
			return err
		})
	}
	return d
}

// record collects the log of the test.
func record(t *testing.T) *bytes.Buffer {
	t.Helper()
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &log
}

func TestDispatch(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		data string
		dead bool
		err  error
		want string // what the handler is given
		log  string // what the log says
	}{
		{`{"agent":"echo","kind":"say","payload":{"name":"a","times":2}}`, false, nil, "say a 2 dead false", ""},
		{`{"agent":"echo","kind":"shout","payload":{"name":"a","more":1}}`, false, nil, "shout a 0 dead false", ""},
		{`{"agent":"echo","kind":"say","payload":{"name":"a"}}`, false, broken, "say a 0 dead false", ""},
		{`{"agent":"echo","kind":"say","payload":{"name":"a"}}`, true, nil, "say a 0 dead true", "dead letter"},
		{`{"agent":"echo","kind":"sing","payload":{}}`, false, nil, "", `agent=echo kind=sing dead=false why="nobody here handles it"`},
		{`{"agent":"nobody","kind":"say","payload":{}}`, true, nil, "", "dead=true"},
		{`{"task":"dance"}`, false, nil, "", "nobody here handles it"},
		{`{"agent":"echo","kind":"say","payload":[]}`, false, nil, "", "its payload cannot be read"},
		{`{"agent":"echo","kind":"say"}`, false, nil, "", "its payload cannot be read"},
		{`null`, false, nil, "", "task dropped"},
		{`[]`, false, nil, "", "it cannot be read"},
		{``, false, nil, "", "it cannot be read"},
	}
	for _, test := range tests {
		var got []string
		log := record(t)
		err := echo(&got, test.err).Dispatch(t.Context(), queue.Delivery{Data: []byte(test.data), Meta: queue.Meta{Dead: test.dead}})
		if strings.Join(got, "|") != test.want || !errors.Is(err, test.err) {
			t.Errorf("Dispatch(%s) = %v, its handler got %q; want %v, %q", test.data, err, got, test.err, test.want)
		}
		if !strings.Contains(log.String(), test.log) || test.log == "" && log.Len() > 0 {
			t.Errorf("Dispatch(%s) logs %q, want %q", test.data, log, test.log)
		}
	}
}

func TestHandleTwice(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two handlers of the same are taken")
		}
	}()
	var got []string
	echo(&got, nil).Handle("echo", "say", func(context.Context, queue.Payload, queue.Meta) error { return nil })
}

func TestFromEvent(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	const dead = `{"message":{"data":"e30=","attributes":{"CloudPubSubDeadLetterSourceSubscription":"tasks","CloudPubSubDeadLetterSourceTopicPublishTime":"2026-01-01T00:00:00Z"}}}`
	tests := []struct {
		topic, event, want string
	}{
		{"tasks", `{"message":{"data":"e30="}}`, "{} dead false 02T03"},
		{"tasks", dead, "{} dead false 02T03"}, // any publisher can set these attributes
		{"tasks-dead-letter", dead, "{} dead true 01T00"},
		{"tasks", `{"message":{"data":"%"}}`, "error"},
		{"tasks", `x`, "error"},
	}
	for _, test := range tests {
		m, err := queue.TaskFromEvent("//pubsub.googleapis.com/projects/p/topics/"+test.topic, []byte(test.event), now)
		got := fmt.Sprintf("%s dead %v %s", m.Data, m.Dead, m.Published.Format("02T15"))
		if err != nil {
			got = "error"
		}
		if got != test.want {
			t.Errorf("FromEvent(%s, %s) = %s (%v), want %s", test.topic, test.event, got, err, test.want)
		}
	}
}

// Published tasks are delivered unchanged, over the right topic.
func TestPublishTasks(t *testing.T) {
	w := emulate.Start(t, emulate.PubSub)
	var got []string
	d := echo(&got, nil)
	topics := map[string]*queue.Topic{}
	for _, id := range []string{"tasks", "long"} {
		full := "projects/emulated/topics/" + id
		if err := w.PubSub.CreateTopic(full); err != nil {
			t.Fatal(err)
		}
		w.PubSub.Subscribe(full, func(m pubsub.Message) {
			got = append(got, id)
			if err := d.Dispatch(context.Background(), queue.Delivery{Data: m.Data}); err != nil {
				t.Error(err)
			}
		})
		topics[id] = queue.NewTopic(w.PubSubClient(t).TopicAdminClient, full)
	}
	say := queue.Task{Agent: "echo", Kind: "say", Payload: order{"a", 1}}
	for _, publish := range []func(context.Context, ...queue.Task) error{
		(&queue.Publisher{Tasks: topics["tasks"], Long: topics["long"]}).Publish,
		(&queue.Publisher{Tasks: topics["tasks"], Long: topics["long"]}).PublishLong,
		(&queue.Publisher{Tasks: topics["tasks"]}).PublishLong,
	} {
		if err := publish(t.Context(), say); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"tasks", "say a 1 dead false", "long", "say a 1 dead false", "tasks", "say a 1 dead false"}
	if !slices.Equal(got, want) {
		t.Errorf("came as %q, want %q", got, want)
	}
	if data, err := json.Marshal(say); err != nil || string(data) != `{"agent":"echo","kind":"say","payload":{"name":"a","times":1}}` {
		t.Errorf("the envelope is %s, %v", data, err)
	}
}
