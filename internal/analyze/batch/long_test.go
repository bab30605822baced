package batch_test

import (
	"testing"

	"example.com/whatis/internal/jobs/queue"

	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/internal/analyze/batch"
)

// Tasks that hand out tasks use a separate topic, photos' tasks do not.
func TestLongTasks(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	const name = "projects/emulated/topics/long-tasks"
	if err := d.PubSub.CreateTopic(name); err != nil {
		t.Fatal(err)
	}
	var long []queue.Delivery
	d.PubSub.Subscribe(name, func(m pubsub.Message) {
		long = append(long, queue.Delivery{Data: m.Data, Meta: queue.Meta{Published: m.PublishTime}})
	})
	d.manual()
	d.Tasks.Long = queue.NewTopic(d.PubSubClient(t).TopicAdminClient, name)
	d.photos(3)
	d.create(batch.Request{Prefix: "gs://uploads/"})
	for i, want := range []string{"expansion", "chunk"} {
		if len(long) != i+1 || len(d.take()) != 0 {
			t.Fatalf("%d long tasks before the %s, want %d and no other task", len(long), want, i+1)
		}
		d.do(long[i])
	}
	if looks := d.take(); len(looks) != 3 || len(long) != 2 {
		t.Errorf("%d tasks of photos and %d long ones, want 3 and 2", len(looks), len(long))
	}
}
