package jobs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/pubsub"

	"example.com/whatis/internal/jobs/queue"
)

// Most of these tests wait for a lease and do little meanwhile, so that more of them than there
// are processors run at once.
func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "8") // there is such a flag; the command line may say another number
	emulate.Run(m)
}

// A forecast is the result of an agent that has nothing to do with photos.
type forecast struct {
	City    string
	Celsius int
	Cached  bool   `json:",omitempty"`
	Private string `json:",omitempty"` // for the caller only
	Failure string `json:",omitempty"`
	GaveUp  bool   `json:",omitempty"`
}

// errNowhere is the error of a city that never existed, and errFlooded of one that does
// not exist any more.
var errNowhere, errFlooded = errors.New("there is no such city"), errors.New("the city is flooded")

// station is an agent that forecasts the weather.
type station struct {
	*Executor[forecast, string]
	*testing.T
	world     *emulate.World
	done      atomic.Int32                                // forecasts that were made
	asked     atomic.Int32                                // steps that were paid for
	followed  atomic.Int32                                // calls of Follow
	unwilling error                                       // of Follow
	behind    atomic.Pointer[func(context.Context) error] // is called after the first step, if set
	enter     chan struct{}                               // if not nil, a forecast waits here
	mu        sync.Mutex
	published []emulated.Message // published on both topics
}

func openJob(t *testing.T) *station {
	t.Helper()
	w := emulate.Start(t, emulate.Firestore, emulate.PubSub)
	s := &station{T: t, world: w}
	// The agent lists its work as analyze does, by an index that production has.
	schema := Schema{Outcome: Index{"terms": []string(nil)}}
	records, err := NewStore(w.FirestoreClient(t), Options{}).For(schema)
	if err != nil {
		t.Fatal(err)
	}
	s.Executor, err = NewExecutor[forecast, string](forecasts{}, ExecutorConfig{Work: records, Events: s.topic("results"), Failures: s.topic("failures")})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// forecasts is the kind of job whose result is a forecast.
type forecasts struct{}

func (forecasts) Describe(f forecast) Facts {
	return Facts{Error: f.Failure, GivenUp: f.GaveUp, Index: Index{"terms": []string{fmt.Sprintf("%t", f.Celsius > 20)}}, Attributes: map[string]string{"failure": f.Failure}}
}

func (forecasts) Public(f forecast) forecast { f.Private = ""; return f }

func (forecasts) Fault(err error) (f Fault) {
	f.Permanent = errors.Is(err, errNowhere)
	if errors.Is(err, errFlooded) {
		f.Gone = "flooded"
	}
	return f
}

func (forecasts) Log(context.Context, string, int, forecast, error) {}

func (s *station) topic(id string) *queue.Topic {
	s.Helper()
	name := "projects/emulated/topics/" + id
	if err := s.world.PubSub.CreateTopic(name); err != nil {
		s.Fatal(err)
	}
	s.world.PubSub.Subscribe(name, func(m emulated.Message) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.published = append(s.published, m)
	})
	return queue.NewTopic(s.world.PubSubClient(s.T).TopicAdminClient, name)
}

// messages takes the messages published so far, as "city city/failure …".
func (s *station) messages() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, m := range s.published {
		all = append(all, fmt.Sprint(m.Attributes["city"], "/", m.Attributes["failure"], m.Attributes["why"]))
	}
	s.published = nil
	return strings.Join(all, " ")
}

// A cityJob forecasts for a city, in two steps of which the first is paid for.
type cityJob struct {
	Spec
	s    *station
	city string
}

func (s *station) job(id, city string) *cityJob {
	return &cityJob{s: s, city: city, Spec: Spec{
		Item: Item{ID: id, Kind: "asked", Subject: city}, Name: city,
		Attributes: map[string]string{"city": city}, FailureAttributes: map[string]string{"why": "given up"},
	}}
}

func (j *cityJob) Open(context.Context) error {
	j.CacheKey, j.Tags = "weather in "+j.city, []string{j.city}
	if j.Item.ID == "" {
		j.Item.ID = "id-of-" + j.city
	}
	return nil
}

func (j *cityJob) FromCache(_ context.Context, f forecast, _ time.Duration) (forecast, error) {
	f.Cached = true
	return f, nil
}

func (j *cityJob) Do(ctx context.Context, watch func(string)) (forecast, error) {
	return j.s.forecast(ctx, j.city, watch)
}

func (j *cityJob) Failed(_ context.Context, _ forecast, err error, _ time.Duration) forecast {
	var given *GivenUp
	return forecast{City: j.city, Failure: "no_forecast", GaveUp: errors.As(err, &given)}
}

func (j *cityJob) Follow(context.Context, Outcome) error { j.s.followed.Add(1); return j.s.unwilling }

func (j *cityJob) Close() {}

func (s *station) forecast(ctx context.Context, city string, watch func(string)) (forecast, error) {
	celsius, err := Once(ctx, "measure", func(context.Context) (int, error) { s.asked.Add(1); return len(city) * 4, nil })
	if err != nil {
		return forecast{}, err
	}
	if watch != nil {
		watch("measured")
	}
	if s.enter != nil {
		<-s.enter
	}
	if behind := s.behind.Load(); behind != nil {
		if err := (*behind)(ctx); err != nil {
			return forecast{}, err
		}
	}
	s.done.Add(1)
	return forecast{City: city, Celsius: celsius, Private: "for you"}, nil
}

// failWith makes each later attempt end with err, or succeed if it is nil.
func (s *station) failWith(err error) {
	behind := func(context.Context) error { return err }
	s.behind.Store(&behind)
}

// deliver delivers j, and returns the beginning of its result, or the error.
func (s *station) deliver(j *cityJob) (string, error) {
	o, err := s.Deliver(s.Context(), j)
	return string(o.Result), err
}

// want checks the outcome of a delivery of j.
func (s *station) want(j *cityJob, result string) {
	s.Helper()
	if got, err := s.deliver(j); err != nil || got != result {
		s.Errorf("Deliver(%s) = %s, %v; want %s", j.Name, got, err, result)
	}
}
