// Package jobstest tests every kind of job against every fault that its deliveries may meet.
package jobstest

import (
	"context"
	"errors"
	"testing"
	"time"

	cloud "cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// A Trial is one piece of work of some kind, with a step that is paid for.
type Trial struct {
	Firestore *firestore.Server
	Work      *jobs.Store
	Record    *cloud.DocumentRef                // of the work
	GiveUp    func(time.Duration)               // sets the age at which it is given up
	Deliver   func(context.Context) error       // delivers its event
	Behind    func(func(context.Context) error) // sets a function to call after the paid step
	Paid      func() int                        // how often the step was paid for
}

// A trial is a Trial in a test.
type trial struct {
	*testing.T
	Trial
}

// refused delivers the work, and checks that it must be delivered again.
func (r trial) refused(ctx context.Context, times int, want error) {
	r.Helper()
	for range times {
		if err := r.Deliver(ctx); err == nil || want != nil && !errors.Is(err, want) {
			r.Errorf("Deliver = %v, want %v", err, want)
		}
	}
}

// ends makes that many attempts end with err.
func ends(times int, err error) func(trial) {
	return func(r trial) {
		r.Helper()
		r.Behind(func(context.Context) error { return err })
		r.refused(r.Context(), times, err)
	}
}

// killed simulates the death of the instance that owns the work: its lease has to run out.
func killed(r trial) {
	r.Helper()
	ends(1, &gemini.Error{Kind: gemini.Unavailable})(r)
	record, err := r.Work.Get(r.Context(), r.Record.ID)
	if err != nil {
		r.Fatal(err)
	}
	dying, die := context.WithCancel(r.Context())
	if _, err := r.Work.Claim(dying, record.Item); err != nil {
		r.Fatal(err)
	}
	die()
	r.refused(r.Context(), 2, jobs.ErrBusy)
	if err := r.runOut(); err != nil {
		r.Fatal(err)
	}
}

// runOut waits until the lease of the work has run out.
func (r trial) runOut() error {
	_, err := r.Record.Update(r.Context(), []cloud.Update{{Path: "lease_ns", Value: 1}})
	return err
}

// deliveredTwice delivers the work while it is done.
func deliveredTwice(r trial) {
	r.Helper()
	entered, release := make(chan bool), make(chan bool)
	r.Behind(func(context.Context) error { entered <- true; <-release; return nil })
	first := make(chan error, 1)
	go func() { first <- r.Deliver(r.Context()) }()
	<-entered
	r.refused(r.Context(), 5, jobs.ErrBusy)
	close(release)
	if err := <-first; err != nil {
		r.Errorf("the first delivery = %v, want nil", err)
	}
}

// refusedWrite makes the database refuse the next write, which is the last of most kinds.
func refusedWrite(r trial) {
	r.Helper()
	r.Behind(func(context.Context) error {
		r.Firestore.Fail(firestore.Fault{Method: "Commit", Code: codes.PermissionDenied})
		return nil
	})
	r.refused(r.Context(), 1, nil)
}

// lostAnswers applies every write of a delivery, and loses its response.
func lostAnswers(r trial) {
	r.Helper()
	r.Firestore.Fail(firestore.Fault{Method: "Commit", Code: codes.Internal, Applied: true, Times: 1 << 10})
	if err := r.Deliver(r.Context()); err != nil {
		r.Errorf("Deliver = %v, want nil", err)
	}
	r.Firestore.ClearFaults()
}

// goesAway stops the instance in the middle of the work.
func goesAway(r trial) {
	r.Helper()
	for range 6 {
		ctx, stop := context.WithCancel(r.Context())
		r.Behind(func(ctx context.Context) error { stop(); return ctx.Err() })
		r.refused(ctx, 1, context.Canceled)
	}
}

// oldAfter calls before, and then makes the work too old.
func oldAfter(before func(trial)) func(trial) {
	return func(r trial) {
		r.Helper()
		before(r)
		r.GiveUp(time.Nanosecond)
	}
}

// Faults tests one kind of job; open returns new work of that kind. Whatever goes wrong,
// the step is paid for once, an attempt counts only if the work may be at fault, and the
// work ends: with the right result, or as a failure if it was tried too often or for too
// long, or its content is refused.
func Faults(t *testing.T, open func(*testing.T) Trial) {
	t.Helper()
	model := func(k gemini.Kind) error { return &gemini.Error{Kind: k} }
	tests := []test{
		{"killed", killed, jobs.Running, 1, false},
		{"delivered twice at once", deliveredTwice, jobs.Done, 1, false},
		{"write refused", refusedWrite, jobs.Open, 0, false},
		{"answers lost", lostAnswers, jobs.Done, 1, false},
		{"quota", ends(6, model(gemini.Quota)), jobs.Open, 0, false},
		{"budget", ends(6, model(gemini.Budget)), jobs.Open, 0, false},
		{"no memory", ends(6, &admission.Busy{}), jobs.Open, 0, false},
		{"outage", ends(6, model(gemini.Unavailable)), jobs.Open, 0, false},
		{"instance goes away", goesAway, jobs.Open, 0, false},
		{"time is up", ends(1, context.DeadlineExceeded), jobs.Open, 1, false},
		{"a bug", ends(3, errors.New("a bug")), jobs.Open, 3, false},
		{"a bug for ever", ends(4, errors.New("a bug")), jobs.Open, 4, true},
		{"age", oldAfter(ends(1, model(gemini.Unauthorized))), jobs.Open, 0, true},
		{"age of what only waited", oldAfter(ends(2, model(gemini.Quota))), jobs.Open, 0, false},
		{"content refused", contentRefused, jobs.Done, 1, true},
	}
	for _, test := range tests {
		t.Run(test.fault, func(t *testing.T) {
			t.Parallel()
			test.run(trial{t, open(t)})
		})
	}
}

// A test is one fault, and what becomes of the work.
type test struct {
	fault    string
	trouble  func(trial)
	state    jobs.State // after the fault
	attempts int
	fails    bool // at the delivery after that
}

func (test test) run(r trial) {
	r.Helper()
	test.trouble(r)
	attempts, done := test.attempts, test.state == jobs.Done
	r.want(test.state, attempts, done && test.fails)
	r.Behind(func(context.Context) error { return nil })
	r.Firestore.ClearFaults()
	if !done {
		attempts++
	}
	for range 2 { // the second finds it done
		if err := r.Deliver(r.Context()); err != nil {
			r.Fatalf("Deliver behind the trouble = %v, want nil", err)
		}
		r.want(jobs.Done, attempts, test.fails)
	}
	if n := r.Paid(); n != 1 {
		r.Errorf("paid %d times, want once", n)
	}
}

// contentRefused makes a model refuse the content of the work, which fails at once.
func contentRefused(r trial) {
	r.Helper()
	r.Behind(func(context.Context) error { return &gemini.Error{Kind: gemini.Blocked} })
	if err := r.Deliver(r.Context()); err != nil {
		r.Errorf("Deliver = %v, want a failed result", err)
	}
}

// want checks the record of the work.
func (r trial) want(state jobs.State, attempts int, fails bool) {
	r.Helper()
	got, err := r.Work.Get(r.Context(), r.Record.ID)
	if err != nil || got.State != state || got.Attempts != attempts || got.Error != "" != fails {
		r.Errorf("the record is %s after %d attempts, error %q (%v); want %s after %d, failed %v", got.State, got.Attempts, got.Error, err, state, attempts, fails)
	}
}
