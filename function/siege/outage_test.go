package siege

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"example.com/whatis/emulators/eventarc"
	emulated "example.com/whatis/emulators/gemini"
)

// scaled returns a function that scales production's durations down, by the factor
// otherwise, or by WHATIS_SIEGE_SCALE if that is set.
func scaled(t *testing.T, otherwise int) (production func(time.Duration) time.Duration) {
	t.Helper()
	scale := otherwise
	if s := os.Getenv("WHATIS_SIEGE_SCALE"); s != "" {
		var err error
		if scale, err = strconv.Atoi(s); err != nil || scale < 1 {
			t.Fatalf("WHATIS_SIEGE_SCALE is %q, want how many times faster time runs", s)
		}
	}
	return func(d time.Duration) time.Duration { return d / time.Duration(scale) }
}

// layScaled starts a siege with production's durations, scaled.
func layScaled(t *testing.T, production func(time.Duration) time.Duration, env ...string) *siege {
	t.Helper()
	s := build(t, 2, scaledEnv(production, env...)...)
	s.open(scaledRoute(production))
	return s
}

// scaledEnv adds the scaled defaults of app.Config to env. The lease is long enough to be
// renewed on a busy machine.
func scaledEnv(production func(time.Duration) time.Duration, env ...string) []string {
	return append(env,
		fmt.Sprint("LEASE=", max(production(30*time.Second), 10*time.Second)),
		fmt.Sprint("GIVE_UP_AFTER=", production(24*time.Hour)),
	)
}

// scaledRoute returns the route of terraform/pubsub.tf, scaled.
func scaledRoute(production func(time.Duration) time.Duration) eventarc.Route {
	return eventarc.Route{
		AckDeadline: max(production(600*time.Second), 10*time.Second), MaxDeliveries: 100,
		MinBackoff: production(10 * time.Second), MaxBackoff: production(600 * time.Second),
	}
}

// wantAllRight checks that every photo has the right result, at its first counted
// attempt, and none failed.
func (s *siege) wantAllRight(shots []shot) {
	s.t.Helper()
	l := s.ledger()
	s.counted(len(shots), l)
	if sum := s.checkAll(shots, l); sum.exhausted+sum.refused+sum.degraded > 0 {
		s.t.Errorf("%+v: the faults of this test are none of a photo's", sum)
	}
}

// The model answers 503 for half an hour. This costs a photo no attempt, however often
// it is delivered: all have the right result in the end.
func TestHalfAnHourOf503(t *testing.T) {
	long(t)
	t.Parallel()
	production := scaled(t, 120)
	s := layScaled(t, production)
	shots := shoot(14, allWays...)
	s.script(shots)
	s.Gemini.SetFaults(emulated.Fault{Type: emulated.Unavailable})
	s.uploadAll(shots)
	time.Sleep(production(30 * time.Minute))
	s.await("the outage has met five calls a photo", func() bool { return s.ledger().faulted() >= 5*len(shots) })
	s.Gemini.SetFaults()
	s.settle()
	for mark := range s.ledger() {
		if f := s.ledger().fate(mark); f.attempts > 0 {
			t.Errorf("%s: %+v", mark, f)
		}
	}
	s.wantAllRight(shots)
}

// The day's budget is spent: every photo is refused a hundred times, becomes a dead
// letter and is refused further, until there is budget again. None pays or fails before.
func TestSpentDay(t *testing.T) {
	long(t)
	t.Parallel()
	s := layScaled(t, scaled(t, 2000), "IMAGE_MODEL=gemini-3.5-flash-lite", "JUDGE_MODEL=gemini-3.6-flash", "MAX_USD_PER_DAY=1")
	today := time.Now().UTC().Format(time.DateOnly)
	if _, err := s.records.Collection("spend").Doc(today+"-others").Set(t.Context(), map[string]any{"day": today, "usd": 5}); err != nil {
		t.Fatal(err)
	}
	shots := shoot(4, clear, confirmed, searched, rejected)
	s.script(shots)
	s.uploadAll(shots)
	s.await("every photo is a dead letter", func() bool { return s.Events.Stats().DeadLettered == len(shots) })
	refused := s.busy.Load()
	s.await("some deliveries of dead letters are refused", func() bool { return s.busy.Load() >= refused+int64(len(shots)) })
	if n := len(s.ledger()); n > 0 || refused < int64(100*len(shots)) {
		t.Errorf("%d photos met the model after %d refusals, want none after a hundred a photo", n, refused)
	}
	s.env = append(s.env, "MAX_USD_PER_DAY=1000") // the next day's
	for i := range s.processes {
		s.signal(i, syscall.SIGTERM)
		s.restart(i)
	}
	s.settle()
	s.wantAllRight(shots)
}

// An event of another bucket is dropped, and an upload under a name of the batches'
// files fails; neither is paid for or writes anything.
func TestForgedEvents(t *testing.T) {
	t.Parallel()
	s := lay(t, 1, eventarc.Route{})
	if err := s.Storage.CreateBucket("private"); err != nil {
		t.Fatal(err)
	}
	shots := shoot(2, clear)
	s.script(shots)
	generation, err := s.put("private", shots[0].name(), shots[0].mark, shots[0].data)
	if err != nil {
		t.Fatal(err)
	}
	resource := fmt.Sprintf(`{"bucket":"private","name":%q,"generation":"%d"}`, shots[0].name(), generation)
	if status := s.push(resource, nil, time.Now()); status != http.StatusOK {
		t.Errorf("an event of another bucket is answered %d, want 200: it is dropped", status)
	}
	const reserved = "batches/20261121-080000-0123abcd/manifest"
	s.upload(shots[1].name(), shots[1].mark, shots[1].data)
	s.upload(reserved, shots[0].mark, shots[0].data)
	s.settle()
	if got, want := fmt.Sprint(s.names("results")), "[p001.jpg.json]"; got != want {
		t.Errorf("results %s, want %s", got, want)
	}
	if n := len(s.ledger()); n != 1 {
		t.Errorf("%d photos met the model, want 1", n)
	}
	if r := s.work()[reserved]; r.Error != "analysis_failed" {
		t.Errorf("the record of a reserved name is %+v, want analysis_failed", r)
	}
}

// A replay repeats work that failed before its publication. Attributes that set another
// time are trusted on a dead-letter topic only, not from any publisher.
func TestForgedDeadLetter(t *testing.T) {
	t.Parallel()
	s := lay(t, 1, eventarc.Route{})
	generation := s.upload("text.jpg", "p000", []byte("no photo"))
	s.settle()
	failed := s.work()["text.jpg"]
	before, err := failed.ref.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	resource := fmt.Sprintf(`{"bucket":"uploads","name":"text.jpg","generation":"%d"}`, generation)
	s.push(resource, map[string]string{
		"replay": "true", "CloudPubSubDeadLetterSourceSubscription": "projects/p/subscriptions/s",
		"CloudPubSubDeadLetterSourceTopicPublishTime": time.Now().Add(time.Hour).Format(time.RFC3339Nano),
	}, time.Now().Add(-time.Hour))
	after, err := failed.ref.Get(t.Context())
	if err != nil || !after.UpdateTime.Equal(before.UpdateTime) {
		t.Errorf("the record was written at %v, %v; want it as it was", after.UpdateTime, err)
	}
}
