package intake_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// A result, or a record, that this version cannot read, as another has written it, is shown as
// such among the others, does not stop their delivery, and is forgotten as any.
func TestResultOfAnotherVersion(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(result string) firestore.Update{
		"a number as text": func(result string) firestore.Update {
			return firestore.Update{Path: "result", Value: strings.Replace(result, `"inference_time":`, `"cost_usd":"0.1","inference_time":`, 1)}
		},
		"no JSON": func(string) firestore.Update { return firestore.Update{Path: "result", Value: "<xml>"} },
		"a field of the record": func(string) firestore.Update {
			return firestore.Update{Path: "attempts", Value: "two"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newHarness(t)
			d.Gemini.Script(unclear()...)
			o, other := d.upload("tea.jpg", picture(t), nil), d.upload("other.jpg", shade(t, 200), nil)
			d.deliver(o)
			d.deliver(other)
			record := d.records()["tea.jpg"]
			if _, err := d.db.Collection("work").Doc(record.ID).Update(t.Context(), []firestore.Update{change(string(record.Result)), {Path: "queue", Value: 1}}); err != nil {
				t.Fatal(err)
			}
			unreadable := name != "a field of the record"
			queue, _, queued := d.Queue(t.Context(), "", 10)
			list, _, err := d.List(t.Context(), intake.Filter{})
			if err = errors.Join(err, queued); err != nil || len(list) != 2 || len(queue) == 0 {
				t.Fatalf("%d results are listed, %d queued, %v; want both", len(list), len(queue), err)
			}
			one, err := d.Result(t.Context(), record.ID)
			for _, l := range append(append(list, queue...), one) {
				if says := l.Public.Message == intake.Unreadable; l.ID == record.ID && (says != unreadable || l.File() != o.URI() || l.Finished.IsZero()) || l.ID != record.ID && says {
					t.Errorf("%s is shown as %+v, of %s", l.Subject, l.Public, l.File())
				}
			}
			if err != nil {
				t.Errorf("Result = %v", err)
			}
			d.deliver(o) // once more
			var f intake.Forgotten
			d.await("the result may be forgotten", func() bool {
				f, err = d.Forget(t.Context(), record.ID, true, nothingElsewhere{})
				return !errors.Is(err, jobs.ErrBusy)
			})
			if err != nil || !strings.Contains(strings.Join(f.Removed, " "), "photo") {
				t.Errorf("Forget = %+v, %v; want the photo removed", f, err)
			}
			if list, _, err = d.List(t.Context(), intake.Filter{}); err != nil || len(list) != 1 || list[0].Subject != other.Name {
				t.Errorf("afterwards %+v, %v is listed, want the other", list, err)
			}
			if _, ok := d.result("tea.jpg"); ok {
				t.Error("tea.jpg.json is still there")
			}
		})
	}
}

// Work that another version began is resumed by this one: what that has paid for counts if it
// was asked of the same model in the same words and can be read, and is paid again otherwise. What
// is answered is found by whoever asks next.
func TestResumedByAnotherVersion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		model  string
		change func(key, value string) (string, string) // of a checkpoint
		paid   int                                      // readings, with the first
	}{
		{"the same", "emulated-image", nil, 1},
		{"another model", "emulated-judge", nil, 2},
		{"another prompt", "emulated-image", func(key, value string) (string, string) { return key + "0", value }, 2},
		{"another shape", "emulated-image", func(key, value string) (string, string) {
			return key, strings.Replace(value, `"Value":{`, `"Value":{"New":1,`, 1)
		}, 2},
		{"no JSON", "emulated-image", func(key, _ string) (string, string) { return key, "<xml>" }, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newHarness(t)
			d.Gemini.Script(append(unclear(), unclear()...)...)
			o := d.upload("tea.jpg", picture(t), nil)
			d.Gemini.SetFaults(emulated.Fault{Type: emulated.DailyQuota, Kind: answers.KindSearch})
			d.refused(o)
			d.Gemini.SetFaults()
			if record := d.db.Collection("work").Doc(d.records()["tea.jpg"].ID); tt.change != nil {
				snap, err := record.Get(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				kept := map[string]any{}
				for key, value := range snap.Data()["kept"].(map[string]any) {
					key, value := tt.change(key, value.(string))
					kept[key] = value
				}
				if _, err := record.Update(t.Context(), []firestore.Update{{Path: "kept", Value: kept}}); err != nil {
					t.Fatal(err)
				}
			}
			c := d.Config
			c.Pipeline = d.pipeline(gemini.Config{BaseURL: d.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond}, tt.model)
			next, err := intake.New(c)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := next.Run.Deliver(t.Context(), next.Job(t.Context(), o)); err != nil {
				t.Fatal(err)
			}
			r, ok := d.result("tea.jpg")
			if n := d.paid()[answers.KindImage]; n != tt.paid || !ok || r.Identification == nil || r.Models[tt.model] == "" {
				t.Errorf("%d readings, want %d; the result %v by %v", n, tt.paid, ok, r.Models)
			}
			again, err := next.Photo(t.Context(), intake.Photo{Data: picture(t)}, nil)
			if n := d.paid()[answers.KindImage]; err != nil || n != tt.paid || !again.Cached || again.ProductName != r.ProductName {
				t.Errorf("asked again: %q, cached %v, after %d readings, %v; want the same answer", again.ProductName, again.Cached, n, err)
			}
		})
	}
}
