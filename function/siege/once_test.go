package siege

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/emulators/eventarc"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/jobs"
)

// Photos are uploaded while a batch of them begins, for two processes of Upload and two of
// Task: each is looked at once. If one process of each is killed in the middle, no photo is
// looked at more than once again. The leases are real.
func TestUploadsAndBatch(t *testing.T) {
	long(t) // not parallel: its clients are configured by the environment
	number, err := strconv.Atoi(cmp.Or(os.Getenv("WHATIS_ONCE"), "24"))
	if err != nil {
		t.Fatal(err)
	}
	for _, kill := range []bool{false, true} {
		t.Run(fmt.Sprintf("killed %v", kill), func(t *testing.T) {
			s, batches := layTasks(t, 2, eventarc.Route{Duplicates: 1})
			uploads := newFleet(t, 2, append(s.fleet.env, "FUNCTION_TARGET=Upload"))
			route := eventarc.Route{
				Topic: "uploads", Bucket: "uploads", Endpoint: eventarc.Endpoint(uploads.URL, s.Project, "uploads"),
				AckDeadline: 100 * time.Second, MinBackoff: 50 * time.Millisecond, MaxBackoff: time.Second,
			}
			if err := s.Events.Add(route); err != nil {
				t.Fatal(err)
			}
			shots := shoot(number, clear)
			s.scriptByPixels(shots)
			s.Gemini.SetFaults(emulated.Fault{Type: emulated.Latency, Delay: time.Second})
			s.uploadPlain(shots)
			status, err := batches.Create(t.Context(), batch.Request{Prefix: "gs://uploads/"})
			if err != nil || status.Number != number {
				t.Fatalf("Create = %+v, %v; want %d photos", status, err, number)
			}
			if kill {
				time.Sleep(time.Second)
				for _, f := range []*fleet{s.fleet, uploads} {
					f.signal(0, syscall.SIGKILL)
					f.restart(0)
				}
			}
			s.settle()
			if status, err = batches.Get(t.Context(), status.ID); err != nil || status.State != jobs.Done || status.Counts["image"] != number {
				t.Errorf("the batch is %+v, %v; want all %d photos", status, err, number)
			}
			for _, shot := range shots {
				if r, ok := s.result(shot.name()); !ok || r.ProductName != shot.product() {
					t.Errorf("%s: %+v, want %s", shot.name(), r, shot.product())
				}
			}
			most, again := 1, 0
			if kill {
				most = 2
			}
			looks := s.looks()
			for photo, n := range looks {
				again += n - 1
				if n > most {
					t.Errorf("the photo %.8s was looked at %d times, want %d at most", photo, n, most)
				}
			}
			t.Logf("%d photos by upload and batch: looked at once, and %d of them once more", len(looks), again)
		})
	}
}

// uploadPlain uploads shots without options, so that a batch asks the same of them.
func (s *siege) uploadPlain(shots []shot) {
	s.t.Helper()
	var group errgroup.Group
	group.SetLimit(8)
	for _, shot := range shots {
		group.Go(func() error {
			w := s.objects.Bucket("uploads").Object(shot.name()).NewWriter(s.t.Context())
			if _, err := w.Write(shot.data); err != nil {
				return err
			}
			return w.Close()
		})
	}
	if err := group.Wait(); err != nil {
		s.t.Fatal(err)
	}
}

// looks counts the answered calls of models that saw a photo, by the photo.
func (s *siege) looks() map[string]int {
	seen := map[string]int{}
	for _, c := range s.Gemini.Calls() {
		if c.Status == 200 && len(c.Inline) > 0 {
			seen[c.Inline[0].SHA256]++
		}
	}
	return seen
}
