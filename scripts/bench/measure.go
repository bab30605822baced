//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// selfPath is this program, which is the bare handler too.
var selfPath = func() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}()

// A workload is a kind of photo, and the way that its answer comes by.
type workload struct {
	name  string
	photo []byte
	way   way
	boxes string // of the codes that the model sees
	same  bool   // the same bytes again and again, after a first time

	budget budget
}

// workloads returns the photos of the table of budgets.
func workloads(ctx context.Context) ([]workload, error) {
	pack, boxes, err := packWithCode(ctx, 1120, 900)
	if err != nil {
		return nil, err
	}
	largePack, largeBoxes, err := packWithCode(ctx, 4000, 3000)
	if err != nil {
		return nil, err
	}
	plain, large := encoded(textured(1280, 960), 80), encoded(textured(4000, 3000), 80)
	return []workload{
		{name: "0.3 MB, image", photo: plain, way: byImage, boxes: "[]", budget: budget{ratio: 2, firestore: 4}},
		{name: "0.3 MB, local_db", photo: plain, way: byLocal, boxes: "[]", budget: budget{ratio: 2, firestore: 6}},
		{name: "0.3 MB, google_search", photo: plain, way: byGoogle, boxes: "[]", budget: budget{ratio: 2, firestore: 8}},
		{name: "1 MP pack with a barcode", photo: pack, way: byImage, boxes: boxes, budget: budget{cpu: 15, firestore: 5}},
		{name: "12 MP, upright", photo: large, way: byImage, boxes: "[]", budget: budget{cpu: 10, firestore: 4}},
		{name: "12 MP, with a barcode", photo: largePack, way: byImage, boxes: largeBoxes, budget: budget{cpu: 150, firestore: 5}},
		{name: "12 MP, to be turned", photo: turned(large), way: byImage, boxes: "[]", budget: budget{cpu: 280, firestore: 4}},
		{name: "12 MP, the same bytes again", photo: large, way: byImage, boxes: "[]", same: true, budget: budget{cpu: 3, firestore: 3}},
	}, nil
}

// measure measures every workload with the function and with the bare handler,
// in turn.
func (w *world) measure(ctx context.Context, program string, o options) (figures, error) {
	f := figures{Cases: map[string]pair{}, Crowds: map[string]pair{}, Searches: map[string]figure{}}
	list, err := workloads(ctx)
	if err != nil {
		return f, err
	}
	for _, load := range list {
		if !strings.Contains(load.name, o.only) {
			continue
		}
		p, err := w.both(ctx, program, load, o.profile, func(p *process, bare bool) (figure, error) { return w.oneByOne(p, load, bare, o.requests) })
		if err != nil {
			return f, fmt.Errorf("%s: %w", load.name, err)
		}
		p.Budget = load.budget
		f.Cases[load.name], f.Order = p, append(f.Order, load.name)
	}
	for _, clients := range []int{1, 8, 32, 128} {
		name := fmt.Sprintf("%d clients", clients)
		if o.only != "" && !strings.Contains(name, o.only) {
			continue
		}
		p, err := w.both(ctx, program, list[0], "", func(p *process, bare bool) (figure, error) { return w.crowd(p, list[0], bare, clients, o.throughput) })
		if err != nil {
			return f, fmt.Errorf("%s: %w", name, err)
		}
		f.Crowds[name], f.CrowdOrder = p, append(f.CrowdOrder, name)
	}
	if err := w.searches(ctx, program, o, &f); err != nil {
		return f, err
	}
	return f, w.starts(ctx, program, list[0], o.starts, &f)
}

// both measures the function and then the bare handler, each started anew. The
// profile of the function goes to the directory profiles, unless that is "".
func (w *world) both(ctx context.Context, program string, load workload, profiles string, measure func(*process, bool) (figure, error)) (pair, error) {
	w.model.answer(load.way, load.boxes)
	var found [2]figure
	for i, bare := range []bool{false, true} {
		p, err := w.server(ctx, program, bare, profileFile(profiles, load.name))
		if err != nil {
			return pair{}, err
		}
		found[i], err = measure(p, bare)
		p.stop()
		if err != nil {
			return pair{}, fmt.Errorf("%w\n%s", err, lastLines(p.log.String()))
		}
	}
	return pair{Ours: found[0], Bare: found[1]}, nil
}

// warmUps is how many requests do not count, however many do: the first ones of a process
// touch memory that it has not had before, which a virtual machine has to find.
const warmUps = 20

