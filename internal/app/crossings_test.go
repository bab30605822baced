package app_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs/queue"
)

// A queued is a deployment whose deliveries are made by hand.
type queued struct {
	*emulate.World
	t   *testing.T
	app *app.App
	ctx context.Context // of the deliveries until one is stopped

	mu    sync.Mutex
	tasks []delivery // that are not done
	made  []delivery // all
	now   delivery   // that is being made

	beside sync.WaitGroup // deliveries beside it
}

// A delivery makes a delivery of a task or an event.
type delivery = func(context.Context) error

func newQueued(t *testing.T) *queued {
	q := &queued{World: emulate.Start(t), t: t}
	for _, bucket := range []string{"uploads", "results"} {
		if err := q.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	topic := "projects/" + q.Project + "/topics/tasks"
	if err := q.PubSub.CreateTopic(topic); err != nil {
		t.Fatal(err)
	}
	q.PubSub.Subscribe(topic, func(m pubsub.Message) { q.task(string(m.Data), m.PublishTime) })
	point(t, q.World, "TASKS_TOPIC=tasks", "FORECAST_MODEL=emulated-forecast", "SPEECH_MODEL=emulated-speech", "SECOND_LOOK=always")
	q.restart()
	return q
}

// restart replaces the instance.
func (q *queued) restart() {
	c, err := app.ReadConfig(q.t.Context())
	if err != nil {
		q.t.Fatal(err)
	}
	q.app = app.New(c)
}

func (q *queued) task(data string, published time.Time) {
	q.deliver(func(ctx context.Context) error {
		return q.app.Tasks().Dispatch(ctx, queue.Delivery{Data: []byte(data), Meta: queue.Meta{Published: published}})
	})
}

func (q *queued) deliver(d delivery) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tasks, q.made = append(q.tasks, d), append(q.made, d)
}

// upload has the event of an upload delivered, as that of its group if it has more photos.
func (q *queued) upload(d intake.Delivery) {
	q.deliver(func(ctx context.Context) error {
		in, err := q.app.Intake(ctx)
		if err != nil {
			return err
		}
		_, err = in.Run.Deliver(ctx, in.Job(ctx, d))
		return err
	})
}

func (q *queued) ask(method, path, body string) string {
	q.t.Helper()
	r := httptest.NewRequestWithContext(q.t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	q.app.API().ServeHTTP(w, r)
	data, err := io.ReadAll(w.Result().Body)
	if err != nil || w.Code >= http.StatusBadRequest {
		q.t.Fatalf("%s %s = %d %.600s, %v", method, path, w.Code, data, err)
	}
	return string(data)
}

// send sends an A2A message that nobody waits for, and returns how to see what came of it.
func (q *queued) send(parts ...string) func() []string {
	answer := q.ask("POST", "/a2a", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"configuration":{"returnImmediately":true},"message":{"messageId":"m","role":"ROLE_USER","parts":[`+strings.Join(parts, ",")+`]}}}`)
	var sent struct {
		Result struct{ Task struct{ ID string } }
	}
	if err := json.Unmarshal([]byte(answer), &sent); err != nil || sent.Result.Task.ID == "" {
		q.t.Fatalf("%v: no task in %s", err, answer)
	}
	return func() (all []string) {
		var got struct {
			Result struct {
				Artifacts []struct {
					Name  string
					Parts []struct{ Data known }
				}
			}
		}
		answer := q.ask("POST", "/a2a", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"`+sent.Result.Task.ID+`"}}`)
		if err := json.Unmarshal([]byte(answer), &got); err != nil {
			q.t.Fatal(err)
		}
		for _, a := range got.Result.Artifacts {
			if a.Name == "result" && len(a.Parts) == 1 {
				k := a.Parts[0].Data
				k.Forecast = digits.ReplaceAllString(k.Forecast, "0") // the weather goes on
				all = append(all, fmt.Sprintf("%+v", k))
			}
		}
		slices.Sort(all)
		return all
	}
}

var digits = regexp.MustCompile(`[0-9]+`)

// known is what is compared of a result.
type known struct {
	Name     string `json:"product_name"`
	Brand    string `json:"brand"`
	Error    string `json:"error"`
	Forecast string `json:"forecast_text"`
	Image    struct{ SHA256 string }
	More     []struct{ SHA256 string } `json:"more_images"`
}

func (q *queued) known(answer string) string {
	var k known
	if err := json.Unmarshal([]byte(answer), &k); err != nil {
		q.t.Fatalf("%v: %s", err, answer)
	}
	return fmt.Sprintf("%+v", k)
}

// photos are those of the samples whose answers take several calls.
func photos() (all [][]byte) {
	for _, i := range []int{0, 4} {
		all = append(all, samples.All()[i].Bytes())
	}
	return all
}

