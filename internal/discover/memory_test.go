package discover_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"strconv"
	"testing"

	"cloud.google.com/go/firestore"
	gcppubsub "cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/storage"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs/queue"
)

// On a web ten times as large a run stays within its limits, and the process that does
// its tasks below 200 MB.
func TestGrownTenTimes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	l := newLab(t, site.Options{Scale: 10}, nil)
	w := l.startWorker()
	s, err := l.Start(t.Context(), discover.Request{Country: "Argentina", Sector: "transportation"})
	if err != nil {
		t.Fatal(err)
	}
	r := l.finish(s.ID, w.do)
	if s := l.measure(l.web.Places()[0], []string{"transportation"}, r); s.Recall() < 0.9 || s.Precision() < 0.9 {
		t.Errorf("precision %.2f, recall %.2f, want 0.9 at least", s.Precision(), s.Recall())
	}
	t.Logf("%d pages, %d requests, %d searches, %d calls, at most %d MB", len(r.Sources), len(l.web.Requests()), r.Searches, r.Calls, w.peak>>10)
	if len(r.Sources) > 250 || r.Calls > 150 || r.Searches > 40 || r.CostUSD > 2 {
		t.Errorf("%d pages, %d calls, %d searches, %.2f USD: more than the limits", len(r.Sources), r.Calls, r.Searches, r.CostUSD)
	}
	if most := 200 << 10; w.peak > most && !raced {
		t.Errorf("the process had %d kB, want %d at most", w.peak, most)
	}
}

// A worker is a process of its own that does tasks, and nothing else.
type worker struct {
	in   io.Writer
	out  *bufio.Scanner
	peak int // kB
}

// workerEnv tells a worker where the web is.
const workerEnv = "DISCOVER_WORKER"

// An answer is what a worker says of a task.
type answer struct {
	Error string
	Peak  int // kB that the process has had at most
}

func (l *lab) startWorker() *worker {
	l.t.Helper()
	at, err := json.Marshal([]string{l.web.Allow(), l.web.SearchURL(), l.web.Token()})
	if err != nil {
		l.t.Fatal(err)
	}
	command := emulate.Command(l.t)
	command.Env = append(append(append(command.Env, os.Environ()...), l.Env()...), workerEnv+"="+string(at))
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		in.Close() // which ends it
		if err := command.Wait(); err != nil {
			l.t.Errorf("the worker: %v", err)
		}
	})
	return &worker{in: in, out: bufio.NewScanner(out)}
}

// do has the worker do a task.
func (w *worker) do(m queue.Delivery) error {
	if err := json.NewEncoder(w.in).Encode(m); err != nil {
		return err
	}
	if !w.out.Scan() {
		return fmt.Errorf("the worker has ended: %v", w.out.Err())
	}
	var a answer
	if err := json.Unmarshal(w.out.Bytes(), &a); err != nil {
		return fmt.Errorf("the worker says %q: %w", w.out.Text(), err)
	}
	if w.peak = a.Peak; a.Error != "" {
		return errors.New(a.Error)
	}
	return nil
}

// serveTasks is the worker process: it does the tasks in its input, one a line.
func serveTasks() {
	ctx := context.Background()
	p := openPipeline(ctx)
	d := queue.NewDispatcher()
	discover.Handle(d, func(context.Context) (*discover.Pipeline, error) { return p, nil })
	tasks, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var m queue.Delivery
		if err := tasks.Decode(&m); err != nil {
			return
		}
		a := answer{}
		if err := d.Dispatch(ctx, m); err != nil {
			a.Error = err.Error()
		}
		a.Peak = peakMemory()
		if err := answers.Encode(a); err != nil {
			log.Fatal(err)
		}
	}
}

// openPipeline returns the pipeline over the emulators that the environment names.
func openPipeline(ctx context.Context) *discover.Pipeline {
	var at []string
	err := json.Unmarshal([]byte(os.Getenv(workerEnv)), &at)
	model, badModel := gemini.Open(ctx, gemini.Config{BaseURL: os.Getenv("GOOGLE_GEMINI_BASE_URL"), AllowEmulated: true})
	objects, badObjects := storage.NewClient(ctx)
	db, badDB := firestore.NewClient(ctx, "emulated")
	messages, badMessages := gcppubsub.NewClient(ctx, "emulated")
	if err := errors.Join(err, badModel, badObjects, badDB, badMessages); err != nil {
		log.Fatal(err)
	}
	p, err := discover.New(newConfig(log.Default(), web{at[0], at[1], at[2]}, model, objects, db, messages))
	if err != nil {
		log.Fatal(err)
	}
	return p
}

var peakLine = regexp.MustCompile(`VmHWM:\s+([0-9]+) kB`)

// peakMemory is what this process has had of memory at most, in kB; 0 where the system
// does not say.
func peakMemory() int {
	text, err := os.ReadFile("/proc/self/status")
	if m := peakLine.FindSubmatch(text); err == nil && m != nil {
		n, _ := strconv.Atoi(string(m[1]))
		return n
	}
	return 0
}
