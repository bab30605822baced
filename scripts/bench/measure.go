//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// selfPath is this program, which is the floors too.
var selfPath = func() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}()

// A workload is a kind of photo, and the way that its answer comes by.
type workload struct {
	name   string
	photos [][]byte // one after the other
	way    way
	boxes  string // of the codes that the model sees
	same   bool   // the same bytes again and again, after a first time

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
	plain, large := [][]byte{encoded(textured(1280, 960), 80)}, [][]byte{encoded(textured(4000, 3000), 80)}
	all := []workload{
		{name: "0.3 MB, image", photos: plain, way: byImage},
		{name: "0.3 MB, local_db", photos: plain, way: byLocal},
		{name: "0.3 MB, google_search", photos: plain, way: byGoogle},
		{name: "1 MP pack with a barcode", photos: [][]byte{pack}, way: byImage, boxes: boxes},
		{name: "12 MP, upright", photos: large, way: byImage},
		{name: "12 MP, with a barcode", photos: [][]byte{largePack}, way: byImage, boxes: largeBoxes},
		{name: "12 MP, to be turned", photos: [][]byte{turned(large[0])}, way: byImage},
		{name: "12 MP, the same bytes again", photos: large, way: byImage, same: true},
	}
	if real := realPacks(); len(real) > 0 {
		all = append(all, workload{name: "photos of real packs", photos: real, way: byImage})
	}
	for i, load := range all {
		all[i].budget = budgets[load.name]
		if load.boxes == "" {
			all[i].boxes = "[]"
		}
	}
	return all, nil
}

// realPacks are the photos under WHATIS_SHARED, if that is set.
func realPacks() (all [][]byte) {
	files, _ := filepath.Glob(filepath.Join(os.Getenv("WHATIS_SHARED"), "photos", "*.jpg"))
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			all = append(all, data)
		}
	}
	return all
}

// A crowd asks with a workload, so many clients at once.
type crowd struct {
	load    string
	clients int
}

var crowds = []crowd{{"0.3 MB, image", 1}, {"0.3 MB, image", 8}, {"0.3 MB, image", 32}, {"0.3 MB, image", 128}, {"12 MP, upright", 32}}

// heldCrowd is the one whose share of the bare floor's requests is held.
var heldCrowd = crowds[2]

func (c crowd) name() string { return fmt.Sprintf("%d clients, %s", c.clients, c.load) }

// measure measures every workload with the function and with both floors, in turn.
func (w *world) measure(ctx context.Context, programs programs, o options) (figures, error) {
	f := figures{Cases: map[string]entry{}, Crowds: map[string]entry{}, Searches: map[string]figure{}, Requests: map[string]figure{}}
	list, err := workloads(ctx)
	if err != nil {
		return f, err
	}
	for _, load := range list {
		if !strings.Contains(load.name, o.only) {
			continue
		}
		e, err := o.again(entry.late, func() (entry, error) {
			return w.sides(ctx, programs.deployed, o, load, o.profile, func(p *process, ask func() error) (figure, error) { return w.oneByOne(p, ask, o) })
		})
		if err == nil {
			e.Ours.AllocatedKB, err = w.allocated(ctx, programs.profiled, load)
		}
		if err != nil {
			return f, fmt.Errorf("%s: %w", load.name, err)
		}
		f.Cases[load.name], f.Order = e, append(f.Order, load.name)
	}
	for _, c := range crowds {
		if o.counts || !strings.Contains(c.name(), o.only) {
			continue
		}
		load, n := list[slices.IndexFunc(list, func(l workload) bool { return l.name == c.load })], o.throughput
		if len(load.photos[0]) > 1<<20 {
			n = max(c.clients, n/4)
		}
		e, err := o.again(func(e entry) bool { return c == heldCrowd && e.slow() }, func() (entry, error) {
			return w.sides(ctx, programs.deployed, o, load, "", func(p *process, ask func() error) (figure, error) { return w.atOnce(p, ask, c.clients, n) })
		})
		if err != nil {
			return f, fmt.Errorf("%s: %w", c.name(), err)
		}
		f.Crowds[c.name()], f.CrowdOrder = e, append(f.CrowdOrder, c.name())
	}
	if !o.counts && strings.Contains("while the model writes", o.only) {
		if err := w.watch(ctx, programs.deployed, &f); err != nil {
			return f, err
		}
	}
	if err := w.searches(ctx, programs.deployed, o, &f); err != nil {
		return f, err
	}
	if err := w.requests(ctx, programs.deployed, o, &f); err != nil {
		return f, err
	}
	if !o.counts && strings.Contains("start and memory", o.only) {
		return f, w.starts(ctx, programs.deployed, list[0], o, &f)
	}
	return f, nil
}

// again measures, and where budgets are held measures what is over them twice more at most: what
// else a machine does can only add to a time.
func (o options) again(over func(entry) bool, measure func() (entry, error)) (e entry, err error) {
	for range 3 {
		if e, err = measure(); err != nil || !o.hold || !over(e) {
			break
		}
	}
	return e, err
}

