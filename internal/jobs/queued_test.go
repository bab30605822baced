package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/firestore"
)

// Checkpoints that come while another is written are stored by one write, without one that is too
// large and one whose caller has left. If that write is refused, it alone has failed.
func TestCheckpointsShareAWrite(t *testing.T) {
	t.Parallel()
	for refused, want := range []struct{ commits, stored int }{{1, 5}, {2, 4}} {
		w := emulate.Start(t, emulate.Firestore)
		s := NewStore(w.FirestoreClient(t), Options{})
		c, err := s.Claim(t.Context(), Item{ID: "a", Kind: "upload"})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.lockWrites(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.Firestore.ResetCalls()
		for range refused {
			w.Firestore.Fail(firestore.Fault{Method: "Commit", Code: codes.PermissionDenied})
		}
		leaving, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		errs := make([]error, 7)
		keep := func(ctx context.Context, i int, value string) {
			all.Go(func() { errs[i] = c.Checkpoint(ctx, fmt.Sprint("step.", i), json.RawMessage(value)) })
		}
		for i := range 5 {
			keep(t.Context(), i, fmt.Sprint(i))
		}
		keep(t.Context(), 5, `"`+strings.Repeat("x", 1<<20)+`"`)
		keep(leaving, 6, "6")
		until := func(n int) {
			for len(c.queue.waiting()) != n {
				time.Sleep(time.Millisecond)
			}
		}
		until(7)
		leave()
		until(6)
		c.unlockWrites()
		all.Wait()
		if n := w.Firestore.Calls()["Commit"]; n != want.commits || !errors.Is(errs[5], ErrTooLarge) || !errors.Is(errs[6], context.Canceled) {
			t.Errorf("refused %d times: %d writes, want %d; the errors are %v", refused, n, want.commits, errs)
		}
		at, err := s.readOnce(t.Context(), "a")
		for i, failed := range errs[:5] {
			if kept := at.Checkpoints[fmt.Sprint("step.", i)] != ""; err != nil || kept != (failed == nil) {
				t.Errorf("refused %d times: checkpoint %d is stored %v (%v), and Checkpoint said %v", refused, i, kept, err, failed)
			}
		}
		if len(at.Checkpoints) != want.stored {
			t.Errorf("refused %d times: %d checkpoints are stored, want %d", refused, len(at.Checkpoints), want.stored)
		}
	}
}

// What Once has paid is stored before it pays for something else, at once while something else
// is being paid, by a release, and at the latest after a second. Nothing but the outcome is
// written if the work ends before.
func TestLastCheckpointIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	pay := func(ctx context.Context, key string) {
		t.Helper()
		if got, err := Once(ctx, key, func(context.Context) (string, error) { return key, nil }); got != key || err != nil {
			t.Fatalf("Once(%s) = %q, %v", key, got, err)
		}
	}
	none := func(context.Context, *Claim) {}
	tests := map[string]struct {
		work   func(context.Context)
		end    func(context.Context, *Claim)
		stored string // the keys in the record, behind the end
		writes int
	}{
		"one, and the outcome": {
			func(ctx context.Context) { pay(ctx, "a") },
			func(ctx context.Context, c *Claim) { _ = c.Finish(ctx, Outcome{Result: json.RawMessage(`1`)}) }, "[]", 1,
		},
		"one, and its part ends": {
			func(ctx context.Context) { pay(ctx, "a") },
			func(ctx context.Context, c *Claim) { _ = c.Next(ctx, Outcome{More: true}) }, "[]", 1,
		},
		"one, and a release": {
			func(ctx context.Context) { pay(ctx, "a") },
			func(ctx context.Context, c *Claim) { _ = c.Release(ctx, Outage) }, "[a]", 1,
		},
		"one after the other": {func(ctx context.Context) { pay(ctx, "a"); pay(ctx, "b") }, none, "[a]", 1},
		"one while another is paid": {
			func(ctx context.Context) {
				_, _ = Once(ctx, "a", func(ctx context.Context) (int, error) { pay(ctx, "b"); return 1, nil })
			}, none, "[b]", 1,
		},
		"one, and a second passes": {
			func(ctx context.Context) { pay(ctx, "a") },
			func(_ context.Context, c *Claim) {
				for until := time.Now().Add(time.Minute); len(c.queue.waiting()) > 0 && time.Now().Before(until); {
					time.Sleep(10 * time.Millisecond)
				}
			}, "[a]", 1,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s *Store
			var writes int
			for took := unwaitedFor; took >= unwaitedFor; { // again if the machine was so busy that the second has passed
				w := emulate.Start(t, emulate.Firestore)
				s = NewStore(w.FirestoreClient(t), Options{})
				c, err := s.Claim(t.Context(), Item{ID: "a", Kind: "upload", Part: 1})
				if err != nil {
					t.Fatal(err)
				}
				c.Tags = []string{"photo"}
				w.Firestore.ResetCalls()
				begin := time.Now()
				test.work(WithCheckpoints(c.Context(), c.checkpoints()))
				test.end(t.Context(), c)
				writes, took = w.Firestore.Calls()["Commit"], time.Since(begin)
				if name == "one, and a second passes" {
					break
				}
			}
			at, err := s.readOnce(t.Context(), "a")
			if stored := fmt.Sprint(slices.Sorted(maps.Keys(at.Checkpoints))); err != nil || stored != test.stored || writes != test.writes {
				t.Errorf("%d writes stored %s (%v), want %d and %s", writes, stored, err, test.writes, test.stored)
			}
			if kept := len(at.Checkpoints) > 0; kept != (len(at.Tags) > 0) {
				t.Errorf("the record with %d checkpoints has the tags %q: what is kept is found by them, to be forgotten", len(at.Checkpoints), at.Tags)
			}
		})
	}
}

