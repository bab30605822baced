package jobs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/jobs"
)

// lost is a Commit that is applied and whose response is lost. The client
// retries Unavailable by itself, but not Internal.
func (b bench) lost(code codes.Code) {
	b.emulator.Fail(firestore.Fault{Method: "Commit", Code: code, Applied: true})
}

func (b bench) refused(code codes.Code, times int) {
	b.emulator.Fail(firestore.Fault{Method: "Commit", Code: code, Times: times})
}

// outcome names the outcome of Claim in a word.
func outcome(c *jobs.Claim, err error) string {
	var done *jobs.DoneError
	var busy *jobs.BusyError
	switch {
	case err == nil:
		kept, _ := json.Marshal(c.Checkpoints)
		return fmt.Sprintf("attempt %d %s", c.Attempt, kept)
	case errors.As(err, &done):
		return fmt.Sprintf("done %s %s%s", done.Record.Result, done.Record.Outcome.Index.Text("source"), done.Record.Error)
	case errors.As(err, &busy) && errors.Is(err, jobs.ErrBusy):
		return fmt.Sprintf("busy %v", busy.RetryAfter > 15*time.Second && busy.RetryAfter <= 30*time.Second)
	}
	return "error"
}

func TestClaim(t *testing.T) {
	end := func(o jobs.Outcome) func(bench) {
		return func(b bench) { b.ok("Finish", b.claim(b.store).Finish(b.Context(), o)) }
	}
	release := func(why jobs.Reason) func(bench) {
		return func(b bench) {
			c := b.claim(b.store)
			b.ok("Checkpoint", c.Checkpoint(b.Context(), "first", json.RawMessage(`1`)))
			b.ok("Release", c.Release(b.Context(), why))
		}
	}
	reopen := func(b bench) { b.ok("Reopen", b.store.Reopen(b.Context(), "a")) }
	tests := []struct {
		name   string
		before []func(bench)
		want   string
	}{
		{"new", nil, "attempt 1 {}"},
		{"live", []func(bench){func(b bench) { b.claim(b.store) }}, "busy true"},
		{"expired", []func(bench){bench.abandon}, `attempt 2 {"first":{"n":1}}`},
		{"expired twice", []func(bench){bench.abandon, bench.abandon}, `attempt 3 {"first":{"n":1}}`},
		{"released", []func(bench){release(jobs.Counted)}, `attempt 2 {"first":1}`},
		{"released after waiting", []func(bench){release(jobs.Waiting)}, `attempt 1 {"first":1}`},
		{"released in an outage", []func(bench){release(jobs.Outage)}, `attempt 1 {"first":1}`},
		{"refunded after one that counts", []func(bench){release(jobs.Counted), release(jobs.Outage)}, `attempt 2 {"first":1}`},
		{"done", []func(bench){end(success("image"))}, `done {"source":"image"} image`},
		{"failed", []func(bench){end(failure)}, "done {} analysis_failed"},
		{"failed and reopened", []func(bench){end(failure), reopen}, "attempt 1 {}"},
		{"done and reopened", []func(bench){end(success("image")), reopen}, `done {"source":"image"} image`},
		{"expired and reopened", []func(bench){bench.abandon, reopen}, `attempt 1 {"first":{"n":1}}`},
		{"create lost and sent again", []func(bench){func(b bench) { b.lost(codes.Unavailable) }}, "attempt 1 {}"},
		{"create lost", []func(bench){func(b bench) { b.lost(codes.Internal) }}, "attempt 1 {}"},
		{"create unavailable", []func(bench){func(b bench) { b.refused(codes.Unavailable, 2) }}, "attempt 1 {}"},
		{"create fails twice", []func(bench){func(b bench) { b.refused(codes.Internal, 2) }}, "attempt 1 {}"},
		{"takeover lost and sent again", []func(bench){release(jobs.Counted), func(b bench) {
			b.refused(codes.AlreadyExists, 1)
			b.lost(codes.Unavailable)
		}}, `attempt 2 {"first":1}`},
		{"takeover lost", []func(bench){release(jobs.Counted), func(b bench) {
			b.refused(codes.AlreadyExists, 1)
			b.lost(codes.Internal)
		}}, `attempt 2 {"first":1}`},
		{"takeover fails twice", []func(bench){release(jobs.Counted), func(b bench) {
			b.refused(codes.AlreadyExists, 1)
			b.refused(codes.Internal, 2)
		}}, `attempt 2 {"first":1}`},
		{"reads fail", []func(bench){release(jobs.Counted), func(b bench) {
			b.emulator.Fail(firestore.Fault{Method: "BatchGetDocuments", Times: 2})
		}}, `attempt 2 {"first":1}`},
		{"forbidden", []func(bench){func(b bench) { b.refused(codes.PermissionDenied, 1) }}, "error"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, jobs.Options{})
			for _, do := range test.before {
				do(b)
			}
			c, err := b.store.Claim(t.Context(), item)
			if got := outcome(c, err); got != test.want {
				t.Fatalf("Claim = %s (%v), want %s", got, err, test.want)
			}
			if c != nil {
				b.ok("Finish", c.Finish(t.Context(), success("image")))
			}
		})
	}
}

