package jobs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/api/googleapi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/gemini"
)

// However often an event is delivered, its work is done once, and Follow is called each
// time.
func TestDeliver(t *testing.T) {
	t.Parallel()
	s := openJob(t)
	for range 3 {
		s.want(s.job("a", "Seoul"), `{"City":"Seoul","Celsius":20,"Private":"for you"}`)
	}
	if s.done.Load() != 1 || s.followed.Load() != 3 {
		t.Errorf("done %d times, followed %d times; want 1 and 3", s.done.Load(), s.followed.Load())
	}
	s.want(s.job("b", "Seoul"), `{"City":"Seoul","Celsius":20,"Cached":true,"Private":"for you"}`)
	for id, key := range map[string]string{"a": "weather in Seoul", "b": ""} { // or b would be the younger result
		if r, err := s.Work.Get(t.Context(), id); err != nil || r.CacheKey != key || len(r.Tags) != 1 {
			t.Errorf("the record of %s has cache key %q and tags %q, %v; want key %q and its city", id, r.CacheKey, r.Tags, err, key)
		}
	}
	if got, want := s.messages(), "Seoul/ Seoul/ Seoul/ Seoul/"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	skipped := s.job("c", "Paris")
	skipped.Skip = true
	s.want(skipped, "")
	if _, err := s.Get(t.Context(), "c"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Get of what was skipped = %v, want %v", err, ErrNotFound)
	}
}

// A permanent error gives a failed result at once; four temporary ones at the fifth
// attempt, which is also published to Failures, and a replay does the work again.
func TestFailures(t *testing.T) {
	t.Parallel()
	s := openJob(t)
	s.failWith(errNowhere)
	s.want(s.job("a", "Atlantis"), `{"City":"Atlantis","Celsius":0,"Failure":"no_forecast"}`)
	s.failWith(errFlooded)
	s.want(s.job("b", "Vineta"), "")
	s.failWith(errors.New("a bug"))
	for range 4 {
		if got, err := s.deliver(s.job("c", "Rome")); err == nil {
			t.Errorf("Deliver of what fails = %s, want an error", got)
		}
	}
	if n := s.followed.Load(); n != 1 {
		t.Errorf("followed %d times, want once, for Atlantis: an attempt that failed has no result yet", n)
	}
	s.want(s.job("c", "Rome"), `{"City":"Rome","Celsius":0,"Failure":"no_forecast","GaveUp":true}`)
	if got, want := s.messages(), "Atlantis/no_forecast Rome/no_forecast Rome/given up"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	s.failWith(nil)
	replay := s.job("c", "Rome")
	replay.Replay, replay.Published = true, time.Now()
	s.want(replay, `{"City":"Rome","Celsius":16,"Private":"for you"}`)
	if r, err := s.Work.Get(t.Context(), "c"); err != nil || r.State != Done || r.Error != "" || r.Attempts != 1 {
		t.Errorf("the record of the replay = %+v, %v; want success at the first attempt", r, err)
	}
	if r, err := s.Work.Get(t.Context(), "b"); err != nil || r.State != Done || r.Error != "flooded" {
		t.Errorf("the record of what is gone = %+v, %v; want it done, flooded", r, err)
	}
}

// A replay repeats work that failed before its publication, once, and no other work.
func TestReplay(t *testing.T) {
	t.Parallel()
	s := openJob(t)
	replay := func() *cityJob {
		j := s.job("a", "Rome")
		j.Replay = true
		return j
	}
	s.failWith(errNowhere)
	failed := `{"City":"Rome","Celsius":0,"Failure":"no_forecast"}`
	s.want(s.job("a", "Rome"), failed)
	again := replay()
	again.Published = time.Now()
	for range 3 {
		s.want(again, failed)
	}
	if s.asked.Load() != 2 {
		t.Errorf("a replay that is delivered three times and fails was tried %d times, want once", s.asked.Load()-1)
	}
	entered, release := make(chan bool), make(chan bool)
	hold := func(context.Context) error { entered <- true; <-release; return nil }
	s.behind.Store(&hold)
	first := make(chan error, 1)
	go func() { _, err := s.deliver(replay()); first <- err }()
	<-entered
	if _, err := s.deliver(replay()); !errors.Is(err, ErrBusy) {
		t.Errorf("a replay meanwhile = %v, want %v", err, ErrBusy)
	}
	close(release)
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	s.want(replay(), `{"City":"Rome","Celsius":16,"Private":"for you"}`)
	if s.asked.Load() != 3 {
		t.Errorf("the replay of a success was done again")
	}
}