// What nobody waits for is stored, and not paid again, if the database is away while the work ends,
// for as long as the lease lasts.
func TestLastCheckpointOutlastsAnOutage(t *testing.T) {
	t.Parallel()
	w := emulate.Start(t, emulate.Firestore)
	s := NewStore(w.FirestoreClient(t), Options{})
	c, err := s.Claim(t.Context(), Item{ID: "a", Kind: "upload"})
	if err != nil {
		t.Fatal(err)
	}
	ctx := WithCheckpoints(c.Context(), c.checkpoints())
	if _, err := Once(ctx, "a", func(context.Context) (int, error) { return 7, nil }); err != nil {
		t.Fatal(err)
	}
	if got := c.ending(); got != 30*time.Second {
		t.Errorf("the end may take %v, want the lease", got)
	}
	w.Firestore.Fail(firestore.Fault{Method: "Commit", Code: codes.PermissionDenied})
	err = finishOrRelease(t.Context(), c, Outcome{Result: json.RawMessage(`7`)}, nil)
	at, bad := s.readOnce(t.Context(), "a")
	if err == nil || bad != nil || at.State != Open || at.Checkpoints["a"] == "" {
		t.Errorf("the end = %v, the record is %+v (%v); want an error, and the work open with what was paid", err, at.document, bad)
	}
}

// Work that a delivery shares with somebody who waits for it goes on when the delivery has ended,
// and keeps nothing more.
func TestSharedWorkOutlivesItsDelivery(t *testing.T) {
	t.Parallel()
	w := emulate.Start(t, emulate.Firestore)
	s := NewStore(w.FirestoreClient(t), Options{})
	c, err := s.Claim(t.Context(), Item{ID: "a", Kind: "upload"})
	if err != nil {
		t.Fatal(err)
	}
	ctx := WithCheckpoints(context.WithoutCancel(c.Context()), c.checkpoints())
	for _, key := range []string{"before", "at the end", "after"} {
		got, err := Once(ctx, key, func(context.Context) (int, error) {
			if key == "at the end" {
				return 7, c.Release(t.Context(), Waiting)
			}
			return 7, nil
		})
		if got != 7 || err != nil {
			t.Errorf("%s: Once = %d, %v; want 7", key, got, err)
		}
	}
	if at, err := s.readOnce(t.Context(), "a"); err != nil || at.State != Open || len(at.Checkpoints) != 1 {
		t.Errorf("the record is %+v, %v; want it open, with what was paid before its end", at.document, err)
	}
}
