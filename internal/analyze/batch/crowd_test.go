package batch_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
)

// A hundred uploads and a batch of the same photos at once are read a hundred times, not two
// hundred. Ten deliveries die in between: each is paid again once at most.
func TestUploadsAndBatchAtOnce(t *testing.T) {
	t.Parallel()
	const photos, dying = 100, 10
	d := newHarness(t)
	d.manual()
	d.photos(photos)
	d.Gemini.ResetScript()
	for range photos + dying {
		d.Gemini.Script(emulated.Answer{Kind: answers.KindImage, JSON: readable(), Match: func(*emulated.Request) bool {
			time.Sleep(20 * time.Millisecond)
			return true
		}})
	}
	id, tasks := d.handedOut(photos)
	var all sync.WaitGroup
	redelivered := func(do func(ctx context.Context) error, dies bool) {
		all.Go(func() {
			ctx, cancel := t.Context(), context.CancelFunc(func() {})
			if dies {
				ctx, cancel = context.WithTimeout(ctx, 30*time.Millisecond)
			}
			for do(ctx) != nil {
				cancel()
				ctx = t.Context()
				time.Sleep(50 * time.Millisecond)
			}
			cancel()
		})
	}
	for i, m := range tasks {
		o := intake.Object{ObjectRef: d.generation(fmt.Sprintf("p%03d.jpg", i))}
		redelivered(func(ctx context.Context) error { return d.Task(ctx, m) }, i < dying)
		redelivered(func(ctx context.Context) error {
			upload := intake.Delivery{Object: o}
			_, err := d.Intake.Run.Deliver(ctx, d.Intake.Job(ctx, upload))
			return err
		}, false)
	}
	all.Wait()
	d.wantState(id, jobs.Done, map[string]int{batch.FromImage: photos})
	n := d.imageCalls()
	t.Logf("%d readings", n)
	if n < photos || n > photos+dying {
		t.Errorf("%d readings, want %d, and %d more at most", n, photos, dying)
	}
}

// generation returns the object of that name as it is now.
func (d *harness) generation(name string) blob.ObjectRef {
	d.t.Helper()
	attrs, err := d.objects.Bucket("uploads").Object(name).Attrs(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	return blob.ObjectRef{Bucket: "uploads", Name: name, Generation: attrs.Generation}
}
