package jobs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/jobs"
)

func (b bench) commits() int { return b.emulator.Calls()["Commit"] }

// A lease that is not renewed lasts as long as Firestore says, and no longer: a claim
// after BusyError.RetryAfter succeeds.
func TestLeaseRunsOut(t *testing.T) {
	t.Parallel()
	const lease = 6 * time.Second // so that two rivals come in time on a busy machine too
	b := open(t, jobs.Options{Lease: lease})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := b.store.Claim(ctx, item)
	b.ok("Claim", err)
	cancel()
	first := b.snapshot().UpdateTime
	rival, err := jobs.NewStore(b.db, jobs.Options{}).For(schema)
	b.ok("For", err)
	var busy *jobs.BusyError
	if _, err = rival.Claim(t.Context(), item); !errors.As(err, &busy) {
		t.Fatalf("a rival's Claim = %v, want busy", err)
	}
	wait := busy.RetryAfter
	if _, err = rival.Claim(t.Context(), item); !errors.As(err, &busy) || busy.RetryAfter >= wait {
		t.Errorf("the rival's next Claim = %v, want busy for less than %v", err, wait)
	}
	time.Sleep(busy.RetryAfter + 5*time.Millisecond)
	b.claim(rival)
	if after := b.snapshot().UpdateTime.Sub(first); after <= lease {
		t.Errorf("the rival has it after %v, want more than %v", after, lease)
	}
}

func TestRenewal(t *testing.T) {
	t.Parallel()
	const lease = 5 * time.Second
	b := open(t, jobs.Options{Lease: lease, Renew: 100 * time.Millisecond})
	begun := time.Now()
	c := b.claim(b.store)
	b.await("two leases", func() bool { return time.Since(begun) > 2*lease })
	if _, err := b.store.Claim(t.Context(), item); !errors.Is(err, jobs.ErrBusy) {
		t.Errorf("a rival's Claim after two leases = %v, want %v", err, jobs.ErrBusy)
	}
	b.ok("the worker's context", c.Context().Err())
	b.ok("Finish", c.Finish(t.Context(), success("image")))
}

// A checkpoint renews the lease, so that no renewal is due soon after.
func TestCheckpointRenews(t *testing.T) {
	t.Parallel()
	const renew = 200 * time.Millisecond
	b := open(t, jobs.Options{Lease: 10 * time.Second, Renew: renew})
	c := b.claim(b.store)
	begun := time.Now()
	keeps, gaps := 0, 0 // gaps are pauses between two that a renewal may fall into
	for last := begun; last.Sub(begun) < 5*renew; keeps++ {
		begin := time.Now()
		b.ok("Checkpoint", c.Checkpoint(t.Context(), "k", json.RawMessage(`1`)))
		if time.Since(last) > renew {
			gaps++
		}
		last = begin
	}
	if extra := b.commits() - 1 - keeps; extra > gaps {
		t.Errorf("%d renewals beside %d checkpoints, want %d at most", extra, keeps, gaps)
	}
	b.ok("the worker's context", c.Context().Err())
}

func TestLostLeaseEndsTheContext(t *testing.T) {
	for name, lose := range map[string]func(bench){
		"another owner": func(b bench) { b.edit("owner", "other") },
		"deleted": func(b bench) {
			_, err := b.db.Doc("work/a").Delete(b.Context())
			b.ok("Delete", err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, jobs.Options{Lease: time.Minute, Renew: 20 * time.Millisecond})
			c := b.claim(b.store)
			lose(b)
			b.await("end of the context", func() bool { return c.Context().Err() != nil })
			b.is("its cause", context.Cause(c.Context()), jobs.ErrLost)
		})
	}
}

func TestBurst(t *testing.T) {
	for _, f := range []firestore.Fault{
		{Code: codes.Unavailable, Times: 4},
		{Method: "Commit", Code: codes.Unavailable, Times: 2, Applied: true},
		{Method: "Commit", Code: codes.Internal, Times: 2, Applied: true},
		{Code: codes.Internal, Times: 4},
		{Method: "Commit", Code: codes.DeadlineExceeded, Times: 3},
		{Method: "Commit", Code: codes.PermissionDenied, Times: 1},
	} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			t.Parallel()
			o := jobs.Options{Lease: 20 * time.Second, Renew: 40 * time.Millisecond}
			b := open(t, o)
			c := b.claim(b.store)
			b.emulator.Fail(f)
			b.await("renewals after the burst", func() bool { return b.commits() > f.Times+5 })
			b.ok("the worker's context", c.Context().Err())
			b.ok("Checkpoint", c.Checkpoint(t.Context(), "k", json.RawMessage(`1`)))
			b.ok("Finish", c.Finish(t.Context(), success("image")))
		})
	}
}

