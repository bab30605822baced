package spend_test

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/emulate"
	emulator "example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/spend"
)

// opened returns a function that opens a client of w.
func opened(t *testing.T, w *emulate.World) func(context.Context) (*firestore.Client, error) {
	db := w.FirestoreClient(t)
	return func(context.Context) (*firestore.Client, error) { return db, nil }
}

func TestAdd(t *testing.T) {
	db := opened(t, emulate.Start(t, emulate.Firestore))
	first := spend.NewMeter(db, spend.Options{})
	end := first.Begin()
	for _, step := range []struct{ usd, want float64 }{{0, 0}, {0.25, 0.25}, {0, 0.25}, {1, 1.25}} {
		if got, err := first.Add(t.Context(), step.usd); err != nil || got != step.want {
			t.Errorf("Add(%v) = %v, %v; want %v", step.usd, got, err, step.want)
		}
	}
	end()
	// A new instance sees the costs of other instances.
	if got, err := spend.NewMeter(db, spend.Options{}).Add(t.Context(), 0.5); err != nil || got != 1.75 {
		t.Errorf("a new instance's Add(0.5) = %v, %v; want 1.75", got, err)
	}
}

// A sum is written at most once per interval, however much is added, and when the last
// request ends.
func TestWrites(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	m := spend.NewMeter(opened(t, w), spend.Options{Every: time.Hour})
	first, second := m.Begin(), m.Begin()
	for range 100 {
		if _, err := m.Add(t.Context(), 0.01); err != nil {
			t.Fatal(err)
		}
	}
	first()
	if n := w.Firestore.Calls()["Commit"]; n != 0 {
		t.Errorf("%d writes while a request is under way, want none within the hour", n)
	}
	second()
	if calls := w.Firestore.Calls(); calls["Commit"] != 1 || calls["RunAggregationQuery"] != 1 {
		t.Errorf("calls for 100 additions in two requests = %v, want one write and one sum", calls)
	}
	m.Begin()()
	if n := w.Firestore.Calls()["Commit"]; n != 1 {
		t.Errorf("%d writes after a request that cost nothing, want the 1 from before", n)
	}
}

// A lone caller's request does not wait until a write may follow the one before; what it cost is
// written by Flush, when the instance stops, and by the next request that ends later.
func TestLoneRequest(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	db := opened(t, w)
	const every = time.Hour
	m := spend.NewMeter(db, spend.Options{Every: every})
	request := func() {
		end := m.Begin()
		if _, err := m.Add(t.Context(), 0.25); err != nil {
			t.Fatal(err)
		}
		end()
	}
	written := func() float64 {
		sum, err := spend.NewMeter(db, spend.Options{}).Add(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	for i, want := range []float64{0.25, 0.25, 0.25} { // an hour each, if it waited
		if request(); written() != want {
			t.Errorf("%v is written after request %d, want the %v of the first", written(), i+1, want)
		}
	}
	if err := m.Flush(t.Context()); err != nil || written() != 0.75 {
		t.Errorf("Flush = %v, %v is written; want all of 0.75", err, written())
	}
	if n := w.Firestore.Calls()["Commit"]; n != 2 {
		t.Errorf("%d writes, want that of the first request and that of Flush", n)
	}
	if err := m.Flush(t.Context()); err != nil || w.Firestore.Calls()["Commit"] != 2 {
		t.Errorf("Flush of nothing = %v after %v, want no further write", err, w.Firestore.Calls())
	}
}

// While requests are running the sum is written by a timer, and writes keep their distance
// even if requests end quickly.
func TestWritesAreApart(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	const every = 50 * time.Millisecond
	m := spend.NewMeter(opened(t, w), spend.Options{Every: every})
	start := time.Now()
	for range 5 {
		end := m.Begin()
		if _, err := m.Add(t.Context(), 0.01); err != nil {
			t.Fatal(err)
		}
		end()
	}
	if n, most := w.Firestore.Calls()["Commit"], int(time.Since(start)/every)+1; n < 1 || n > most {
		t.Errorf("%d writes in %v, want at most %d", n, time.Since(start), most)
	}
	defer m.Begin()()
	w.Firestore.ResetCalls()
	if _, err := m.Add(t.Context(), 0.01); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); w.Firestore.Calls()["Commit"] == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing is written while a request is under way")
		}
	}
}