// sides measures the function and then the floors, each started anew, which make as many
// calls as the function did, and the server of o.beside unless that is "". Where only counts
// are wanted, it measures the function alone. The profile of the function goes to the
// directory profiles, unless that is "".
func (w *world) sides(ctx context.Context, program string, o options, load workload, profiles string, measure func(*process, func() error) (figure, error)) (entry, error) {
	w.model.answer(load.way, load.boxes)
	e, todo := entry{Budget: load.budget}, work{}
	sides := map[side]string{function: program, bare: program, stored: program, other: strings.TrimSpace(o.beside)}
	if o.counts {
		sides = map[side]string{function: program}
	}
	for _, s := range []side{function, bare, stored, other} {
		if sides[s] == "" {
			continue
		}
		p, err := w.server(ctx, sides[s], s, profileFile(profiles, load.name))
		if err != nil {
			return entry{}, err
		}
		found, err := measure(p, func() error { return askOnce(p, load, s, todo) })
		p.stop()
		if err != nil {
			return entry{}, fmt.Errorf("%w\n%s", err, lastLines(p.log.String()))
		}
		switch s {
		case function:
			e.Ours, todo = found, workOf(load.way, found.Calls)
		case bare:
			e.Bare = found
		case stored:
			e.Stored = found
		case other:
			e.Other = found
		}
	}
	return e, nil
}

// warmUps is how many requests do not count, however many do: the first ones of a process
// touch memory that it has not had before, which a virtual machine has to find.
const warmUps = 20

// oneByOne asks as often as o wants, one at a time, after warmUps, which counts do not need.
func (w *world) oneByOne(p *process, ask func() error, o options) (figure, error) {
	n, first := o.requests, warmUps
	if o.counts {
		first = 1
	}
	for range first {
		if err := ask(); err != nil {
			return figure{}, err
		}
	}
	return w.counted(p, n, func() ([]time.Duration, error) {
		took := make([]time.Duration, n)
		for i := range n {
			begin := time.Now()
			if err := ask(); err != nil {
				return nil, err
			}
			took[i] = time.Since(begin)
		}
		return took, nil
	})
}

// atOnce asks n times, by so many clients at once.
func (w *world) atOnce(p *process, ask func() error, clients, n int) (figure, error) {
	if err := ask(); err != nil {
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
					errs[i] = ask()
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
	f := figure{
		CPU: each(milliseconds(after - before)), P50: milliseconds(took[n/2]), P95: milliseconds(took[n*95/100]), P99: milliseconds(took[n*99/100]),
		PerSecond: float64(n) / wall.Seconds(), PeakMB: peak, Calls: map[string]float64{},
		Documents: each(float64(reads.Documents)), Vectors: each(float64(reads.Vectors)), ModelCalls: each(float64(w.model.calls.Load() - calls)), Generated: each(float64(w.model.asked.Load() - generated)), ModelKB: each(float64(w.model.bytes.Load()-sent)) / 1000,
	}
	for name, count := range w.firestore.Calls() {
		f.Calls[name] = each(float64(count))
		f.Firestore += each(float64(count))
	}
	return f, err
}

// allocated returns how many kB the function allocates for a photo.
func (w *world) allocated(ctx context.Context, program string, load workload) (float64, error) {
	const photos = 10
	file := filepath.Join(filepath.Dir(program), "allocated")
	p, err := start(ctx, append(w.env(), "WHATIS_ALLOCATED="+file), program)
	if err != nil {
		return 0, err
	}
	defer p.stop()
	p.profile = file
	ask := func() error {
		for range photos {
			if err := askOnce(p, load, function, work{}); err != nil {
				return err
			}
		}
		return nil
	}
	if err := ask(); err != nil {
		return 0, err
	}
	if err := p.profiled(ask); err != nil {
		return 0, err
	}
	defer os.Remove(file)
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	var bytes float64
	_, err = fmt.Sscan(string(data), &bytes)
	return bytes / photos / 1000, err
}

// asked counts the photos, so that no two are the same.
var asked atomic.Int64

// askOnce posts a photo of its own, or the same one again.
func askOnce(p *process, load workload, s side, todo work) error {
	n := asked.Add(1)
	photo, address := load.photos[n%int64(len(load.photos))], p.url+"/analyze?country=US&lang=en"
	if s == bare || s == stored {
		text, err := json.Marshal(todo)
		if err != nil {
			return err
		}
		address = p.url + "/?work=" + url.QueryEscape(string(text))
	}
	if !load.same {
		photo = numbered(photo, n)
	}
	resp, err := client.Post(address, "image/jpeg", bytes.NewReader(photo))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if want := `"source": "` + string(load.way) + `"`; s == function && !bytes.Contains(answer, []byte(want)) || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("POST %s = %s: %.500s; want %s", address, resp.Status, answer, want)
	}
	return nil
}

// client keeps a connection for each of a crowd.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128}}

// starts measures the function when it is started: the medians of how long it takes until
// its health is answered and until a first photo is, what it has in memory before that, and
// after many photos.
func (w *world) starts(ctx context.Context, program string, load workload, o options, f *figures) error {
	w.model.answer(load.way, load.boxes)
	var ready, first []time.Duration
	for range o.starts {
		p, err := w.server(ctx, program, function, "")
		if err != nil {
			return err
		}
		if f.IdleMB, err = p.memory("VmRSS"); err == nil {
			f.IdleOwnMB, err = p.memory("RssAnon")
		}
		if err == nil {
			err = askOnce(p, load, function, work{})
		}
		ready, first = append(ready, p.ready), append(first, time.Since(p.begun))
		p.stop()
		if err != nil {
			return err
		}
	}
	f.Ready, f.First = median(ready), median(first)
	p, err := w.server(ctx, program, function, "")
	if err != nil {
		return err
	}
	defer p.stop()
	if _, err := w.atOnce(p, func() error { return askOnce(p, load, function, work{}) }, 1, o.after); err != nil {
		return err
	}
	if f.AfterMB, err = p.memory("VmRSS"); err != nil {
		return err
	}
	f.AfterOwnMB, err = p.memory("RssAnon")
	f.After = o.after
	return err
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