// A lease that cannot be renewed ends for its owner before it ends for others, even if
// the response to the last write was late.
func TestOutage(t *testing.T) {
	late := func(b bench) {
		b.lost(codes.Unavailable)
		b.emulator.Fail(firestore.Fault{Method: "BatchGetDocuments", Times: 3})
	}
	for name, row := range map[string]struct {
		claim, keep func(bench) // before the call
	}{
		"after a claim":                 {claim: func(bench) {}},
		"after a claim's answer":        {claim: late},
		"after a Checkpoint's answer":   {claim: func(bench) {}, keep: late},
		"after a Checkpoint that waits": {claim: func(bench) {}, keep: func(b bench) { b.refused(codes.Unavailable, 1) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const lease = 10 * time.Second
			b := open(t, jobs.Options{Lease: lease})
			row.claim(b)
			c := b.claim(b.store)
			if row.keep != nil {
				row.keep(b)
				b.ok("Checkpoint", c.Checkpoint(t.Context(), "k", json.RawMessage(`1`)))
			}
			last := b.snapshot()
			b.emulator.Fail(firestore.Fault{Times: 1 << 20})
			kept := make(chan error, 1)
			go func() { kept <- c.Checkpoint(t.Context(), "k", json.RawMessage(`2`)) }()
			<-c.Context().Done()
			ended := time.Now()
			b.emulator.ClearFaults()
			if age := ended.Sub(last.UpdateTime); age < lease*7/10 || age > lease {
				t.Errorf("the context ended %v after the last write, want just under %v", age, lease)
			}
			b.is("the context's cause", context.Cause(c.Context()), jobs.ErrLost)
			b.is("Checkpoint during the outage", <-kept, jobs.ErrLost)
			if _, err := b.store.Claim(t.Context(), item); !errors.Is(err, jobs.ErrBusy) {
				t.Errorf("a rival's Claim at that moment = %v, want %v", err, jobs.ErrBusy)
			}
			b.is("Checkpoint after it", c.Checkpoint(t.Context(), "k", json.RawMessage(`3`)), jobs.ErrLost)
			b.ok("Finish while nobody has taken over", c.Finish(t.Context(), success("image")))
		})
	}
}

// A late owner changes nothing, whatever happened in between.
func TestLateOwner(t *testing.T) {
	late := map[string]func(context.Context, *jobs.Claim) error{
		"Checkpoint": func(ctx context.Context, c *jobs.Claim) error { return c.Checkpoint(ctx, "k", json.RawMessage(`1`)) },
		"Finish":     func(ctx context.Context, c *jobs.Claim) error { return c.Finish(ctx, success("image")) },
		"Release":    func(ctx context.Context, c *jobs.Claim) error { return c.Release(ctx, jobs.Waiting) },
	}
	between := map[string]func(bench){
		"taken over":          func(b bench) { b.claim(b.store) },
		"taken over and done": func(b bench) { b.ok("Finish", b.claim(b.store).Finish(b.Context(), success("local_db"))) },
		"reopened":            func(b bench) { b.ok("Reopen", b.store.Reopen(b.Context(), "a")) },
		"recorded":            func(b bench) { b.ok("Record", b.store.Record(b.Context(), item, success("local_db"), time.Now())) },
	}
	for call, do := range late {
		for came, meanwhile := range between {
			t.Run(call+" after "+came, func(t *testing.T) {
				t.Parallel()
				b := open(t, jobs.Options{})
				c := b.claim(b.store)
				b.edit("lease_ns", 1)
				meanwhile(b)
				before := b.snapshot()
				b.is(call, do(t.Context(), c), jobs.ErrLost)
				b.is("the cause of the context's end", context.Cause(c.Context()), jobs.ErrLost)
				if after := b.snapshot(); !after.UpdateTime.Equal(before.UpdateTime) {
					t.Errorf("after the late %s the record is %v, want %v", call, after.Data(), before.Data())
				}
			})
		}
	}
}

// A write whose response is lost is made once and recognised as the claim's own.
func TestLostAnswers(t *testing.T) {
	writes := map[string]func(context.Context, *jobs.Claim) error{
		"Checkpoint": func(ctx context.Context, c *jobs.Claim) error { return c.Checkpoint(ctx, "k", json.RawMessage(`1`)) },
		"Finish":     func(ctx context.Context, c *jobs.Claim) error { return c.Finish(ctx, success("image")) },
		"Release":    func(ctx context.Context, c *jobs.Claim) error { return c.Release(ctx, jobs.Counted) },
	}
	for call, do := range writes {
		for _, code := range []codes.Code{codes.Unavailable, codes.Internal} {
			t.Run(fmt.Sprintf("%s %v", call, code), func(t *testing.T) {
				t.Parallel()
				b := open(t, jobs.Options{})
				c := b.claim(b.store)
				b.emulator.ResetCalls()
				b.lost(code)
				b.ok(call, do(t.Context(), c))
				sent := 1
				if code == codes.Unavailable {
					sent = 2 // by the client
				}
				if got := b.commits(); got != sent {
					t.Errorf("%s was sent %d times, want %d", call, got, sent)
				}
				if beat := b.snapshot().Data()["beat"]; beat != int64(2) {
					t.Errorf("after %s the beat is %v, want 2", call, beat)
				}
				b.ok("Release", c.Release(t.Context(), jobs.Counted))
			})
		}
	}
}