// Equal requests share a run and its events; but for the one that began it, they get its result as
// later ones do, without the private part.
func TestAsk(t *testing.T) {
	t.Parallel()
	s := openJob(t)
	s.enter = make(chan struct{})
	const askers = 3
	var group sync.WaitGroup
	var seen, paid atomic.Int32
	for range askers {
		group.Go(func() {
			f, err := s.Ask(t.Context(), s.job("", "Seoul"), func(string) { seen.Add(1) })
			if err != nil || f.Cached != (f.Private == "") {
				t.Errorf("Ask = %+v, %v; want the shared result", f, err)
			}
			if !f.Cached {
				paid.Add(1)
			}
		})
	}
	for end := time.Now().Add(time.Minute); seen.Load() < askers && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	close(s.enter)
	group.Wait()
	if paid.Load() != 1 {
		t.Errorf("%d askers have paid for the run, want 1", paid.Load())
	}
	later, err := s.Ask(t.Context(), s.job("", "Seoul"), nil)
	if err != nil || !later.Cached || later.Private != "" {
		t.Errorf("Ask later = %+v, %v; want it cached, without what was private", later, err)
	}
	fresh := s.job("", "Seoul")
	fresh.Fresh = true
	if f, err := s.Ask(t.Context(), fresh, nil); err != nil || f.Cached {
		t.Errorf("Ask afresh = %+v, %v; want a new forecast", f, err)
	}
	if s.done.Load() != 2 || seen.Load() != askers {
		t.Errorf("done %d times, %d events seen; want 2 and %d", s.done.Load(), seen.Load(), askers)
	}
	if got, want := s.messages(), "Seoul/ Seoul/"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestListOfResults(t *testing.T) {
	t.Parallel()
	s := openJob(t)
	for _, city := range []string{"Rome", "Seoul", "Wellington", "Vineta"} {
		if city == "Vineta" {
			s.failWith(errFlooded)
		}
		if _, err := s.deliver(s.job(city, city)); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		f    Filter
		want []string
	}{
		{Filter{}, []string{"Wellington", "Seoul", "Rome"}},
		{Filter{Index: Index{"terms": "true"}}, []string{"Wellington"}},
		{Filter{Index: Index{"terms": "none"}}, nil},
	}
	for _, test := range tests {
		var got []string
		list, next, err := s.List(t.Context(), test.f)
		for _, l := range list {
			got = append(got, l.Public.City)
			if l.Public.Private != "" {
				t.Errorf("List(%+v) shows what is private: %+v", test.f, l.Public)
			}
		}
		if err != nil || next != "" || !slices.Equal(got, test.want) {
			t.Errorf("List(%+v) = %q, next %q, %v; want %q", test.f, got, next, err, test.want)
		}
	}
	if one, err := s.Get(t.Context(), "Rome"); err != nil || one.Public.Celsius != 16 {
		t.Errorf("Get = %+v, %v; want 16 degrees", one, err)
	}
	if _, err := s.Get(t.Context(), "Vineta"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Get of what was gone = %v, want %v", err, ErrNotFound)
	}
	for id, want := range map[string]bool{"Rome": true, "Vineta": true, "Oslo": false} {
		if got, err := s.Begun(t.Context(), id); got != want || err != nil {
			t.Errorf("Begun(%s) = %v, %v; want %v", id, got, err, want)
		}
	}
}

func TestReasonOf(t *testing.T) {
	t.Parallel()
	model := func(k gemini.Kind) error { return fmt.Errorf("echo: %w", &gemini.Error{Kind: k}) }
	tests := []struct {
		err  error
		want Reason
	}{
		{&admission.Busy{}, Waiting},
		{model(gemini.Quota), Waiting},
		{model(gemini.Budget), Waiting},
		{model(gemini.Later), Waiting},
		{fmt.Errorf("echo: %w", context.Canceled), Waiting},
		{status.Error(codes.Canceled, "the instance stops"), Waiting},
		{ErrLost, Waiting},
		{fmt.Errorf("%w: %w", ErrContinue, context.DeadlineExceeded), Waiting},
		{model(gemini.Unavailable), Outage},
		{model(gemini.Unauthorized), Outage},
		{model(gemini.Unpaid), Outage},
		{model(gemini.NotInPlan), Outage},
		{status.Error(codes.Unavailable, "no Firestore"), Outage},
		{status.Error(codes.PermissionDenied, "no right"), Outage},
		{fmt.Errorf("blob: read: %w", &googleapi.Error{Code: http.StatusForbidden}), Outage},
		{fmt.Errorf("blob: read: %w", &googleapi.Error{Code: http.StatusServiceUnavailable}), Outage},
		{fmt.Errorf("blob: read: %w", &googleapi.Error{Code: http.StatusBadRequest}), Counted},
		{context.DeadlineExceeded, Counted},
		{&gemini.Error{Kind: gemini.Unavailable, Err: context.DeadlineExceeded}, Counted},
		{model(gemini.Gone), Counted},
		{model(gemini.Malformed), Counted},
		{status.Error(codes.InvalidArgument, "wrong"), Counted},
		{errors.New("a bug"), Counted},
	}
	for _, test := range tests {
		if got := reasonOf(test.err); got != test.want {
			t.Errorf("reasonOf(%v) = %v, want %v", test.err, got, test.want)
		}
	}
}
