package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	emulator "example.com/whatis/emulators/firestore"
)

// atOnce is less than a turn is kept whose owner has gone, and enough for a busy machine.
const atOnce = 20 * time.Second

// another returns s as another instance of it, whose leases are short.
func (s *station) another(lease time.Duration) *station {
	s.Helper()
	records, err := NewStore(s.world.FirestoreClient(s.T), Options{Lease: lease}).For(s.Work.schema)
	if err != nil {
		s.Fatal(err)
	}
	other := &station{T: s.T, world: s.world}
	if other.Executor, err = NewExecutor[forecast, string](forecasts{}, ExecutorConfig{Work: records}); err != nil {
		s.Fatal(err)
	}
	return other
}

// Deliveries and requests with one cache key, on two instances at once, are paid for once.
func TestPaidOnce(t *testing.T) {
	t.Parallel()
	one := openJob(t)
	two := one.another(30 * time.Second)
	var group sync.WaitGroup
	for i := range 10 {
		for n, s := range []*station{one, two} {
			group.Go(func() {
				if o, err := s.Deliver(t.Context(), s.job(fmt.Sprint("delivered-", i, n), "Seoul")); err != nil || len(o.Result) == 0 {
					t.Errorf("Deliver = %s, %v", o.Result, err)
				}
			})
		}
		group.Go(func() {
			if f, err := two.Ask(t.Context(), two.job("", "Seoul"), nil); err != nil || f.Celsius != 20 {
				t.Errorf("Ask = %+v, %v", f, err)
			}
		})
	}
	group.Wait()
	if n := one.asked.Load() + two.asked.Load(); n != 1 {
		t.Errorf("paid for %d times, want once", n)
	}
}

// Equal requests on two instances, and requests for the same by two names on one, are paid
// for once: all of them are work with one ID, as nobody claims it.
func TestAskedOnce(t *testing.T) {
	t.Parallel()
	for _, instances := range []int{1, 2} {
		one := openJob(t)
		two := one
		if instances == 2 {
			two = one.another(30 * time.Second)
		}
		one.enter = make(chan struct{})
		ask := func(s *station, subject string) <-chan forecast {
			answer := make(chan forecast, 1)
			go func() {
				j := s.job("", "Seoul")
				j.Item.Subject = subject
				f, err := s.Ask(t.Context(), j, nil)
				if err != nil {
					t.Errorf("Ask(%s) = %v", subject, err)
				}
				answer <- f
			}()
			return answer
		}
		first := ask(one, "Seoul")
		for one.asked.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		second := ask(two, "Hanyang")
		time.Sleep(2 * firstLook) // it looks for the result of the first, and finds none
		close(one.enter)
		if a, b := <-first, <-second; a.Cached || !b.Cached || a.Celsius != b.Celsius {
			t.Errorf("on %d instances: %+v and %+v, want the second to have the result of the first", instances, a, b)
		}
		if two != one && two.asked.Load() > 0 || one.asked.Load() != 1 {
			t.Errorf("on %d instances: paid for %d and %d times, want once", instances, one.asked.Load(), two.asked.Load())
		}
	}
}

// Work whose instance died is taken over when its turn has run out, and once.
func TestTurnOfTheDead(t *testing.T) {
	t.Parallel()
	const lease = 3 * time.Second // in which a busy machine renews it
	one := openJob(t).another(lease)
	dead, _, err := one.Work.firstTurn(t.Context(), "weather in Seoul", "dead")
	if err != nil {
		t.Fatal(err)
	}
	dead.stop()
	two := one.another(lease)
	var group sync.WaitGroup
	for i, s := range []*station{one, two, one, two} {
		group.Go(func() {
			if o, err := s.Deliver(t.Context(), s.job(fmt.Sprint(i), "Seoul")); err != nil || len(o.Result) == 0 {
				t.Errorf("Deliver = %s, %v", o.Result, err)
			}
		})
	}
	group.Wait()
	if n := one.asked.Load() + two.asked.Load(); n != 1 {
		t.Errorf("paid for %d times after the death of the first, want once", n)
	}
}

