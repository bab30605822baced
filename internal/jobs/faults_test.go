package jobs

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/gemini"
)

// A trial is one piece of work, of some kind, with a step that is paid for.
type trial struct {
	*testing.T
	world   *emulate.World
	records *Store
	id      string
	giveUp  *time.Duration // age at which it is given up
	deliver func(context.Context) error
	behind  func(func(context.Context) error) // sets a function to call after the paid step
	paid    func() int32
}

// kinds are the two kinds of jobs that events ask for: work of one delivery, and a slice
// of a long run.
var kinds = map[string]func(*testing.T) *trial{
	"delivery": func(t *testing.T) *trial {
		s := openJob(t)
		return &trial{
			T: t, world: s.world, records: s.Work, id: "a", giveUp: &s.GiveUpAfter, paid: s.asked.Load,
			deliver: func(ctx context.Context) error { _, err := s.Deliver(ctx, s.job("a", "Seoul")); return err },
			behind:  func(do func(context.Context) error) { s.behind.Store(&do) },
		}
	},
	"slice": func(t *testing.T) *trial {
		d := openCounter(t)
		run := d.start(1)
		m := d.take()
		return &trial{
			T: t, world: d.world, records: d.Work, id: run.ID + "-0000", giveUp: &d.executor.GiveUpAfter, paid: d.paid.Load,
			deliver: func(ctx context.Context) error { return d.dispatcher.Dispatch(ctx, *m) },
			behind: func(do func(context.Context) error) {
				d.broken = func(ctx context.Context, _ int) error { return do(ctx) }
			},
		}
	},
}

// refused delivers the work, and checks that it must be delivered again.
func (r *trial) refused(ctx context.Context, times int, want error) {
	r.Helper()
	for range times {
		if err := r.deliver(ctx); err == nil || want != nil && !errors.Is(err, want) {
			r.Errorf("Deliver = %v, want %v", err, want)
		}
	}
}

// ends makes that many attempts end with err.
func ends(times int, err error) func(*trial) {
	return func(r *trial) {
		r.Helper()
		r.behind(func(context.Context) error { return err })
		r.refused(r.Context(), times, err)
	}
}

// killed simulates the death of the instance that owns the work: its lease has to run out.
func killed(r *trial) {
	r.Helper()
	ends(1, &gemini.Error{Kind: gemini.Unavailable})(r)
	record, err := r.records.Get(r.Context(), r.id)
	if err != nil {
		r.Fatal(err)
	}
	dying, die := context.WithCancel(r.Context())
	if _, err := r.records.Claim(dying, record.Item); err != nil {
		r.Fatal(err)
	}
	die()
	r.refused(r.Context(), 2, ErrBusy)
	if err := r.runOut(); err != nil {
		r.Fatal(err)
	}
}

// runOut waits until the lease of the work has run out.
func (r *trial) runOut() error {
	_, err := r.records.doc(r.id).Update(r.Context(), fields{"lease_ns": 1}.updates())
	return err
}

// deliveredTwice delivers the work while it is done.
func deliveredTwice(r *trial) {
	r.Helper()
	entered, release := make(chan bool), make(chan bool)
	r.behind(func(context.Context) error { entered <- true; <-release; return nil })
	first := make(chan error, 1)
	go func() { first <- r.deliver(r.Context()) }()
	<-entered
	r.refused(r.Context(), 5, ErrBusy)
	close(release)
	if err := <-first; err != nil {
		r.Errorf("the first delivery = %v, want nil", err)
	}
}

// refusedWrite makes the database refuse the last write of the work.
func refusedWrite(r *trial) {
	r.Helper()
	r.behind(func(context.Context) error {
		r.world.Firestore.Fail(firestore.Fault{Method: "Commit", Code: codes.PermissionDenied})
		return nil
	})
	r.refused(r.Context(), 1, nil)
}

