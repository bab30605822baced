package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/adk/v2/agent"

	"example.com/whatis/emulators/emulate"
	emulator "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/journal"
	"example.com/whatis/internal/work"
)

type reading struct {
	Name  string
	Lines []string
}

func TestOnce(t *testing.T) {
	w := start(t)
	r := &record{}
	calls := 0
	ask := func() (reading, gemini.Ledger, error) {
		account := &gemini.Account{Attempts: 3}
		ctx := journal.With(gemini.WithAccount(t.Context(), account), r.journal(nil, 0, true))
		got, err := journal.Once(ctx, "read", func(ctx context.Context) (reading, error) {
			calls++
			answer, err := w.client.Generate(ctx, gemini.Request{Model: modelName, Parts: []gemini.Part{gemini.Text("?")}})
			if err != nil {
				return reading{}, err
			}
			return reading{answer.Text, []string{"a", "b"}}, nil
		})
		return got, account.Ledger(), err
	}
	w.SetFaults(emulator.Fault{Type: emulator.Forbidden, Times: 1})
	if _, spent, err := ask(); err == nil || len(r.kept) != 0 || spent.Calls.Failed != 1 {
		t.Fatalf("a call that failed: %v, kept %q, charged %+v, want it charged and not kept", err, r.keys, spent)
	}
	first, spent, err := ask()
	if err != nil || len(r.kept) != 1 || spent.Calls.Generate != 1 {
		t.Fatalf("Once = %v, kept %q, charged %+v", err, r.keys, spent)
	}
	again, charged, err := ask()
	if err != nil || calls != 2 || !reflect.DeepEqual(again, first) || !reflect.DeepEqual(charged, spent) {
		t.Errorf("kept: %+v, %v after %d calls, charged %+v, want %+v and %+v", again, err, calls, charged, first, spent)
	}
}

func TestOnceWithoutAJournal(t *testing.T) {
	got, err := journal.Once(t.Context(), "read", func(context.Context) (int, error) { return 7, nil })
	if got != 7 || err != nil {
		t.Errorf("Once = %d, %v, want 7", got, err)
	}
}

func TestOnceSaysWhatIsWrong(t *testing.T) {
	errFull := func(context.Context, string, json.RawMessage) error { return work.ErrTooLarge }
	kept := func(value string) journal.Journal {
		return journal.Journal{Kept: map[string]json.RawMessage{"read": json.RawMessage(value)}}
	}
	for name, tt := range map[string]struct {
		journal journal.Journal
		want    error
	}{
		"no JSON":       {kept(`{"Value":`), nil},
		"another type":  {kept(`{"Value":{"Name":7}}`), nil},
		"no value":      {kept(`{}`), nil},
		"no such store": {kept(`{"Large":"journal/x"}`), nil},
		"full":          {journal.Journal{Keep: errFull}, work.ErrTooLarge},
	} {
		_, err := journal.Once(journal.With(t.Context(), tt.journal), "read", func(context.Context) (reading, error) { return reading{}, nil })
		if err == nil || !strings.HasPrefix(err.Error(), "journal: read: ") || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: Once = %v, want an error with the key that is %v", name, err, tt.want)
		}
	}
	unkept := journal.Journal{Keep: func(context.Context, string, json.RawMessage) error { return nil }}
	if _, err := journal.Once(journal.With(t.Context(), unkept), "read", func(context.Context) (chan int, error) { return nil, nil }); err == nil || !strings.HasPrefix(err.Error(), "journal: read: ") {
		t.Errorf("Once of a channel = %v, want an error with the key", err)
	}
}

// The form of a value in the record: runs of an older program are taken up too.
func TestFormOfAnEntry(t *testing.T) {
	r := &record{}
	if _, err := journal.Once(journal.With(t.Context(), r.journal(nil, 0, true)), "read", func(context.Context) (int, error) { return 7, nil }); err != nil {
		t.Fatal(err)
	}
	want := `{"Value":7,"Spent":{"Calls":{"Generate":0,"Embed":0,"GroundedQueries":0,"Failed":0},"Usage":{"Input":0,"Output":0,"Total":0},"USD":0,"Models":null,"Warnings":null}}`
	if got := string(r.kept["read"]); got != want {
		t.Errorf("kept\n%s\nwant\n%s", got, want)
	}
}

// What is large goes to the bucket, and comes back from there.
func TestLarge(t *testing.T) {
	const name = "state"
	storage := emulate.Start(t, emulate.Storage)
	if err := storage.Storage.CreateBucket(name); err != nil {
		t.Fatal(err)
	}
	client := storage.StorageClient(t)
	w := start(t)
	a := w.agent(t, "reader")
	text := strings.Repeat("long ", 50_000)
	w.Script(emulator.Answer{Text: text})
	r := &record{}
	j := r.journal(nil, 0, true)
	j.Large = journal.Bucket{Blobs: blob.New(client), Name: name, Prefix: "journal/w1/"}
	first := run(t.Context(), t, a, j, agent.StreamingModeNone)
	if first.err != nil || first.last != text || len(r.kept) != 1 || len(r.kept["reader#1"]) > 1000 {
		t.Fatalf("%v, %d bytes, kept %q with %d bytes, want a reference", first.err, len(first.last), r.keys, len(r.kept["reader#1"]))
	}
	j.Kept = r.kept
	second := run(t.Context(), t, a, j, agent.StreamingModeNone)
	if second.err != nil || !reflect.DeepEqual(second.events, first.events) || !reflect.DeepEqual(second.ledger, first.ledger) || len(w.Calls()) != 1 {
		t.Errorf("%v, %d bytes after %d calls, want the same from the bucket", second.err, len(second.last), len(w.Calls()))
	}
	j.Large = journal.Bucket{Blobs: blob.New(client), Name: "another"}
	if e := run(t.Context(), t, a, j, agent.StreamingModeNone); !errors.Is(e.err, blob.ErrNotFound) || !strings.Contains(e.err.Error(), "journal: reader#1: ") {
		t.Errorf("from another bucket: %v, want blob.ErrNotFound and the key", e.err)
	}
	r.kept = nil
	j = r.journal(nil, 0, true)
	w.Script(emulator.Answer{Text: text})
	if e := run(t.Context(), t, a, j, agent.StreamingModeNone); e.err != nil || len(r.kept["reader#1"]) < len(text) {
		t.Errorf("without a store: %v, %d bytes in the record, want the value itself", e.err, len(r.kept["reader#1"]))
	}
}