// A turn stays that of living work when the response of a renewal was lost. Of two attempts of one
// piece of work, which are one owner, the first neither renews nor frees it when the other has it.
func TestTurnRenewalLost(t *testing.T) {
	t.Parallel()
	const lease = 3 * time.Second // in which a busy machine renews it
	s := openJob(t).another(lease)
	commits := func() int { return s.world.Firestore.Calls()["Commit"] }
	before := commits()
	first, _, err := s.Work.firstTurn(t.Context(), "weather in Seoul", "a")
	if err != nil {
		t.Fatal(err)
	}
	s.world.Firestore.Fail(emulator.Fault{Method: "Commit", Applied: true})
	for end := time.Now().Add(time.Minute); commits() < before+3; time.Sleep(time.Millisecond) { // taken, renewed, and tried again by the client
		if time.Now().After(end) {
			t.Fatal("the turn is not renewed")
		}
	}
	time.Sleep(lease + lease/3)
	if other, err := s.Work.nextTurn(t.Context(), "weather in Seoul", "b"); other != nil || err != nil {
		t.Fatalf("nextTurn = %v, %v; want the turn of living work taken by nobody", other, err)
	}
	again, err := s.Work.nextTurn(t.Context(), "weather in Seoul", "a")
	if again == nil || err != nil {
		t.Fatalf("nextTurn of the next attempt = %v, %v; want it taken", again, err)
	}
	defer again.end(t.Context(), true)
	time.Sleep(lease / 2)
	first.end(t.Context(), false)
	if other, err := s.Work.nextTurn(t.Context(), "weather in Seoul", "b"); other != nil || err != nil {
		t.Errorf("nextTurn = %v, %v after the first attempt ended; want it held by the second", other, err)
	}
}

// A turn whose work failed, or whose result may not be cached, is free at once.
func TestTurnOfTheFailed(t *testing.T) {
	t.Parallel()
	s := openJob(t)
	s.failWith(errNowhere)
	if _, err := s.deliver(s.job("a", "Seoul")); err != nil {
		t.Fatal(err)
	}
	s.failWith(errors.New("a fault"))
	if _, err := s.deliver(s.job("b", "Seoul")); err == nil {
		t.Fatal("no error of an attempt that failed")
	}
	s.failWith(nil)
	begin := time.Now()
	s.want(s.job("c", "Seoul"), `{"City":"Seoul","Celsius":20,"Private":"for you"}`)
	if took := time.Since(begin); took > atOnce {
		t.Errorf("waited %v for work that has ended", took)
	}
}

// panicking is a job whose work panics.
type panicking struct{ *cityJob }

func (panicking) Do(context.Context, func(string)) (forecast, error) { panic("a fault") }

// A turn whose work panicked is free at once.
func TestTurnOfAPanic(t *testing.T) {
	t.Parallel()
	s := openJob(t)
	func() {
		defer func() { _ = recover() }()
		_, err := s.Deliver(t.Context(), panicking{s.job("a", "Seoul")})
		t.Errorf("Deliver = %v, want a panic", err)
	}()
	begin := time.Now()
	s.want(s.job("b", "Seoul"), `{"City":"Seoul","Celsius":20,"Private":"for you"}`)
	if took := time.Since(begin); took > atOnce {
		t.Errorf("waited %v for work that has ended", took)
	}
}

// uncache takes the forecasts of Seoul out of the cache.
func (s *station) uncache(ctx context.Context) error {
	all, err := s.Work.Tagged(ctx, "Seoul")
	for _, r := range all {
		_, _, failed := s.Work.Rewrite(ctx, r.ID, func(o *Outcome) (bool, error) { o.CacheKey = ""; return true, nil })
		err = errors.Join(err, failed)
	}
	return err
}