// lostAnswers applies every write of a delivery, and loses its response.
func lostAnswers(r *trial) {
	r.Helper()
	r.world.Firestore.Fail(firestore.Fault{Method: "Commit", Code: codes.Internal, Applied: true, Times: 1 << 10})
	if err := r.deliver(r.Context()); err != nil {
		r.Errorf("Deliver = %v, want nil", err)
	}
	r.world.Firestore.ClearFaults()
}

// goesAway stops the instance in the middle of the work.
func goesAway(r *trial) {
	r.Helper()
	for range 6 {
		ctx, stop := context.WithCancel(r.Context())
		r.behind(func(ctx context.Context) error { stop(); return ctx.Err() })
		r.refused(ctx, 1, context.Canceled)
	}
}

// oldAfter calls before, and then makes the work too old.
func oldAfter(before func(*trial)) func(*trial) {
	return func(r *trial) {
		r.Helper()
		before(r)
		*r.giveUp = time.Nanosecond
	}
}

// Whatever goes wrong, each kind of job pays for its step once, counts an attempt only if
// the work may be at fault, and ends: with the right result, or as a failure if it was
// tried too often or for too long, or its content is refused.
func TestFaults(t *testing.T) {
	t.Parallel()
	model := func(k gemini.Kind) error { return &gemini.Error{Kind: k} }
	tests := []struct {
		fault    string
		trouble  func(*trial)
		state    State // after the fault
		attempts int
		fails    bool // at the delivery after that
	}{
		{"killed", killed, Running, 1, false},
		{"delivered twice at once", deliveredTwice, Done, 1, false},
		{"write refused", refusedWrite, Open, 0, false},
		{"answers lost", lostAnswers, Done, 1, false},
		{"quota", ends(6, model(gemini.Quota)), Open, 0, false},
		{"budget", ends(6, model(gemini.Budget)), Open, 0, false},
		{"no memory", ends(6, &admission.Busy{}), Open, 0, false},
		{"outage", ends(6, model(gemini.Unavailable)), Open, 0, false},
		{"instance goes away", goesAway, Open, 0, false},
		{"time is up", ends(1, context.DeadlineExceeded), Open, 1, false},
		{"a bug", ends(3, errors.New("a bug")), Open, 3, false},
		{"a bug for ever", ends(4, errors.New("a bug")), Open, 4, true},
		{"age", oldAfter(ends(1, model(gemini.Unauthorized))), Open, 0, true},
		{"age of what only waited", oldAfter(ends(2, model(gemini.Quota))), Open, 0, false},
	}
	for name, kind := range kinds {
		for _, test := range tests {
			t.Run(fmt.Sprint(name, " ", test.fault), func(t *testing.T) {
				t.Parallel()
				r := kind(t)
				test.trouble(r)
				r.want(test.state, test.attempts, false)
				r.behind(func(context.Context) error { return nil })
				r.world.Firestore.ClearFaults()
				attempts := test.attempts
				if test.state != Done {
					attempts++
				}
				for range 2 { // the second finds it done
					if err := r.deliver(t.Context()); err != nil {
						t.Fatalf("Deliver behind the trouble = %v, want nil", err)
					}
					r.want(Done, attempts, test.fails)
				}
				if n := r.paid(); n != 1 {
					t.Errorf("paid %d times, want once", n)
				}
			})
		}
	}
}

// want checks the record of the work.
func (r *trial) want(state State, attempts int, fails bool) {
	r.Helper()
	got, err := r.records.Get(r.Context(), r.id)
	if err != nil || got.State != state || got.Attempts != attempts || got.Error != "" != fails {
		r.Errorf("the record is %s after %d attempts, error %q (%v); want %s after %d, failed %v", got.State, got.Attempts, got.Error, err, state, attempts, fails)
	}
}

// Work whose content a model refuses fails at once.
func TestContentRefused(t *testing.T) {
	t.Parallel()
	for name, kind := range kinds {
		r := kind(t)
		r.behind(func(context.Context) error { return &gemini.Error{Kind: gemini.Blocked} })
		if err := r.deliver(t.Context()); err != nil {
			t.Errorf("%s: Deliver = %v, want a failed result", name, err)
		}
		r.want(Done, 1, true)
	}
}