// A cost that Firestore refuses is written later, not lost.
func TestOwed(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	db := opened(t, w)
	m := spend.NewMeter(db, spend.Options{Every: time.Millisecond, Fresh: time.Millisecond})
	w.Firestore.Fail(emulator.Fault{Method: "RunAggregationQuery", Code: codes.PermissionDenied})
	if got, err := m.Add(t.Context(), 0); err == nil {
		t.Errorf("Add = %v, nil before anything was read; want an error", got)
	}
	end := m.Begin()
	w.Firestore.Fail(emulator.Fault{Method: "Commit", Code: codes.PermissionDenied, Times: 1000})
	if _, err := m.Add(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Millisecond)
	w.Firestore.Fail(emulator.Fault{Method: "RunAggregationQuery", Code: codes.PermissionDenied})
	if got, err := m.Add(t.Context(), 1); err != nil || got != 2 {
		t.Errorf("Add = %v, %v while Firestore refuses; want the 2 that are known", got, err)
	}
	end()
	w.Firestore.ClearFaults()
	time.Sleep(2 * time.Millisecond) // longer than writes are apart
	m.Begin()()
	if got, err := spend.NewMeter(db, spend.Options{}).Add(t.Context(), 0); err != nil || got != 2 {
		t.Errorf("the sum after Firestore came back = %v, %v; want 2", got, err)
	}
}

// Ten instances share one limit: it is exceeded at most by their calls in flight and by
// what each spends between two reads of the others' costs. Here a second is 80 ms.
func TestOvershoot(t *testing.T) {
	const (
		instances, workers = 10, 3
		usd, limit         = 0.01, 5.0
		call               = 200 * time.Millisecond
	)
	o := spend.Options{Every: 80 * time.Millisecond, Fresh: 800 * time.Millisecond}
	w := emulate.Start(t, emulate.Firestore)
	db := opened(t, w)
	var calls, slowest atomic.Int64 // of reads of the sum
	var group sync.WaitGroup
	start := time.Now()
	var meters []*spend.Meter
	for range instances {
		m := spend.NewMeter(db, o)
		meters = append(meters, m)
		for range workers {
			group.Go(func() {
				defer m.Begin()()
				for {
					look := time.Now()
					sum, err := m.Add(t.Context(), 0)
					for took, was := int64(time.Since(look)), slowest.Load(); took > was && !slowest.CompareAndSwap(was, took); was = slowest.Load() {
					}
					if err != nil || sum >= limit {
						return
					}
					calls.Add(1)
					time.Sleep(call)
					_, _ = m.Add(t.Context(), usd) // cannot fail: the day was read
				}
			})
		}
	}
	group.Wait()
	took := time.Since(start)
	for _, m := range meters {
		if err := m.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	spent := float64(calls.Load()) * usd
	// A worker has one call in flight, and makes as many as fit into the delay; twice that
	// for a busy machine.
	each := 1 + 2*math.Ceil(float64(int64(o.Every+o.Fresh)+slowest.Load())/float64(call))
	if most := limit + instances*workers*each*usd; spent < limit || spent > most {
		t.Errorf("%v spent of %v, want at most %v", spent, limit, most)
	}
	if got, err := spend.NewMeter(db, o).Add(t.Context(), 0); err != nil || math.Abs(got-spent) > 1e-6 {
		t.Errorf("the sum = %v, %v; want all of %v", got, err, spent)
	}
	if n, most := w.Firestore.Calls()["Commit"], instances*(int(took/o.Every)+2); n > most {
		t.Errorf("%d writes in %v, want at most %d", n, took, most)
	}
}
