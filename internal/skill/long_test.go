package skill_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/internal/skill"
	"example.com/whatis/internal/task"
	"example.com/whatis/internal/topic"
)

var errNoRun = errors.New("kitchen: there is no such dish")

// A kitchen cooks one dish at a time, somewhere else.
type kitchen struct {
	tasks *task.Publisher
	state map[string]skill.State
	dish  map[string]string
}

type order struct {
	Dish string `json:"dish"`
}

func (k *kitchen) skill() skill.Skill {
	return skill.NewLong(skill.Card{ID: "cook", Name: "Cook"}, skill.Job[order, string]{
		Start: func(ctx context.Context, o order) (string, error) {
			id := skill.NewID()
			k.state[id] = skill.Working
			return id, skill.Hand(ctx, k.tasks, "cook", id, o)
		},
		Status: func(_ context.Context, id string) (skill.State, string, error) {
			if k.state[id] == "" {
				return "", "", errNoRun
			}
			return k.state[id], k.dish[id], nil
		},
		Cancel: func(_ context.Context, id string) error { k.state[id] = skill.Canceled; return nil },
		Work: func(_ context.Context, id string, o order, m task.Meta) error {
			if o.Dish == "stone" && !m.Dead {
				return errors.New("not done yet")
			}
			if k.state[id] == skill.Working {
				k.state[id], k.dish[id] = skill.Done, o.Dish
			}
			return nil
		},
	})
}

// What takes long is started here and done where its task arrives.
func TestLong(t *testing.T) {
	w := emulate.Start(t, emulate.PubSub)
	const name = "projects/emulated/topics/long"
	if err := w.PubSub.CreateTopic(name); err != nil {
		t.Fatal(err)
	}
	var tasks []task.Message
	w.PubSub.Subscribe(name, func(m pubsub.Message) { tasks = append(tasks, task.Message{Data: m.Data}) })
	k := &kitchen{&task.Publisher{Tasks: topic.New(w.PubSubClient(t).TopicAdminClient, name)}, map[string]skill.State{}, map[string]string{}}
	s, d := k.skill(), task.NewDispatcher()
	skill.Handle(d, s, weather())
	started := func(input string) skill.Status {
		got, err := s.Long.Start(t.Context(), []byte(input))
		if err != nil || got.State != skill.Working || got.ID == "" {
			t.Fatalf("Start(%s) = %+v, %v", input, got, err)
		}
		return got
	}
	soup, stone, never := started(`{"dish":"soup"}`), started(`{"dish":"stone"}`), started(`{"dish":"cake"}`)
	if got, err := s.Long.Cancel(t.Context(), never.ID); err != nil || got.State != skill.Canceled {
		t.Errorf("Cancel = %+v, %v", got, err)
	}
	for i, want := range []bool{true, false, true} {
		if err := d.Dispatch(t.Context(), tasks[i]); (err == nil) != want {
			t.Errorf("task %s = %v, want it done: %v", tasks[i].Data, err, want)
		}
	}
	tasks[1].Dead = true
	if err := d.Dispatch(t.Context(), tasks[1]); err != nil {
		t.Errorf("the dead letter = %v, want the last try to know that it is", err)
	}
	if err := d.Dispatch(t.Context(), task.Message{Data: []byte(`{"agent":"cook","kind":"run","payload":{"id":"a","input":{}}}`)}); err != nil {
		t.Errorf("an input of another version = %v, want it dropped", err)
	}
	for id, want := range map[string]string{soup.ID: `done "soup"`, stone.ID: `done "stone"`, never.ID: `canceled ""`} {
		got, err := s.Long.Status(t.Context(), id)
		if fmt.Sprintf("%s %s", got.State, got.Output) != want || err != nil || got.ID != id {
			t.Errorf("Status = %+v %s, %v; want %s", got, got.Output, err, want)
		}
	}
	if _, err := s.Long.Status(t.Context(), "none"); !errors.Is(err, errNoRun) {
		t.Errorf("Status of no run = %v, want the room's own error", err)
	}
	if _, err := s.Long.Start(t.Context(), []byte(`{}`)); !errors.Is(err, skill.ErrInput) {
		t.Errorf("Start without a dish = %v, want ErrInput", err)
	}
}