// Of concurrent claims of the same work, one succeeds.
func TestClaimRace(t *testing.T) {
	for name, before := range map[string]func(bench){
		"new":     func(bench) {},
		"expired": bench.abandon,
		"open":    func(b bench) { b.ok("Release", b.claim(b.store).Release(b.Context(), jobs.Counted)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, jobs.Options{})
			before(b)
			got := map[string]int{}
			var mu sync.Mutex
			var group sync.WaitGroup
			for range 20 {
				group.Go(func() {
					c, err := b.store.Claim(t.Context(), item)
					mu.Lock()
					defer mu.Unlock()
					if c != nil {
						c.Checkpoints = nil
					}
					got[outcome(c, err)]++
				})
			}
			group.Wait()
			attempt := 2
			if name == "new" {
				attempt = 1
			}
			won := fmt.Sprintf("attempt %d null", attempt)
			if got[won] != 1 || got["busy true"] != 19 {
				t.Errorf("20 claims = %v, want one %q and 19 busy", got, won)
			}
			r, err := b.store.Get(t.Context(), "a")
			if err != nil || r.Attempts != attempt || r.State != jobs.Running {
				t.Errorf("Get = %+v, %v; want running and %d attempts", r, err, attempt)
			}
		})
	}
}

// A claim of done work, Get and List return what Claim and Finish were given.
func TestRecordOfWork(t *testing.T) {
	b := open(t, jobs.Options{Retain: time.Hour})
	o := jobs.Outcome{Result: json.RawMessage("{\"a\": \"물 \xff\"}"), Error: "e", Index: jobs.Index{"source": "google_search", "doubt": true, "terms": []string(nil), "queue": int64(0)}}
	c := b.claim(b.store)
	b.ok("Checkpoint", c.Checkpoint(t.Context(), "k", json.RawMessage(`1`)))
	b.ok("Finish", c.Finish(t.Context(), o))
	r, err := b.store.Get(t.Context(), "a")
	b.ok("Get", err)
	if !reflect.DeepEqual(r.Item, item) || r.State != jobs.Done || r.Attempts != 1 || string(r.Result) != "{\"a\": \"물 \uFFFD\"}" ||
		r.Error != o.Error || !reflect.DeepEqual(r.Outcome.Index, o.Index) {
		t.Errorf("Get = %+v, want %+v and %+v", r, item, o)
	}
	if age := r.Read.Sub(r.Finished); r.Created.IsZero() || r.Finished.Before(r.Created) || age < 0 || age > time.Minute {
		t.Errorf("created %v, finished %v, read %v: want them in this order", r.Created, r.Finished, r.Read)
	}
	snap := b.snapshot()
	expires, _ := snap.Data()["expires_at"].(time.Time)
	if in := expires.Sub(snap.CreateTime); in < time.Hour || in > time.Hour+time.Minute {
		t.Errorf("expires_at is %v after creation, want an hour", in)
	}
	if kept, ok := snap.Data()["kept"]; ok {
		t.Errorf("kept = %v, want none", kept)
	}
}
