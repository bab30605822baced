package eventarc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/storage"
)

// start makes a bridge with routes whose waits are short unless set.
func start(t *testing.T, routes ...eventarc.Route) *eventarc.Bridge {
	t.Helper()
	ps, err := pubsub.Start(pubsub.Options{})
	if err != nil {
		t.Fatalf("pubsub.Start = %v", err)
	}
	t.Cleanup(ps.Close)
	for i := range routes {
		r := &routes[i]
		if r.MinBackoff == 0 {
			r.MinBackoff, r.MaxBackoff = time.Millisecond, 4*time.Millisecond
		}
	}
	b, err := eventarc.Start(eventarc.Options{PubSub: ps, Project: "p", Routes: routes, Seed: 1})
	if err != nil {
		t.Fatalf("Start = %v", err)
	}
	t.Cleanup(b.Close)
	return b
}

// serve answers with h at the URL returned.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func publish(t *testing.T, b *eventarc.Bridge, messages ...string) {
	t.Helper()
	for _, m := range messages {
		if err := b.Publish("uploads", []byte(m), nil); err != nil {
			t.Fatalf("Publish(%q) = %v", m, err)
		}
	}
}

func wait(t *testing.T, b *eventarc.Bridge) eventarc.Stats {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := b.Wait(ctx); err != nil {
		t.Fatalf("Wait = %v", err)
	}
	return b.Stats()
}

// push is the envelope of a push request.
type push struct {
	Message struct {
		Data        []byte
		Attributes  map[string]string
		MessageID   string
		PublishTime time.Time
	}
	Subscription    string
	DeliveryAttempt int
}

func parsePush(t *testing.T, r *http.Request) push {
	t.Helper()
	var p push
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		t.Errorf("the push is no JSON: %v", err)
	}
	return p
}

func TestAcknowledgement(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status int
		acked  bool
	}{
		{200, true}, {201, true}, {202, true}, {204, true},
		{203, false}, {206, false}, {302, false}, {400, false}, {404, false}, {429, false}, {500, false}, {503, false},
	} {
		t.Run(fmt.Sprint(tt.status), func(t *testing.T) {
			status := make(chan int, 2)
			status <- tt.status
			status <- http.StatusOK
			b := start(t, eventarc.Route{Topic: "uploads", Endpoint: serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(<-status)
			})})
			publish(t, b, "m")
			want := eventarc.Stats{Published: 1, Delivered: 1, Acked: 1}
			if !tt.acked {
				want.Delivered, want.Retried = 2, 1
			}
			if got := wait(t, b); got != want {
				t.Errorf("after an answer of %d: %+v, want %+v", tt.status, got, want)
			}
		})
	}
}

// An endpoint that is slower than the ack deadline gets the message again while
// it still works on the first delivery, whose answer comes too late to count.
func TestAckDeadline(t *testing.T) {
	t.Parallel()
	again := make(chan struct{})
	var first, second sync.Once
	b := start(t, eventarc.Route{Topic: "uploads", AckDeadline: 50 * time.Millisecond, Concurrency: 1,
		Endpoint: serve(t, func(http.ResponseWriter, *http.Request) {
			slow := false
			first.Do(func() { slow = true })
			if slow {
				<-again
			} else {
				second.Do(func() { close(again) })
			}
		})})
	publish(t, b, "m")
	got := wait(t, b)
	want := eventarc.Stats{Published: 1, Delivered: 1 + got.Retried, Acked: 1, Retried: max(1, got.Retried)}
	if got != want {
		t.Errorf("Stats() = %+v, want %+v", got, want)
	}
}

func TestUnreachableEndpoint(t *testing.T) {
	t.Parallel()
	addr := "127.0.0.1:" + emulate.FreePort(t)
	b := start(t, eventarc.Route{Topic: "uploads", Endpoint: "http://" + addr})
	publish(t, b, "m")
	await(t, "two retries", func() bool { return b.Stats().Retried >= 2 })

	listener, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Listener.Close()
	s.Listener = listener
	s.Start()
	t.Cleanup(s.Close)
	if got := wait(t, b); got.Acked != 1 {
		t.Errorf("Stats() = %+v, want the message acknowledged", got)
	}
}

func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come", what)
		}
	}
}