// oneByOne asks n times, one at a time, after warmUps.
func (w *world) oneByOne(p *process, load workload, bare bool, n int) (figure, error) {
	for range warmUps {
		if err := askOnce(p, load, bare); err != nil {
			return figure{}, err
		}
	}
	return w.counted(p, n, func() ([]time.Duration, error) {
		took := make([]time.Duration, n)
		for i := range n {
			begin := time.Now()
			if err := askOnce(p, load, bare); err != nil {
				return nil, err
			}
			took[i] = time.Since(begin)
		}
		return took, nil
	})
}

// crowd asks n times, by so many clients at once.
func (w *world) crowd(p *process, load workload, bare bool, clients, n int) (figure, error) {
	if err := askOnce(p, load, bare); err != nil {
		return figure{}, err
	}
	return w.counted(p, n, func() ([]time.Duration, error) {
		took, errs := make([]time.Duration, n), make([]error, n)
		turns := make(chan int)
		var group sync.WaitGroup
		for range clients {
			group.Go(func() {
				for i := range turns {
					begin := time.Now()
					errs[i] = askOnce(p, load, bare)
					took[i] = time.Since(begin)
				}
			})
		}
		for i := range n {
			turns <- i
		}
		close(turns)
		group.Wait()
		for _, err := range errs {
			if err != nil {
				return nil, err
			}
		}
		return took, nil
	})
}

// counted returns what do takes of p, of the model and of Firestore.
func (w *world) counted(p *process, n int, do func() ([]time.Duration, error)) (figure, error) {
	w.firestore.ResetCalls()
	calls, generated, sent := w.model.calls.Load(), w.model.asked.Load(), w.model.bytes.Load()
	before, err := p.cpu()
	if err != nil {
		return figure{}, err
	}
	begin := time.Now()
	var took []time.Duration
	if err := p.profiled(func() (err error) { took, err = do(); return err }); err != nil {
		return figure{}, err
	}
	wall := time.Since(begin)
	after, err := p.cpu()
	if err != nil {
		return figure{}, err
	}
	peak, err := p.memory("VmHWM")
	reads := w.firestore.Reads()
	slices.Sort(took)
	each := func(v float64) float64 { return v / float64(n) }
	return figure{
		CPU: each(milliseconds(after - before)), P50: milliseconds(took[n/2]), P95: milliseconds(took[n*95/100]), P99: milliseconds(took[n*99/100]),
		PerSecond: float64(n) / wall.Seconds(), PeakMB: peak,
		Firestore: each(float64(w.calls())), Documents: each(float64(reads.Documents)), Vectors: each(float64(reads.Vectors)), ModelCalls: each(float64(w.model.calls.Load() - calls)), Generated: each(float64(w.model.asked.Load() - generated)), ModelKB: each(float64(w.model.bytes.Load()-sent)) / 1000,
	}, err
}

// asked counts the photos, so that no two are the same.
var asked atomic.Int64

// askOnce posts a photo of its own, or the same one again.
func askOnce(p *process, load workload, bare bool) error {
	photo, url := load.photo, p.url+"/analyze?country=US&lang=en"
	if bare {
		url = p.url + "/" + bareCase(load.way)
	}
	if !load.same {
		photo = numbered(photo, asked.Add(1))
	}
	resp, err := http.Post(url, "image/jpeg", bytes.NewReader(photo))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if want := `"source": "` + string(load.way) + `"`; !bare && !bytes.Contains(answer, []byte(want)) || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("POST %s = %s: %.500s; want %s", url, resp.Status, answer, want)
	}
	return nil
}

// starts measures the function when it is started: the medians of how long it takes until
// its health is answered and until a first photo is, and what it has in memory before that.
func (w *world) starts(ctx context.Context, program string, photo workload, n int, f *figures) error {
	w.model.answer(photo.way, photo.boxes)
	var ready, first []time.Duration
	for range n {
		p, err := w.server(ctx, program, false, "")
		if err != nil {
			return err
		}
		f.IdleMB, err = p.memory("VmRSS")
		if err == nil {
			err = askOnce(p, photo, false)
		}
		ready, first = append(ready, p.ready), append(first, time.Since(p.begun))
		p.stop()
		if err != nil {
			return err
		}
	}
	f.Ready, f.First = median(ready), median(first)
	return nil
}

// median returns the median of took, in milliseconds.
func median(took []time.Duration) float64 {
	slices.Sort(took)
	return milliseconds(took[len(took)/2])
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// lastLines returns the last lines of a log.
func lastLines(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
