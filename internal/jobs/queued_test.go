package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
