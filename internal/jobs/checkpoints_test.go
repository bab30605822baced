package jobs_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	emulator "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// start starts an emulator of the models, and opens a client of it.
func start(t *testing.T) (*emulator.Server, *gemini.Client) {
	t.Helper()
	s, err := emulator.Start(emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "false")
	t.Setenv("GEMINI_API_KEY", "key")
	client, err := gemini.Open(t.Context(), gemini.Config{BaseURL: s.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return s, client
}

// keeping returns checkpoints that are stored in kept, for this run and later ones.
func keeping(kept map[string]json.RawMessage) jobs.Checkpoints {
	return jobs.Checkpoints{Kept: kept, Keep: func(_ context.Context, key string, value json.RawMessage) error {
		kept[key] = value
		return nil
	}}
}

type reading struct {
	Name  string
	Lines []string
}

func TestOnce(t *testing.T) {
	service, client := start(t)
	kept := map[string]json.RawMessage{}
	calls := 0
	ask := func() (reading, gemini.Ledger, error) {
		account := &gemini.Account{Attempts: 3}
		ctx := jobs.WithCheckpoints(gemini.WithAccount(t.Context(), account), keeping(kept))
		got, err := jobs.Once(ctx, "read", func(ctx context.Context) (reading, error) {
			calls++
			answer, err := client.Generate(ctx, gemini.Request{Model: "gemini-3.6-flash", Parts: []gemini.Part{gemini.Text("?")}})
			if err != nil {
				return reading{}, err
			}
			return reading{answer.Text, []string{"a", "b"}}, nil
		})
		return got, account.Ledger(), err
	}
	service.SetFaults(emulator.Fault{Type: emulator.Forbidden, Times: 1})
	if _, spent, err := ask(); err == nil || len(kept) != 0 || spent.Calls.Failed != 1 {
		t.Fatalf("a call that failed: %v, kept %q, charged %+v, want it charged and not kept", err, kept, spent)
	}
	first, spent, err := ask()
	if err != nil || len(kept) != 1 || spent.Calls.Generate != 1 {
		t.Fatalf("Once = %v, kept %q, charged %+v", err, kept, spent)
	}
	again, charged, err := ask()
	if err != nil || calls != 2 || !reflect.DeepEqual(again, first) || !reflect.DeepEqual(charged, spent) {
		t.Errorf("kept: %+v, %v after %d calls, charged %+v, want %+v and %+v", again, err, calls, charged, first, spent)
	}
}

func TestOnceWithoutAJournal(t *testing.T) {
	got, err := jobs.Once(t.Context(), "read", func(context.Context) (int, error) { return 7, nil })
	if got != 7 || err != nil {
		t.Errorf("Once = %d, %v, want 7", got, err)
	}
}

func TestOnceSaysWhatIsWrong(t *testing.T) {
	errFull := func(context.Context, string, json.RawMessage) error { return jobs.ErrTooLarge }
	kept := func(value string) jobs.Checkpoints {
		return jobs.Checkpoints{Kept: map[string]json.RawMessage{"read": json.RawMessage(value)}}
	}
	for name, tt := range map[string]struct {
		journal jobs.Checkpoints
		want    error
	}{
		"no JSON":       {kept(`{"Value":`), nil},
		"another type":  {kept(`{"Value":{"Name":7}}`), nil},
		"another field": {kept(`{"Value":{"Name":"old","Text":"x"}}`), nil},
		"no value":      {kept(`{}`), nil},
		"full":          {jobs.Checkpoints{Keep: errFull}, jobs.ErrTooLarge},
	} {
		r, err := jobs.Once(jobs.WithCheckpoints(t.Context(), tt.journal), "read", func(context.Context) (reading, error) { return reading{Name: "new"}, nil })
		if !errors.Is(err, tt.want) || r.Name != "new" || err != nil && !strings.HasPrefix(err.Error(), "jobs: read: ") {
			t.Errorf("%s: Once = %+v, %v; want it done again and the error %v", name, r, err, tt.want)
		}
	}
	unkept := jobs.Checkpoints{Keep: func(context.Context, string, json.RawMessage) error { return nil }}
	if _, err := jobs.Once(jobs.WithCheckpoints(t.Context(), unkept), "read", func(context.Context) (chan int, error) { return nil, nil }); err == nil || !strings.HasPrefix(err.Error(), "jobs: read: ") {
		t.Errorf("Once of a channel = %v, want an error with the key", err)
	}
}

// The stored form of a value: a run is resumed by the next version too.
func TestFormOfAnEntry(t *testing.T) {
	kept := map[string]json.RawMessage{}
	if _, err := jobs.Once(jobs.WithCheckpoints(t.Context(), keeping(kept)), "read", func(context.Context) (int, error) { return 7, nil }); err != nil {
		t.Fatal(err)
	}
	want := `{"Value":7,"Spent":{"Calls":{"Generate":0,"Embed":0,"GroundedQueries":0,"Failed":0,"Speak":0},"Usage":{"Input":0,"Output":0,"Total":0},"USD":0,"Models":null,"Warnings":null}}`
	if got := string(kept["read"]); got != want {
		t.Errorf("kept\n%s\nwant\n%s", got, want)
	}
}

// A checkpoint that is kept again takes the place of the earlier one.
func TestKeep(t *testing.T) {
	kept := map[string]json.RawMessage{}
	ctx := jobs.WithCheckpoints(t.Context(), keeping(kept))
	if v := jobs.Kept[int](ctx, "count"); v != 0 || jobs.CheckpointsOf(ctx).Progressed() {
		t.Errorf("Kept of nothing = %d", v)
	}
	for v := range 3 {
		if err := jobs.Keep(ctx, "count", v); err != nil {
			t.Fatal(err)
		}
	}
	later := jobs.WithCheckpoints(t.Context(), keeping(kept))
	if v := jobs.Kept[int](later, "count"); v != 2 || len(kept) != 1 {
		t.Errorf("Kept = %d of %d checkpoints; want 2, the only one", v, len(kept))
	}
	if !jobs.CheckpointsOf(ctx).Progressed() || jobs.CheckpointsOf(later).Progressed() {
		t.Error("want progress of the run that kept it, and none of the later one")
	}
	kept["count"] = json.RawMessage(`{"Value":"x"}`)
	if v := jobs.Kept[int](later, "count"); v != 0 {
		t.Errorf("Kept of another type = %d, want none", v)
	}
}