// several are the kinds of work with several items, or with several calls about one. Each is
// begun and returns how to see what came of it; parallel is how many calls may be under way.
var several = []struct {
	name     string
	parallel int
	photos   bool // it is about photos
	calls    int  // of models, at one go
	begin    func(*queued) func() []string
}{
	{"a message with two photos", 2, true, 4, func(q *queued) func() []string {
		var parts []string
		for _, p := range photos() {
			parts = append(parts, `{"raw":"`+base64.StdEncoding.EncodeToString(p)+`"}`)
		}
		return q.send(parts...)
	}},
	{"a forecast", 1, false, 4, func(q *queued) func() []string {
		// The first text has a sentence that the checker refuses, and is written anew.
		for range 3 {
			q.Gemini.Script(
				emulated.Answer{Kind: answers.KindForecast, Match: func(r *emulated.Request) bool { return !strings.Contains(strings.Join(r.Texts, ""), "refused:") },
					Text: `{"forecast":"In {city} it is {temp}, with {conditions}. Cats and dogs will fall.","tone":"calm"}`},
				emulated.Answer{Kind: answers.KindForecastCheck, Contains: "Cats and dogs",
					Text: `{"sentences":[{"number":1,"claims":"","borne_out":true},{"number":2,"claims":"rain","borne_out":false}],"says_missing":true}`})
		}
		return q.send(`{"data":{"city":"Seattle"}}`)
	}},
	{"an upload", 1, true, 2, func(q *queued) func() []string {
		p := photos()[1]
		q.upload(intake.Delivery{Object: intake.Object{ObjectRef: blob.ObjectRef{Bucket: "uploads", Name: "a.jpg", Generation: q.Put(q.t, "uploads", "a.jpg", p)}, Size: int64(len(p))}})
		return func() []string { return []string{q.known(q.object("a.jpg.json"))} }
	}},
	{"a group of two photos", 1, true, 2, func(q *queued) func() []string {
		d := intake.Delivery{As: blob.ObjectRef{Bucket: "uploads", Name: "group", Generation: 1}}
		for i, p := range photos() {
			name := fmt.Sprintf("g/%d.jpg", i)
			d.More = append(d.More, intake.Object{ObjectRef: blob.ObjectRef{Bucket: "uploads", Name: name, Generation: q.Put(q.t, "uploads", name, p)}, Size: int64(len(p))})
		}
		d.Object, d.More = d.More[0], d.More[1:]
		q.upload(d)
		return func() []string { return []string{q.known(q.object("group.json"))} }
	}},
	{"a batch of two photos", 1, true, 4, func(q *queued) func() []string {
		for i, p := range photos() {
			q.Put(q.t, "uploads", fmt.Sprintf("b/%d.jpg", i), p)
		}
		var begun struct{ ID string }
		if err := json.Unmarshal([]byte(q.ask("POST", "/batches", `{"prefix":"gs://uploads/b/"}`)), &begun); err != nil {
			q.t.Fatal(err)
		}
		return func() (all []string) {
			var results []struct{ Result json.RawMessage }
			answer := q.ask("GET", "/batches/"+begun.ID+"/result", "")
			if err := json.Unmarshal([]byte(answer), &results); err != nil {
				q.t.Fatalf("%v: %.300s", err, answer)
			}
			for _, one := range results {
				all = append(all, q.known(string(one.Result)))
			}
			return all
		}
	}},
	{"an import", 3, false, 2, func(q *queued) func() []string {
		var file strings.Builder
		for i := range 101 {
			fmt.Fprintf(&file, `{"product_name":"Tea %03d","brand":"Sol","key_features":["tea %d"]}`+"\n", i, i)
		}
		q.Put(q.t, "results", "catalog/tea.jsonl", []byte(file.String()))
		q.task(`{"agent":"catalog","kind":"import","payload":{"uri":"gs://results/catalog/tea.jsonl"}}`, time.Now())
		return func() (all []string) {
			docs, err := q.FirestoreClient(q.t).Collection("products").Documents(q.t.Context()).GetAll()
			if err != nil {
				q.t.Fatal(err)
			}
			for _, d := range docs {
				all = append(all, fmt.Sprint(d.Data()["product_name"], d.Data()["key_features"]))
			}
			slices.Sort(all)
			return all
		}
	}},
}