// giveUp makes a write that is applied, but whose response is lost.
func (b bench) giveUp(do func(context.Context) error) {
	b.Helper()
	b.emulator.ResetCalls()
	b.emulator.Fail(firestore.Fault{Method: "Commit", Code: codes.Internal, Applied: true})
	b.emulator.Fail(firestore.Fault{Method: "BatchGetDocuments", Times: 1 << 20})
	ctx, cancel := context.WithCancel(b.Context())
	failed := make(chan error, 1)
	go func() { failed <- do(ctx) }()
	b.await("the read after the write", func() bool { return b.emulator.Calls()["BatchGetDocuments"] > 0 })
	cancel()
	if err := <-failed; err == nil || errors.Is(err, jobs.ErrLost) {
		b.Fatalf("a write given up = %v, want an error of the call", err)
	}
	b.emulator.ClearFaults()
}

func TestWriteGivenUp(t *testing.T) {
	t.Run("Checkpoint, then all goes on", func(t *testing.T) {
		t.Parallel()
		b := open(t, jobs.Options{})
		c := b.claim(b.store)
		b.giveUp(func(ctx context.Context) error { return c.Checkpoint(ctx, "k", json.RawMessage(`1`)) })
		b.ok("Checkpoint", c.Checkpoint(t.Context(), "l", json.RawMessage(`2`)))
		b.ok("Release", c.Release(t.Context(), jobs.Waiting))
		if got, want := outcome(b.store.Claim(t.Context(), item)), `attempt 1 {"k":1,"l":2}`; got != want {
			t.Errorf("Claim = %s, want %s", got, want)
		}
	})
	for name, then := range map[string]func(context.Context, *jobs.Claim) error{
		"Finish again": func(ctx context.Context, c *jobs.Claim) error { return c.Finish(ctx, success("image")) },
		"Release":      func(ctx context.Context, c *jobs.Claim) error { return c.Release(ctx, jobs.Waiting) },
	} {
		t.Run("Finish, then "+name, func(t *testing.T) {
			t.Parallel()
			b := open(t, jobs.Options{})
			c := b.claim(b.store)
			b.giveUp(func(ctx context.Context) error { return c.Finish(ctx, success("image")) })
			b.is("Checkpoint", c.Checkpoint(t.Context(), "k", json.RawMessage(`1`)), jobs.ErrLost)
			b.ok(name, then(t.Context(), c))
			if got, want := outcome(b.store.Claim(t.Context(), item)), `done {"source":"image"} image`; got != want {
				t.Errorf("Claim = %s, want %s", got, want)
			}
		})
	}
}

func TestEndOfClaim(t *testing.T) {
	b := open(t, jobs.Options{Lease: time.Minute, Renew: 10 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	c, err := b.store.Claim(ctx, item)
	b.ok("Claim", err)
	cancel()
	b.is("the worker's context", context.Cause(c.Context()), context.Canceled)
	b.ok("Checkpoint after the worker's end", c.Checkpoint(t.Context(), "k", json.RawMessage(`1`)))
	b.ok("Release", c.Release(t.Context(), jobs.Waiting))
	b.ok("Release again", c.Release(t.Context(), jobs.Waiting))
	b.is("Checkpoint after Release", c.Checkpoint(t.Context(), "k", json.RawMessage(`2`)), jobs.ErrLost)
	b.is("Finish after Release", c.Finish(t.Context(), success("image")), jobs.ErrLost)

	c = b.claim(b.store)
	b.ok("Finish", c.Finish(t.Context(), success("image")))
	b.is("the context after Finish", context.Cause(c.Context()), context.Canceled)
	b.is("Checkpoint after Finish", c.Checkpoint(t.Context(), "k", json.RawMessage(`2`)), jobs.ErrLost)
	b.is("Finish after Finish", c.Finish(t.Context(), failure), jobs.ErrLost)
	b.ok("Release after Finish", c.Release(t.Context(), jobs.Waiting))
	if got, want := outcome(b.store.Claim(t.Context(), item)), `done {"source":"image"} image`; got != want {
		t.Errorf("Claim = %s, want %s", got, want)
	}
}

// The steps of a run may be parallel.
func TestCheckpointsAtOnce(t *testing.T) {
	b := open(t, jobs.Options{Lease: 10 * time.Second, Renew: 5 * time.Millisecond})
	c := b.claim(b.store)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			if err := c.Checkpoint(t.Context(), fmt.Sprint("step.", i), json.RawMessage(fmt.Sprint(i))); err != nil {
				t.Errorf("Checkpoint(step.%d) = %v", i, err)
			}
		})
	}
	group.Wait()
	b.ok("Release", c.Release(t.Context(), jobs.Counted))
	c = b.claim(b.store)
	if len(c.Checkpoints) != 20 || string(c.Checkpoints["step.19"]) != "19" {
		t.Errorf("Checkpoints = %v, want 20 checkpoints", c.Checkpoints)
	}
}
