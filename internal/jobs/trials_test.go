package jobs

import (
	"context"
	"testing"
	"time"

	cloud "cloud.google.com/go/firestore"

	"example.com/whatis/emulators/firestore"
)

// A Trial has what jobstest.Trial has, which this package cannot import.
type Trial struct {
	Firestore *firestore.Server
	Work      *Store
	Record    *cloud.DocumentRef
	GiveUp    func(time.Duration)
	Deliver   func(context.Context) error
	Behind    func(func(context.Context) error)
	Paid      func() int
}

// OpenDelivery returns work of one delivery.
func OpenDelivery(t *testing.T) Trial {
	s := openJob(t)
	return Trial{
		Firestore: s.world.Firestore, Work: s.Work, Record: s.Work.doc("a"), Paid: func() int { return int(s.asked.Load()) },
		GiveUp:  func(age time.Duration) { s.GiveUpAfter = age },
		Deliver: func(ctx context.Context) error { _, err := s.Deliver(ctx, s.job("a", "Seoul")); return err },
		Behind:  func(do func(context.Context) error) { s.behind.Store(&do) },
	}
}

// OpenSlice returns a slice of a long run.
func OpenSlice(t *testing.T) Trial {
	d := openCounter(t)
	run := d.start(1)
	m := d.take()
	return Trial{
		Firestore: d.world.Firestore, Work: d.records(), Record: d.records().doc(run.ID), Paid: func() int { return int(d.paid.Load()) },
		GiveUp:  func(age time.Duration) { d.executor.(*Executor[sliceResult, any]).GiveUpAfter = age },
		Deliver: func(ctx context.Context) error { return d.dispatcher.Dispatch(ctx, *m) },
		Behind: func(do func(context.Context) error) {
			d.broken = func(ctx context.Context, _ int) error { return do(ctx) }
		},
	}
}