func (q *queued) object(name string) string {
	q.t.Helper()
	r, err := emulate.StorageClient(q.t, q.World).Bucket("results").Object(name).NewReader(q.t.Context())
	if err != nil {
		q.t.Fatalf("%s: %v", name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		q.t.Fatal(err)
	}
	return string(data)
}

// A crossing is what happens to work when the model gets one of its calls.
type crossing struct {
	name  string
	each  bool                         // it happens in each call, in one run each; else in the last
	call  func(q *queued, stop func()) // must not ask the model; stop ends the delivery, and its instance
	gets  *emulated.Fault              // what the call gets
	then  func(q *queued)              // is done before another delivery
	again func(n, parallel int) int    // how many calls are paid again, if it is the nth
}

func underWay(_, parallel int) int { return parallel }

var crossings = []crossing{
	{name: "stopped", each: true, call: func(_ *queued, stop func()) { stop() }, again: underWay},
	{name: "no budget", gets: &emulated.Fault{Type: emulated.DailyQuota}, again: underWay},
	{name: "delivered at once", call: func(q *queued, _ func()) {
		q.beside.Go(func() { _ = q.now(q.t.Context()) }) // is refused, or finds it done
	}, again: func(int, int) int { return 0 }},
	{name: "another version", call: func(_ *queued, stop func()) { stop() }, then: (*queued).asAnotherVersion, again: func(n, parallel int) int { return max(n, parallel) }},
}

// at has c happen in the nth call of the model.
func (q *queued) at(n int, c crossing) {
	var mu sync.Mutex
	var stop func()
	q.ctx, stop = context.WithCancel(q.t.Context())
	match := func(*emulated.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if n--; n != 0 {
			return false
		}
		if c.call != nil {
			c.call(q, stop)
		}
		return c.gets != nil
	}
	q.Gemini.Script(emulated.Answer{Match: match, Fault: c.gets}, emulated.Answer{Kind: emulated.KindEmbed, Match: match, Fault: c.gets})
}

// asAnotherVersion has the checkpoints of all work as a version with other prompts, or of another
// shape, writes them.
func (q *queued) asAnotherVersion() {
	for _, collection := range []string{"work", "runs"} {
		docs, err := q.FirestoreClient(q.t).Collection(collection).Documents(q.t.Context()).GetAll()
		if err != nil {
			q.t.Fatal(err)
		}
		for _, d := range docs {
			kept, _ := d.Data()["kept"].(map[string]any)
			other := map[string]any{}
			for key, value := range kept {
				other[key+"0"], other[key] = value, `{"Value":"of another shape"}`
			}
			if _, err := d.Ref.Update(q.t.Context(), []firestore.Update{{Path: "kept", Value: other}}); err != nil {
				q.t.Fatal(err)
			}
		}
	}
}

// work makes deliveries until none is left. One that failed is made again, by another instance if
// it was stopped, and then is done before.
func (q *queued) work(then func(*queued)) {
	q.t.Helper()
	for tries := 0; len(q.tasks) > 0; tries++ {
		q.mu.Lock()
		q.now = q.tasks[0]
		q.tasks = q.tasks[1:]
		q.mu.Unlock()
		err := q.now(q.ctx)
		q.beside.Wait()
		if err == nil {
			continue
		}
		if tries > 200 {
			q.t.Fatalf("the delivery fails again and again: %v", err)
		}
		if q.ctx.Err() != nil {
			q.ctx = q.t.Context()
			q.restart()
			if then != nil {
				then(q)
			}
		}
		q.tasks = append([]delivery{q.now}, q.tasks...)
		time.Sleep(50 * time.Millisecond)
	}
}

// Work to which something happens in any of its model calls, and which is delivered again, ends as
// it does at one go: no item has another's answer, and only calls under way are paid again. What is
// delivered once more is paid for no more.
func TestCrossings(t *testing.T) {
	record(t)
	for _, kind := range several {
		t.Run(kind.name, func(t *testing.T) {
			run := func(n int, c crossing) (result []string, calls int) {
				q := newQueued(t)
				q.at(n, c)
				see := kind.begin(q)
				q.work(c.then)
				result, calls = see(), len(q.Gemini.Calls())
				q.tasks = slices.Clone(q.made)
				q.work(nil)
				if again := see(); !slices.Equal(again, result) || len(q.Gemini.Calls()) != calls {
					t.Errorf("%s in call %d, delivered once more: %q after %d calls; before %q after %d", c.name, n, again, len(q.Gemini.Calls()), result, calls)
				}
				return result, calls
			}
			want, once := run(0, crossing{})
			if len(want) == 0 || once != kind.calls {
				t.Fatalf("at one go: %q after %d calls, want results after %d", want, once, kind.calls)
			}
			for _, c := range crossings {
				for n := 1; n <= once; n++ {
					if !c.each && n < once {
						continue
					}
					got, calls := run(n, c)
					if !slices.Equal(got, want) {
						t.Errorf("%s in call %d:\n%s\nat one go:\n%s", c.name, n, strings.Join(got, "\n"), strings.Join(want, "\n"))
					}
					if again := c.again(n, kind.parallel); calls > once+again {
						t.Errorf("%s in call %d: %d calls, at one go %d: want %d paid again at most", c.name, n, calls, once, again)
					}
				}
			}
			t.Logf("%d calls at one go: %q", once, want[:min(2, len(want))])
		})
	}
}
