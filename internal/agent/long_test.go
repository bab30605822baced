package agent_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/jobs"
)

var errNoRun = errors.New("kitchen: there is no such dish")

// A kitchen starts dishes; the test finishes them.
type kitchen struct {
	state map[string]jobs.State
	dish  map[string]string

	closed error // there are no runs because of it
}

type order struct {
	Dish string `json:"dish"`
}

func (k *kitchen) Start(_ context.Context, o order) (string, error) {
	id := "of-" + o.Dish
	k.state[id] = jobs.Working
	return id, nil
}

func (k *kitchen) Status(_ context.Context, id string) (jobs.State, string, error) {
	if k.state[id] == "" {
		return "", "", errNoRun
	}
	return k.state[id], k.dish[id], nil
}

func (k *kitchen) Cancel(_ context.Context, id string) error {
	k.state[id] = jobs.Canceled
	return nil
}

func (k *kitchen) skill() agent.Skill {
	return agent.NewLongSkill(agent.Card{ID: "cook", Name: "Cook"}, func(context.Context) (agent.Runs[order, string], error) { return k, k.closed })
}

// A long run is started, read and cancelled by its ID.
func TestLong(t *testing.T) {
	k := &kitchen{state: map[string]jobs.State{}, dish: map[string]string{}}
	long := k.skill().Long
	for _, dish := range []string{"soup", "cake"} {
		got, err := long.Start(t.Context(), fmt.Appendf(nil, `{"dish":%q}`, dish))
		if err != nil || got.State != jobs.Working || got.ID != "of-"+dish {
			t.Fatalf("Start of %s = %+v, %v", dish, got, err)
		}
	}
	if got, err := long.Cancel(t.Context(), "of-cake"); err != nil || got.State != jobs.Canceled || got.ID != "of-cake" {
		t.Errorf("Cancel = %+v, %v", got, err)
	}
	k.state["of-soup"], k.dish["of-soup"] = jobs.Done, "soup"
	for id, want := range map[string]string{"of-soup": `done "soup"`, "of-cake": `canceled ""`} {
		got, err := long.Status(t.Context(), id)
		if fmt.Sprintf("%s %s", got.State, got.Output) != want || err != nil || got.ID != id {
			t.Errorf("Status = %+v %s, %v; want %s", got, got.Output, err, want)
		}
	}
	if _, err := long.Status(t.Context(), "none"); !errors.Is(err, errNoRun) {
		t.Errorf("Status of no run = %v, want the agent's own error", err)
	}
	if _, err := long.Start(t.Context(), []byte(`{}`)); !errors.Is(err, agent.ErrInput) {
		t.Errorf("Start without a dish = %v, want ErrInput", err)
	}
	k.closed = errors.New("kitchen: closed")
	_, started := long.Start(t.Context(), []byte(`{"dish":"tea"}`))
	_, read := long.Status(t.Context(), "of-soup")
	_, cancelled := long.Cancel(t.Context(), "of-soup")
	for _, err := range []error{started, read, cancelled} {
		if !errors.Is(err, k.closed) {
			t.Errorf("without runs: %v, want %v", err, k.closed)
		}
	}
}
