package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
)

// An answer is what came of one of several photos.
type answer struct {
	File   string         `json:"file"`
	Result analyze.Result `json:"result"`
}

// analyze answers with the results of the photos in the request.
func (a *API) analyze(w http.ResponseWriter, r *http.Request) error {
	v, err := a.analyzed(w, r)
	if err == nil && v != nil {
		writeJSON(w, http.StatusOK, v)
	}
	return err
}

// analyzed holds room in memory from before the photos are read until their results
// are there, and not while those are written to a client that may be slow. There is
// nothing left to answer if it is nil.
func (a *API) analyzed(w http.ResponseWriter, r *http.Request) (any, error) {
	leave, err := a.Memory.Acquire(r.Context(), intake.MemoryFor(size(r)))
	if err != nil {
		return nil, err
	}
	defer leave()
	q, err := a.receive(w, r)
	if err != nil {
		return nil, err
	}
	in, err := a.Intake(r.Context())
	if err != nil {
		return nil, err
	}
	for _, p := range q.photos {
		if err := in.CheckOptions(p.Options); err != nil {
			return nil, err
		}
	}
	if wantsEvents(r) {
		return nil, a.streamed(w, r, in, q)
	}
	if len(q.photos) == 1 {
		return in.Photo(r.Context(), q.photos[0], nil)
	}
	return all(r.Context(), in, q), nil
}

// all analyses every photo of q.
func all(ctx context.Context, in *intake.Intake, q question) []answer {
	answers := make([]answer, len(q.photos))
	each(ctx, in, q, nil, func(i int, r analyze.Result) { answers[i] = answer{q.files[i], r} })
	return answers
}

// together is how many photos of a request are analysed at the same time.
const together = 4

// each analyses every photo of q, and hands over events and results with the
// photo's number. Watch may be nil; the functions are called by several goroutines.
func each(ctx context.Context, in *intake.Intake, q question, watch func(int, *agent.Event), done func(int, analyze.Result)) {
	var group errgroup.Group
	group.SetLimit(together)
	for i, p := range q.photos {
		group.Go(func() error {
			var own func(*agent.Event)
			if watch != nil {
				own = func(e *agent.Event) { watch(i, e) }
			}
			done(i, patiently(ctx, in, p, own))
			return nil
		})
	}
	_ = group.Wait() // a photo's error is its result
}

// enough is how often a photo of several asks for room: the others of its own
// request may have it.
const enough = 3

// patiently is the result of p, a failed one if there is none.
func patiently(ctx context.Context, in *intake.Intake, p intake.Photo, watch func(*agent.Event)) analyze.Result {
	for try := 1; ; try++ {
		r, err := in.Photo(ctx, p, watch)
		var busy *admission.Busy
		switch {
		case err == nil:
			return r
		case !errors.As(err, &busy) || try == enough:
			return failed(r, p, err)
		}
		select {
		case <-time.After(busy.RetryAfter):
		case <-ctx.Done():
		}
	}
}

// failed is the result of a photo that cannot be analysed because of err.
func failed(r analyze.Result, p intake.Photo, err error) analyze.Result {
	why := problemOf(err)
	r = r.Failed(why.Detail, why.passing())
	r.InferenceTime = cmp.Or(r.InferenceTime, "0.00s")
	if r.Image == nil && p.URI != "" {
		r.Image = &analyze.Image{URI: p.URI}
	}
	return r
}