func TestDeadLetter(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var attempts []int
	var letters []push
	b := start(t, eventarc.Route{Topic: "uploads", MaxDeliveries: 3,
		Endpoint: serve(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			attempts = append(attempts, parsePush(t, r).DeliveryAttempt)
			w.WriteHeader(http.StatusInternalServerError)
		}),
		DeadLetter: serve(t, func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			letters = append(letters, parsePush(t, r))
		})})
	if err := b.Publish("uploads", []byte("m"), map[string]string{"own": "kept"}); err != nil {
		t.Fatal(err)
	}
	want := eventarc.Stats{Published: 2, Delivered: 4, Acked: 1, Retried: 2, DeadLettered: 1}
	if got := wait(t, b); got != want {
		t.Errorf("Stats() = %+v, want %+v", got, want)
	}
	if !slices.Equal(attempts, []int{1, 2, 3}) {
		t.Errorf("deliveryAttempt was %v, want [1 2 3]", attempts)
	}
	if len(letters) != 1 {
		t.Fatalf("%d dead letters came, want 1", len(letters))
	}
	letter := letters[0].Message
	if got := letter.Attributes["CloudPubSubDeadLetterSourceDeliveryCount"]; got != "3" || string(letter.Data) != "m" || letter.Attributes["own"] != "kept" {
		t.Errorf("the dead letter is %q with %v, want \"m\" with its attribute and a delivery count of 3", letter.Data, letter.Attributes)
	}
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	running, most := 0, 0
	both := make(chan struct{}) // closed once two run at once
	b := start(t, eventarc.Route{Topic: "uploads", Concurrency: 2, Endpoint: serve(t, func(http.ResponseWriter, *http.Request) {
		mu.Lock()
		running++
		if running == 2 && most < 2 {
			close(both)
		}
		most = max(most, running)
		mu.Unlock()
		<-both
		time.Sleep(5 * time.Millisecond) // long enough for others to come if they could
		mu.Lock()
		running--
		mu.Unlock()
	})})
	for range 20 {
		publish(t, b, "m")
	}
	wait(t, b)
	if most != 2 {
		t.Errorf("at most %d deliveries ran at once, want 2", most)
	}
}

// Close ends deliveries that hang, wait for their turn or for the next attempt.
func TestClose(t *testing.T) {
	hanging, left := make(chan struct{}, 10), make(chan struct{}, 10)
	endpoint := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // only then does the server notice that the client has gone
		hanging <- struct{}{}
		<-r.Context().Done()
		left <- struct{}{}
	})
	b := start(t,
		eventarc.Route{Topic: "uploads", Endpoint: endpoint, Concurrency: 2, AckDeadline: time.Hour},
		eventarc.Route{Topic: "uploads", Endpoint: "http://127.0.0.1:1", MinBackoff: time.Hour, MaxBackoff: time.Hour})
	publish(t, b, "a", "b", "c", "d")
	<-hanging
	<-hanging
	began := time.Now()
	b.Close()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("Close took %v", took) // deliveries have an hour
	}
	if err := b.Wait(t.Context()); err != nil {
		t.Errorf("Wait after Close = %v", err)
	}
	publish(t, b, "late")
	if got := b.Stats().Acked; got != 0 {
		t.Errorf("%d messages were acknowledged, want none", got)
	}
	<-left
	<-left
}

func TestWaitEnds(t *testing.T) {
	t.Parallel()
	b := start(t, eventarc.Route{Topic: "uploads", Endpoint: serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	})})
	publish(t, b, "m")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := b.Wait(ctx); err == nil {
		t.Errorf("Wait for a message that is never acknowledged = nil, want the context's error")
	}
}

// Two routes of one topic get a notification each; the bucket publishes it once.
func TestFinalizedFansOut(t *testing.T) {
	t.Parallel()
	endpoint := serve(t, func(http.ResponseWriter, *http.Request) {})
	b := start(t,
		eventarc.Route{Topic: "uploads", Bucket: "photos", Endpoint: endpoint},
		eventarc.Route{Topic: "uploads", Bucket: "photos", Endpoint: endpoint},
		eventarc.Route{Topic: "others", Bucket: "others", Endpoint: endpoint})
	b.Finalized(storage.Event{Bucket: "photos", Name: "a", Generation: "1", Object: json.RawMessage(`{}`)})
	b.Finalized(storage.Event{Bucket: "unknown", Name: "a", Generation: "1", Object: json.RawMessage(`{}`)})
	if got, want := wait(t, b), (eventarc.Stats{Published: 2, Delivered: 2, Acked: 2}); got != want {
		t.Errorf("Stats() = %+v, want %+v", got, want)
	}
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	ps, err := pubsub.Start(pubsub.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ps.Close)
	for _, o := range []eventarc.Options{
		{Project: "p"},
		{PubSub: ps},
		{PubSub: ps, Project: "p", Routes: []eventarc.Route{{Topic: "t"}}},
	} {
		if _, err := eventarc.Start(o); err == nil {
			t.Errorf("Start(%+v) = nil, want an error", o)
		}
	}
}