// A result that was taken out of the cache, or erased, is made anew without a wait.
func TestTurnOfTheUncached(t *testing.T) {
	t.Parallel()
	s := openJob(t)
	for i, drop := range []func(context.Context) error{
		func(ctx context.Context) error { return s.uncache(ctx) },
		func(ctx context.Context) error { _, err := s.Work.Erase(ctx, "delivered-1"); return err },
	} {
		s.want(s.job(fmt.Sprint("delivered-", i), "Seoul"), `{"City":"Seoul","Celsius":20,"Private":"for you"}`)
		if err := drop(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), atOnce)
		defer cancel()
		if f, err := s.Ask(ctx, s.job("", "Seoul"), nil); err != nil || f.Cached {
			t.Errorf("Ask = %+v, %v; want a new forecast at once", f, err)
		}
		if err := s.uncache(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// A request that wants no cached result pays, whoever is at it; its result is the cached
// one from then on.
func TestTurnOfTheFresh(t *testing.T) {
	t.Parallel()
	s := openJob(t)
	for n := range int32(2) {
		j := s.job("", "Seoul")
		j.Fresh = true
		if f, err := s.Ask(t.Context(), j, nil); err != nil || f.Cached || s.asked.Load() != n+1 {
			t.Errorf("Ask = %+v, %v, paid %d times; want %d", f, err, s.asked.Load(), n+1)
		}
	}
	s.want(s.job("a", "Seoul"), `{"City":"Seoul","Celsius":20,"Cached":true}`)
}

// A delivery that waits for long is delivered again, which is no attempt.
func TestTurnIsLong(t *testing.T) {
	t.Parallel()
	s := openJob(t)
	if _, _, err := s.Work.firstTurn(t.Context(), "weather in Seoul", "another"); err != nil {
		t.Fatal(err)
	}
	s.patience = time.Second
	begin := time.Now()
	_, err := s.deliver(s.job("a", "Seoul"))
	var busy *BusyError
	if took := time.Since(begin); !errors.As(err, &busy) || took > atOnce {
		t.Errorf("Deliver = %v after %v, want a BusyError after %v", err, took, s.patience)
	}
	if begun, err := s.Begun(t.Context(), "a"); err != nil || begun {
		t.Errorf("Begun = %v, %v; want no attempt counted", begun, err)
	}
}

// Without Firestore's turns the work is done.
func TestTurnsAway(t *testing.T) {
	t.Parallel()
	s := openJob(t)
	j := s.job("", "Seoul")
	s.world.Firestore.Fail(emulator.Fault{Method: "Commit", Code: codes.PermissionDenied, Times: 1})
	if f, err := s.Ask(t.Context(), j, nil); err != nil || f.Celsius != 20 {
		t.Errorf("Ask = %+v, %v", f, err)
	}
}

// A town is a cityJob whose forecast is that of all towns of its region.
type town struct {
	*cityJob
	region string
}

func (j town) Open(ctx context.Context) error {
	err := j.cityJob.Open(ctx)
	j.ContentKey = "weather of " + j.region
	return err
}

// Deliveries with one content key and different cache keys, several of each, on two
// instances at once, are paid for once; a failure and an erased result are no result.
func TestContentPaidOnce(t *testing.T) {
	t.Parallel()
	one := openJob(t)
	two := one.another(30 * time.Second)
	deliver := func(s *station, id, city string) {
		if o, err := s.Deliver(t.Context(), town{s.job(id, city), "here"}); err != nil || len(o.Result) == 0 {
			t.Errorf("Deliver = %s, %v", o.Result, err)
		}
	}
	one.failWith(errNowhere)
	deliver(one, "failed", "Nowhere")
	one.failWith(nil)
	before := one.asked.Load()
	var group sync.WaitGroup
	for i := range 12 {
		for n, s := range []*station{one, two} {
			group.Go(func() { deliver(s, fmt.Sprint("delivered-", i, n), fmt.Sprint("town ", i/2)) })
		}
	}
	group.Wait()
	if n := one.asked.Load() + two.asked.Load() - before; n != 1 {
		t.Errorf("paid for %d times, want once", n)
	}
	record, err := one.Work.ofOwner(t.Context(), "weather of here")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.Work.Erase(t.Context(), record.ID); err != nil {
		t.Fatal(err)
	}
	if _, found, err := one.ofOwner(t.Context(), "weather of here"); found || err != nil {
		t.Errorf("an erased result is found (%v)", err)
	}
}

// The content's turn of work that died is taken over, and its owner's own turn is no
// obstacle.
func TestContentTurnOfTheDead(t *testing.T) {
	t.Parallel()
	s := openJob(t).another(2 * time.Second)
	dead, _, err := s.Work.firstTurn(t.Context(), "weather of here", "dead")
	if err != nil {
		t.Fatal(err)
	}
	dead.stop()
	begin := time.Now()
	if o, err := s.Deliver(t.Context(), town{s.job("a", "Seoul"), "here"}); err != nil || len(o.Result) == 0 || s.asked.Load() != 1 {
		t.Errorf("Deliver = %s, %v", o.Result, err)
	}
	if took := time.Since(begin); took > atOnce {
		t.Errorf("waited %v for work that died", took)
	}
}
